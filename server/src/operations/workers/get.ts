import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorker } from '../present.ts';

export function getWorker({ storage, streams }: Pick<Kit, 'storage' | 'streams'>): Implementation<'workers.get'> {
  return async ({ workerId }) => {
    const worker = presentWorker(await workerRow(storage.read.workers, workerId));
    return { ...worker, logOffset: Math.max(worker.logOffset, streams.offset(workerId) ?? 0) };
  };
}
