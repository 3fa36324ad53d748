import { PREPARING } from '../../domain/delegation.ts';
import type { JobRow } from '../../ports/rows.ts';
import type { EngineContext } from '../context.ts';
import { delegationRow, failureOf } from './saga.ts';

type Needs = Pick<EngineContext, 'storage' | 'hub' | 'jobs'>;

/**
 * Runs the job that reports the progress of a delegation. The job only observes the stored delegation, so a restarted
 * server can run it again.
 */
export function followDelegation(needs: Needs, job: JobRow, delegationId: string): Promise<void> {
  return needs.jobs.run(job, async (progress) => {
    progress(0, 'checking out');
    await untilPrepared(needs, delegationId);
    const row = await delegationRow(needs.storage.read, delegationId);
    if (row.failedStep !== null) throw failureOf(row);
    const { worktreeId, worktreePath, branch, sessionId, workerId, taskId, warnings } = row;
    return { worktreeId, branch, worktreePath, sessionId, workerId, taskId, delegationId, warnings };
  });
}

/** Resolves when the delegation is no longer being prepared: its agent has started, or all steps were undone. */
async function untilPrepared({ storage, hub }: Needs, delegationId: string): Promise<void> {
  let stop = () => {};
  await new Promise<void>((resolve, reject) => {
    const check = () =>
      storage.read.delegations.get(delegationId).then((row) => {
        if (row === undefined || !PREPARING.includes(row.state)) resolve();
      }, reject);
    stop = hub.onEvents((events) => {
      if (events.some(({ event }) => event.subject.id === delegationId)) void check();
    });
    void check();
  }).finally(() => stop());
}
