import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { SIGNALS_MAX_BYTES, SIGNALS_POLL_MS, SIGNALS_READ_BYTES } from '@agent-console/shared/limits/activity';
import type { SignalFiles, SignalFollowing, SignalLine } from '../ports/agents.ts';
import type { Host } from '../ports/host.ts';

const NEWLINE = 0x0a;

/** Follows workers' signals files, to which the hooks of agents append lines. */
export function createSignalFiles(host: Pick<Host, 'workerPaths'>): SignalFiles {
  return {
    follow: (workerId, offset, onLines) => followLines(host.workerPaths(workerId).signalsFile, offset, onLines),
  };
}

/**
 * Follows one file. An incomplete last line is read when its newline has arrived. If the file cannot be read, the next
 * poll tries again.
 */
function followLines(
  path: string,
  from: number,
  onLines: (lines: readonly SignalLine[]) => Promise<void>,
): SignalFollowing {
  let offset = from;
  let closed = false;
  let requested = false;
  let reading: Promise<void> | undefined;

  /** Reads new lines. All calls during a read together cause one more read. */
  function read(): Promise<void> {
    if (reading !== undefined) {
      requested = true;
      return reading;
    }
    reading = (async () => {
      do {
        requested = false;
        await readLines().catch(() => undefined);
      } while (requested && !closed);
      reading = undefined;
    })();
    return reading;
  }

  async function readLines(): Promise<void> {
    // Most polls find nothing new, so they do not open the file.
    if ((await stat(path)).size <= offset) return;
    const file = await open(path, 'r');
    try {
      while (!closed && offset < SIGNALS_MAX_BYTES && (await readBlock(file))) {
        // `readBlock` reads one block per iteration, until no complete line is left.
      }
    } finally {
      await file.close();
    }
  }

  async function readBlock(file: FileHandle): Promise<boolean> {
    const { size } = await file.stat();
    const bytesToRead = Math.min(size - offset, SIGNALS_READ_BYTES);
    if (bytesToRead <= 0) return false;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesToRead), 0, bytesToRead, offset);
    const data = buffer.subarray(0, bytesRead);
    const end = data.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      // The block contains no newline. If the block is full, its line is too long, so the block is skipped. The rest of
      // the line is read as a line of its own, and ignored because it is not valid JSON.
      if (bytesRead === SIGNALS_READ_BYTES) offset += bytesRead;
      return bytesRead === SIGNALS_READ_BYTES;
    }
    const lines = linesOf(data.subarray(0, end), offset);
    offset += end;
    await onLines(lines);
    return true;
  }

  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, { persistent: false }, () => void read());
    // If watching fails, the timer still polls the file.
    watcher.on('error', () => watcher?.close());
  } catch {
    watcher = undefined;
  }
  const timer = setInterval(() => void read(), SIGNALS_POLL_MS).unref();
  void read();

  return {
    async caughtUp() {
      await reading;
      await read();
    },
    close() {
      closed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
}

function linesOf(data: Buffer, offset: number): SignalLine[] {
  const lines: SignalLine[] = [];
  let at = 0;
  while (at < data.length) {
    const end = data.indexOf(NEWLINE, at) + 1;
    lines.push({ value: parse(data.toString('utf8', at, end)), next: offset + end });
    at = end;
  }
  return lines;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
