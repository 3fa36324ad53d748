import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { chooseWorker, readOutput, readText } from '../output.ts';

export function readSessionOutput(
  context: Pick<OperationContext, 'storage' | 'runner' | 'screens' | 'scanner'>,
): Implementation<'sessions.output'> {
  return async ({ sessionId, workerId, sinceOffset, format, maxBytes }) => {
    const worker = chooseWorker(await context.storage.read.workers.find({ sessionId }), sessionId, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    if (format === 'text') return readText(context, worker, { sinceOffset, maxBytes, ended });
    const { bytes, ...place } = await readOutput(context.runner, worker.id, { sinceOffset, format, maxBytes, ended });
    return { text: bytes.toString('utf8'), ...place };
  };
}
