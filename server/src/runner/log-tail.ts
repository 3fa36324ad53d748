import fs from 'node:fs';

const TAIL_BYTES = 2_048;

/** Returns the last 2 kB of a log since it had `from` bytes, or all of it if it was truncated since. */
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
