import { ConsoleError } from '@agent-console/shared/errors';

export interface BlobSink {
  /** The blob asked for at this position (0 = first) begins. */
  begin(number: number): Promise<void>;
  data(chunk: Buffer): Promise<void>;
  end(number: number): Promise<void>;
}

/**
 * Reads what `git cat-file --batch` prints (`<id> <type> <size>`, line break, bytes, line break) without holding a
 * whole blob in memory.
 * @throws GIT_FAILED from `push` when an object is missing.
 */
export function createBlobReader(sink: BlobSink): { push(chunk: Buffer): Promise<void>; count(): number } {
  let count = 0;
  let header = '';
  /** Bytes still to come of the current blob; -1 in a header, and the line break behind a blob counts as one more. */
  let left = -1;

  async function push(chunk: Buffer): Promise<void> {
    let at = 0;
    while (at < chunk.length) {
      if (left < 0) {
        const end = chunk.indexOf('\n', at);
        header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 1;
        left = sizeIn(header) + 1;
        header = '';
        await sink.begin(count);
      }
      const take = Math.min(left - 1, chunk.length - at);
      if (take > 0) await sink.data(chunk.subarray(at, at + take));
      at += take;
      left -= take;
      if (left === 1 && at < chunk.length) {
        at += 1;
        left = -1;
        await sink.end(count);
        count += 1;
      }
    }
  }

  return { push, count: () => count };
}

function sizeIn(header: string): number {
  const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
  if (size !== undefined) return Number(size);
  throw new ConsoleError('GIT_FAILED', `A file of the recovery cannot be read: ${header}.`, { stderr: header });
}
