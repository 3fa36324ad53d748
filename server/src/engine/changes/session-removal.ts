import { OPEN_STATUSES, type Outcome } from '../../domain/tasks.ts';
import type { Transaction } from '../../ports/storage.ts';
import { type ChangeDeps, finishTask } from './task-changes.ts';

/**
 * Ends the open tasks of a session that is being removed, so that the sessions that delegated these tasks are notified.
 * Pending notices for the removed session become undeliverable.
 */
export async function endOpenWork(
  tx: Transaction,
  deps: ChangeDeps,
  sessionId: string,
  outcome: Outcome,
): Promise<void> {
  for (const task of await tx.tasks.find({ sessionId, status: [...OPEN_STATUSES] })) {
    await finishTask(tx, deps, task.id, outcome);
  }
  for (const notice of await tx.notices.find({ sessionId, state: 'pending' })) {
    await tx.notices.update(notice.id, { state: 'undeliverable' });
  }
}
