import * as v from 'valibot';
import type { JobRow } from '../../ports/rows.ts';

/** The worker that runs the command of one step of a job. Stored in the job's parameters. */
const Step = v.object({
  workerId: v.string(),
  sessionId: v.string(),
  timedOut: v.optional(v.literal(true)),
});
export type Step = v.InferOutput<typeof Step>;

const Params = v.object({ commands: v.optional(v.record(v.string(), Step), {}) });

/** Returns the steps of a job for which a worker is stored, by name, oldest first. */
export function stepsOf(job: Pick<JobRow, 'params'> | undefined): Record<string, Step> {
  return job === undefined ? {} : v.parse(Params, job.params).commands;
}
