import { authorOf } from '../../engine/author.ts';
import { presentWorker } from '../../engine/present.ts';
import { livingWorker, workerRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'streams' | 'watcher'>;

export function correctActivity(needs: Needs): Implementation<'workers.correctActivity'> {
  return async ({ workerId, activityState: state }, call) => {
    const { storage, streams, watcher } = needs;
    const worker = await livingWorker(storage.read.workers, workerId);
    const offset = Math.max(worker.logOffset, streams.offset(workerId) ?? 0);
    const seen = { state, confidence: 'certain', source: 'person', offset: offset + 1 } as const;
    await watcher.correct(authorOf(call), worker, seen);
    return presentWorker(await workerRow(storage.read.workers, workerId));
  };
}
