import { type Deadline, withDeadline } from '@agent-console/shared/deadline';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import type { Job } from '@agent-console/shared/models/job';
import type { Call } from '../domain/call.ts';
import { presentJob } from '../engine/present.ts';
import type { JobRow } from '../ports/rows.ts';
import type { OperationContext } from './operation.ts';

/** Part of a call's time limit that is reserved for sending the response. */
export const RESPONSE_MARGIN_MS = 1_000;

/** Waits until the work is done or the signal aborts. After an abort, the work continues in the background. */
export async function waitUntil(work: Promise<void>, { signal, release }: Deadline): Promise<void> {
  try {
    await Promise.race([
      work,
      new Promise((resolve) => {
        if (signal.aborted) resolve(undefined);
        signal.addEventListener('abort', resolve, { once: true });
      }),
    ]);
  } finally {
    release();
  }
}

/**
 * Answers a call that started a job. With `wait`, waits for the end of the job, but not longer than a call may take.
 */
export async function answerWithJob(
  context: OperationContext,
  call: Call,
  started: { job: Pick<JobRow, 'id'>; running: Promise<void> },
  wait: boolean,
): Promise<{ jobId: string; job?: Job }> {
  const { job, running } = started;
  if (!wait) return { jobId: job.id };
  await waitUntil(running, withDeadline(call.signal, CALL_MAX_MS - RESPONSE_MARGIN_MS));
  return currentJob(context, job.id);
}

/** Returns the id of a job and, if the job is still stored, its current state. Also used to answer a repeated call. */
export async function currentJob({ storage, jobs }: OperationContext, jobId: string) {
  const row = await storage.read.jobs.get(jobId);
  if (row === undefined) return { jobId };
  const job = presentJob(row);
  const progress = jobs.progress(jobId);
  return { jobId, job: progress === undefined ? job : { ...job, progress } };
}
