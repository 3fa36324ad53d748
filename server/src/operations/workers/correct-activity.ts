import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { livingWorker, workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorker } from '../present.ts';

type Needs = Pick<Kit, 'storage' | 'streams' | 'processes'>;

export function correctActivity(needs: Needs): Implementation<'workers.correctActivity'> {
  return async ({ workerId, activityState: state }, call) => {
    const { storage, streams, processes } = needs;
    const worker = await livingWorker(storage.read.workers, workerId);
    const offset = Math.max(worker.logOffset, streams.offset(workerId) ?? 0);
    const seen = { state, confidence: 'certain', source: 'person', offset: offset + 1 } as const;
    await processes.correctActivity(authorOf(call), worker, seen);
    return presentWorker(await workerRow(storage.read.workers, workerId));
  };
}
