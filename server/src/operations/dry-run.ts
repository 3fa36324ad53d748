import type { Call } from '../domain/call.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { JobRow } from '../ports/rows.ts';
import { answerWithJob } from './job-answer.ts';
import type { OperationContext } from './operation.ts';

/**
 * Answers a dry run with a job whose result describes what the real call would do. Callers use this job like that of a
 * real call: they wait for it and read its result.
 */
export async function answerWithDryRun(
  context: OperationContext,
  call: Call,
  kind: JobRow['kind'],
  preview: () => Promise<Record<string, unknown>>,
  wait: boolean,
  /** Session whose texts the job's result quotes. Only callers who may see this session may read the job. */
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
