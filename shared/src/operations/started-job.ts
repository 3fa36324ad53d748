import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf } from '../ids.ts';
import { Job } from '../models/job.ts';

/** This file defines the input and output of operations that start a job. */

export const Wait = v.optional(
  described(v.boolean(), 'Wait up to 45 s for the end of the job, and also return the job'),
  false,
);

/** A job that was started. With `wait`, the output also contains the state of the job after the wait. */
export const StartedJob = v.object({
  jobId: idOf('job', 'Id of the job that does the work; GET /jobs/{jobId} shows its progress and its result'),
  job: v.optional(described(Job, 'The job after the wait, perhaps still running; absent without wait')),
});

type StartedJob = v.InferOutput<typeof StartedJob>;

/**
 * Input, output schema and result of tools that wait for the job that they start. The schema is short, because agents
 * read the schemas of all listed tools.
 */
export const jobTool = {
  output: v.object({
    jobId: v.string(),
    state: Job.entries.state,
    result: v.optional(v.unknown()),
    error: v.optional(v.unknown()),
  }),
  toInput: (args: Record<string, unknown>) => ({ ...args, wait: true }),
  toResult: ({ jobId, job }: StartedJob) => ({
    jobId,
    state: job?.state ?? ('running' as const),
    ...(job?.result === undefined ? {} : { result: job.result }),
    ...(job?.error === undefined ? {} : { error: job.error }),
  }),
};
