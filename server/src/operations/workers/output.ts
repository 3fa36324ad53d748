import type { Implementation } from '../call.ts';
import { workerRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { asText, readOutput } from '../output.ts';

export function readWorkerOutput({
  storage,
  runner,
}: Pick<Kit, 'storage' | 'runner'>): Implementation<'workers.output'> {
  return async ({ workerId, sinceOffset, format, maxBytes }) => {
    const worker = await workerRow(storage.read.workers, workerId);
    const ended = worker.state === 'exited' || worker.state === 'lost';
    const page = await readOutput(runner, workerId, { sinceOffset, format, maxBytes, ended });
    const { bytes, ...place } = page;
    if (format === 'base64') return { data: bytes.toString('base64'), ...place };
    return { text: format === 'text' ? asText(page) : bytes.toString('utf8'), ...place };
  };
}
