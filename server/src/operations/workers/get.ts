import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorker } from '../present.ts';
import { measure } from './resources.ts';

export function getWorker(needs: Pick<Kit, 'storage' | 'streams' | 'resources'>): Implementation<'workers.get'> {
  const { storage, streams } = needs;
  return async ({ workerId }) => {
    const row = await workerRow(storage.read.workers, workerId);
    const resources = await measure(needs, row);
    const worker = presentWorker(row);
    return { ...worker, logOffset: Math.max(worker.logOffset, streams.offset(workerId) ?? 0), resources };
  };
}
