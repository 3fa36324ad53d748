import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { asText, chooseWorker, readOutput } from '../output.ts';

export function readSessionOutput({
  storage,
  runner,
}: Pick<Kit, 'storage' | 'runner'>): Implementation<'sessions.output'> {
  return async ({ sessionId, workerId, sinceOffset, format, maxBytes }) => {
    const worker = chooseWorker(await storage.read.workers.find({ sessionId }), sessionId, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    const page = await readOutput(runner, worker.id, { sinceOffset, format, maxBytes, ended });
    const { bytes, ...place } = page;
    return { text: format === 'text' ? asText(page) : bytes.toString('utf8'), ...place };
  };
}
