import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { NewRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { newWorkerRow } from './new-worker.ts';

/**
 * Creates the row of the worker that replaces an outdated agent, so that the next task runs in a new process. Returns
 * null if no task is about to start. Must be called in the transaction that stores the end of the old agent, before
 * that end is stored.
 */
export async function successorOf(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  successorId: string,
): Promise<NewRow<'workers'> | null> {
  const ended = await tx.workers.get(workerId);
  if (ended === undefined) return null;
  const session = await tx.sessions.get(ended.sessionId);
  if (session === undefined || session.mark !== 'open' || session.archivedAt !== null || session.removedAt !== null) {
    return null;
  }
  const { id: sessionId, queueHeld } = session;
  if ((await tx.tasks.count({ sessionId, status: ACTIVE_STATUSES })) > 0) return null;
  const queued = queueHeld ? 0 : await tx.tasks.count({ sessionId, status: 'queued' });
  if (queued + (await tx.notices.count({ sessionId, state: 'pending' })) === 0) return null;
  const { cols, rows, clientServers } = ended;
  return newWorkerRow(deps, session, { id: successorId, type: 'agent', cols, rows, clientServers });
}

/**
 * Stores the worker that replaces an outdated agent, and continues the session's queue. Clears `sendNow` of the queued
 * tasks, because people set it when the old agent blocked these tasks.
 */
export async function storeSuccessor(tx: Transaction, successor: NewRow<'workers'>): Promise<void> {
  const { sessionId } = successor;
  await tx.workers.insert(successor);
  await tx.sessions.update(sessionId, { queueHeld: false });
  for (const task of await tx.tasks.find({ sessionId, status: 'queued', sendNow: true })) {
    await tx.tasks.update(task.id, { sendNow: false });
  }
}
