import * as v from 'valibot';
import { described } from '../describe.ts';

/** Why something failed, as stored with it. */
export const Failure = v.object({
  code: described(v.string(), 'Error code'),
  message: described(v.string(), 'What happened, and what to do next'),
});
