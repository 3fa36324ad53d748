import { ConsoleError } from '@agent-console/shared/errors';
import { isOver } from '../../domain/protocol.ts';
import { ACTIVE_STATUSES, failedBy } from '../../domain/tasks.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { about } from '../changes/subjects.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';

/**
 * Marks a connection that is not ready yet as failed, and fails the session's active tasks. Stops the queue until a
 * person continues it, because the next task would fail in the same way.
 */
export async function failConnection(tx: Transaction, deps: ChangeDeps, workerId: string, why: string): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker?.protocol == null || worker.protocol.phase === 'ready' || isOver(worker.protocol)) return;
  await tx.workers.update(workerId, { protocol: { ...worker.protocol, phase: 'failed' } });
  await failTasks(tx, deps, worker, why);
  await tx.sessions.update(worker.sessionId, { queueHeld: true });
}

/** Fails the active tasks of an agent that cannot continue them. */
export async function failTasks(
  tx: Transaction,
  deps: ChangeDeps,
  { id: workerId, sessionId }: WorkerRow,
  why: string,
): Promise<void> {
  const outcome = failedBy(new ConsoleError('AGENT_UNAVAILABLE', why, { workerId }));
  for (const task of await tx.tasks.find({ sessionId, status: ACTIVE_STATUSES })) {
    await finishTask(tx, deps, task.id, outcome);
  }
  await warn(tx, workerId, [why]);
}

/** Adds warnings to a worker, each once, and reports them to viewers. */
export async function warn(tx: Transaction, workerId: string, added: readonly string[]): Promise<void> {
  const worker = await tx.workers.get(workerId);
  const fresh = added.filter((each) => worker?.warnings.includes(each) === false);
  if (worker === undefined || fresh.length === 0) return;
  await tx.workers.update(workerId, { warnings: [...worker.warnings, ...fresh] });
  await tx.record({ type: 'worker.warned', ...about('worker', worker), data: { warnings: fresh } });
}
