import { jobResult } from '../../api/jobs.ts';
import { failureToast } from '../../ui/toasts.ts';

/** How the outcome of a job is announced after the job's dialog was closed. */
export interface LateEnd {
  /** Title of the toast that reports a failed job, such as `Could not push`. */
  failure: string;
  /** Announces the result of a job that succeeded. */
  announce(result: Record<string, unknown>): void;
}

/** Waits for the end of a job whose dialog was closed, and announces its outcome. */
export async function announceEnd(jobId: string, { failure, announce }: LateEnd): Promise<void> {
  try {
    announce(await jobResult({ jobId }));
  } catch (error) {
    failureToast(failure)(error instanceof Error ? error : { message: String(error) });
  }
}

/**
 * Returns handlers for a mutation that starts a job. They are called if the dialog was closed before the response
 * arrived.
 */
export function lateHandlers(late: LateEnd): {
  onLateSuccess(started: { jobId: string }): void;
  onLateError(error: { message: string }): void;
} {
  return {
    onLateSuccess: ({ jobId }) => void announceEnd(jobId, late),
    onLateError: failureToast(late.failure),
  };
}
