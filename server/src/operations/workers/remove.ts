import { authorOf } from '../../engine/author.ts';
import { presentWorker } from '../../engine/present.ts';
import { workerRow } from '../../engine/rows.ts';
import { finishTask } from '../../engine/task-changes.ts';
import { endWorkerRow } from '../../engine/worker-changes.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'processes' | 'now' | 'newId'>;

export function removeWorker(needs: Needs): Implementation<'workers.remove'> {
  const { storage, processes } = needs;
  return async ({ workerId }, call) => {
    const worker = await workerRow(storage.read.workers, workerId);
    if (worker.type === 'git-diff') {
      await storage.write(authorOf(call), (tx) =>
        endWorkerRow(tx, needs, workerId, { state: 'exited', exitCode: null, signal: null, offset: 0 }),
      );
    } else {
      if (worker.type === 'agent') {
        await storage.write(authorOf(call), async (tx) => {
          for (const task of await tx.tasks.find({
            sessionId: worker.sessionId,
            status: ['running', 'awaiting_input'],
          })) {
            const summary = 'The agent was ended by a person.';
            await finishTask(tx, needs, task.id, { status: 'cancelled', source: 'person', certain: true, summary });
          }
        });
      }
      await processes.end(workerId);
    }
    return presentWorker(await workerRow(storage.read.workers, workerId));
  };
}
