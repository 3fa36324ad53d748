import type { Call } from '../domain/call.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { JobRow } from '../ports/rows.ts';
import { answerWithJob } from './job-answer.ts';
import type { OperationContext } from './operation.ts';

/**
 * Answers a dry run with a job whose result describes what a job of this kind would do. A dry run is also a job, so that
 * callers wait for its result and read it in the same way.
 */
export async function answerWithDryRun(
  context: OperationContext,
  call: Call,
  kind: JobRow['kind'],
  preview: () => Promise<Record<string, unknown>>,
  wait: boolean,
  /** Session from which the result quotes texts. Callers who may not see this session may not read the job either. */
  quotedSessionId?: string,
): ReturnType<typeof answerWithJob> {
  const { jobs, storage } = context;
  const author = authorOf(call);
  const job = await storage.write(author, async (tx) => {
    const created = await jobs.create(tx, author, kind, { dryRun: true, quotedSessionId });
    await tx.remember({ jobId: created.id });
    return created;
  });
  return answerWithJob(context, call, { job, running: jobs.run(job, preview) }, wait);
}
