import type { Call } from '../domain/call.ts';
import { authorOf } from '../engine/author.ts';
import type { JobRow } from '../ports/rows.ts';
import { answerWithJob } from './job-answer.ts';
import type { OperationContext } from './operation.ts';

/**
 * Answers a call with a job that only finds out what a job of this kind would do, so that callers read both results in
 * the same way.
 */
export async function answerWithDryRun(
  context: OperationContext,
  call: Call,
  kind: JobRow['kind'],
  preview: () => Promise<Record<string, unknown>>,
  wait: boolean,
): ReturnType<typeof answerWithJob> {
  const { jobs, storage } = context;
  const author = authorOf(call);
  const job = await storage.write(author, async (tx) => {
    const created = await jobs.create(tx, author, kind, { dryRun: true });
    await tx.remember({ jobId: created.id });
    return created;
  });
  return answerWithJob(context, call, { job, running: jobs.run(job, preview) }, wait);
}
