import { presentWorker } from '../../engine/present.ts';
import { workerRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { measure } from './resources.ts';

export function getWorker(
  needs: Pick<OperationContext, 'storage' | 'streams' | 'resources'>,
): Implementation<'workers.get'> {
  const { storage, streams } = needs;
  return async ({ workerId }) => {
    const row = await workerRow(storage.read.workers, workerId);
    const resources = await measure(needs, row);
    const worker = presentWorker(row);
    return { ...worker, logOffset: Math.max(worker.logOffset, streams.offset(workerId) ?? 0), resources };
  };
}
