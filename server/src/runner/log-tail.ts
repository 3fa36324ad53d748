import fs from 'node:fs';

const TAIL_BYTES = 2_048;

/**
 * Returns the text that was appended to a log after its first `from` bytes, at most the last 2 kB. If the log was
 * truncated in the meantime, its whole content counts as appended.
 */
export function logTail(file: string, from: number): string {
  try {
    const fd = fs.openSync(file, 'r');
    try {
      const { size } = fs.fstatSync(fd);
      const start = Math.max(from > size ? 0 : from, size - TAIL_BYTES);
      const tail = Buffer.alloc(size - start);
      const bytes = fs.readSync(fd, tail, 0, tail.length, start);
      return tail.toString('utf8', 0, bytes).trim();
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}
