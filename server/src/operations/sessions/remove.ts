import { ConsoleError } from '@agent-console/shared/errors';
import { isLive } from '@agent-console/shared/operations/session-views';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import { authorOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import { finishTask } from '../../engine/task-changes.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'views' | 'runner' | 'screens' | 'now' | 'newId'>;

/** Removes the rows first and the output last: what a crash leaves between them is a log that nobody can name. */
export function removeSession(needs: Needs): Implementation<'sessions.remove'> {
  const { storage, views, runner, screens } = needs;
  return async ({ sessionId }, call) => {
    const shown = await views.session(sessionId);
    const workers = await storage.write(authorOf(call), async (tx) => {
      const row = await sessionRow(tx.sessions, sessionId);
      const all = await tx.workers.find({ sessionId });
      if (all.some(isLive)) {
        throw new ConsoleError('CONFLICT', 'This session has a live worker. Stop it first.', { sessionId });
      }
      for (const task of await tx.tasks.find({ sessionId, status: [...OPEN_STATUSES] })) {
        await finishTask(tx, needs, task.id, { status: 'cancelled', source: 'person', certain: true });
      }
      for (const notice of await tx.notices.find({ sessionId, state: 'pending' })) {
        await tx.notices.update(notice.id, { state: 'undeliverable' });
      }
      await removeParts(tx, sessionId, all);
      await tx.sessions.update(sessionId, { removedAt: needs.now().toISOString() });
      const { parentSessionId, forkedFromSessionId } = row;
      const data = { parentSessionId, forkedFromSessionId };
      await tx.record({ type: 'session.removed', subject: { kind: 'session', id: sessionId }, sessionId, data });
      return all;
    });
    for (const worker of workers) {
      await screens.drop(worker.id);
      await runner.dropLog(worker.id);
    }
    return shown;
  };
}

async function removeParts(tx: Transaction, sessionId: string, workers: readonly WorkerRow[]): Promise<void> {
  if (workers.length > 0) await tx.inputs.remove({ workerId: workers.map(({ id }) => id) });
  await tx.approvals.remove({ sessionId });
  await tx.workers.remove({ sessionId });
  await tx.tasks.remove({ sessionId });
  await tx.messages.remove({ sessionId });
  await tx.transcripts.remove({ sessionId });
  await tx.usage.remove({ sessionId });
  await tx.sessionMcpServers.remove({ sessionId });
}
