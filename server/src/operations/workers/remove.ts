import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorker } from '../present.ts';
import { finishTask } from '../task-changes.ts';
import { endWorkerRow } from '../worker-changes.ts';

type Needs = Pick<Kit, 'storage' | 'processes' | 'now' | 'newId'>;

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
