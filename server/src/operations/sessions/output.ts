import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { chooseWorker, readOutput, readText } from '../output.ts';

export function readSessionOutput(
  kit: Pick<OperationContext, 'storage' | 'runner' | 'screens' | 'intake'>,
): Implementation<'sessions.output'> {
  return async ({ sessionId, workerId, sinceOffset, format, maxBytes }) => {
    const worker = chooseWorker(await kit.storage.read.workers.find({ sessionId }), sessionId, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(kit, worker, { sinceOffset, maxBytes, ended });
    const { bytes, ...place } = await readOutput(kit.runner, worker.id, { sinceOffset, format, maxBytes, ended });
    return { text: bytes.toString('utf8'), ...place };
  };
}
