import { workerRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { readOutput, readText } from '../output.ts';

export function readWorkerOutput(
  context: Pick<OperationContext, 'storage' | 'runner' | 'screens' | 'scanner'>,
): Implementation<'workers.output'> {
  return async ({ workerId, sinceOffset, format, maxBytes }) => {
    const worker = await workerRow(context.storage.read.workers, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { bytes, ...place } = await readOutput(context.runner, workerId, { sinceOffset, format, maxBytes, ended });
    if (format === 'base64') return { data: bytes.toString('base64'), ...place };
    return { text: bytes.toString('utf8'), ...place };
  };
}
