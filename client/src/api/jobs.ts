import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { JOB_WAIT_SECONDS } from '@agent-console/shared/limits/calls';
import type { Job } from '@agent-console/shared/models/job';
import { call } from './call.ts';

/**
 * Pause in milliseconds before asking an unreachable console for the job again. A restarted console continues its jobs.
 */
const ASK_AGAIN_MS = 1_000;

/**
 * Waits for the end of a started job and returns its result. Keeps asking after retryable errors, for example while the
 * console cannot be reached.
 * @throws ConsoleError the error of a failed job, or a non-retryable error of the call that asks for the job
 */
export async function jobResult(
  started: { jobId: string; job?: Job | undefined },
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  let { job } = started;
  while (job === undefined || job.state === 'running') {
    const input = { jobId: started.jobId, waitSeconds: JOB_WAIT_SECONDS };
    job = await call('jobs.get', input, signal === undefined ? {} : { signal }).catch(async (error: unknown) => {
      if (!(error instanceof ConsoleError && error.retryable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      return undefined;
    });
  }
  if (job.error !== undefined) {
    throw new ConsoleError(job.error.code as ErrorCode, job.error.message, job.error.details);
  }
  return job.result ?? {};
}
