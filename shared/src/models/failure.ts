import * as v from 'valibot';
import { described } from '../describe.ts';

/** An error that is stored with the entity that failed, e.g. with a task or a job. */
export const Failure = v.object({
  code: described(v.string(), 'Error code'),
  message: described(v.string(), 'What happened, and what to do next'),
});
