import { logExtent, readLog } from './log.ts';
import { outputFolder } from './paths.ts';
import type { OutputReader } from './port.ts';
import { readRecord } from './record.ts';

const BLOCK_BYTES = 256 * 1024;

/**
 * Sends the stored output, size changes and exit of a worker to a reader. Used when the runner no longer has the
 * worker. A process that was lost with its runner has no recorded exit, so its exit code and signal are unknown.
 */
export async function replayStored(
  home: string,
  workerId: string,
  fromOffset: number,
  reader: OutputReader,
  isOpen: () => boolean,
): Promise<void> {
  const folder = outputFolder(home, workerId);
  const record = await readRecord(home, workerId);
  const sizes = record.flatMap((line) =>
    line.kind === 'resized' || (line.kind === 'spawned' && line.mode === 'pty')
      ? [{ offset: line.offset, cols: line.cols, rows: line.rows }]
      : [],
  );
  // The reader first receives the terminal size that applies at its start offset, as it does for a live process.
  const current = sizes.findLast((size) => size.offset <= fromOffset);
  const resizes = sizes.filter((size) => size.offset > fromOffset);
  if (current !== undefined) resizes.unshift({ ...current, offset: fromOffset });
  const sendResizes = (upTo: number) => {
    for (let next = resizes[0]; next !== undefined && next.offset <= upTo; next = resizes[0]) {
      reader.onResized(next);
      resizes.shift();
    }
  };
  let at = fromOffset;
  while (isOpen()) {
    sendResizes(at);
    const block = Math.min(BLOCK_BYTES, (resizes[0]?.offset ?? Number.POSITIVE_INFINITY) - at);
    const chunk = await readLog(folder, at, block);
    if (chunk.data.length === 0 || !isOpen()) break;
    sendResizes(chunk.offset);
    reader.onData(chunk);
    at = chunk.offset + chunk.data.length;
  }
  if (!isOpen()) return;
  sendResizes(Number.POSITIVE_INFINITY);
  const last = record.at(-1);
  if (last?.kind === 'exited') reader.onExit({ offset: last.offset, exitCode: last.exitCode, signal: last.signal });
  else reader.onExit({ offset: logExtent(folder).next, exitCode: null, signal: null });
}
