import * as v from 'valibot';
import { described } from '../describe.ts';

/** The error with which an operation failed, stored with the failed entity. */
export const Failure = v.object({
  code: described(v.string(), 'Error code'),
  message: described(v.string(), 'What happened, and what to do next'),
});
