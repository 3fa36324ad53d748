import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf } from '../ids.ts';
import { Job } from '../models/job.ts';

/** Input and output of operations whose work is done by a job. */

export const Wait = v.optional(
  described(v.boolean(), 'Wait for the end of the job, 45 s at most, and also return it'),
  false,
);

/** A job that was started. With `wait`, the answer also contains the job as it is after the wait. */
export const StartedJob = v.object({
  jobId: idOf('job', 'Job that does the work; GET /jobs/{jobId} shows its progress and its result'),
  job: v.optional(described(Job, 'The job; only with wait. It may still be running')),
});
