import { type FileHandle, open } from 'node:fs/promises';
import { TRANSCRIPT_LINE_MAX_BYTES, TRANSCRIPT_MARK_BYTES, TRANSCRIPT_READ_BYTES } from '@agent-console/shared/limits';

const NEWLINE = 0x0a;

/** How far a file of lines was read. */
export interface LinePlace {
  /** Bytes from the beginning, behind a newline. */
  offset: number;
  /** The last bytes below the offset, base64: a file that has others there is not the one that was read. */
  mark: string;
}

export interface LinesRead {
  /** Parsed; undefined for a line that is no JSON. */
  lines: unknown[];
  place: LinePlace;
  /** Whole lines may follow already. */
  more: boolean;
}

/**
 * The whole lines behind a place, at most TRANSCRIPT_READ_BYTES of them or one longer line. A file that was cut short or
 * replaced is read from its beginning. Null for a file that cannot be read.
 */
export async function readLines(path: string, place: LinePlace | undefined): Promise<LinesRead | null> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return null;
  try {
    const from = place !== undefined && (await markAt(file, place.offset)) === place.mark ? place.offset : 0;
    const { data, bytes, more } = await readBlock(file, from);
    const offset = from + bytes;
    return { lines: linesOf(data), place: { offset, mark: await markAt(file, offset) }, more };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

async function markAt(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(TRANSCRIPT_MARK_BYTES, offset);
  if (length === 0) return '';
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset - length);
  return buffer.toString('base64', 0, bytesRead);
}

/** Whole lines, and the bytes that they, or the part of an overlong one that is passed over, take. */
async function readBlock(file: FileHandle, from: number): Promise<{ data: Buffer; bytes: number; more: boolean }> {
  for (let size = TRANSCRIPT_READ_BYTES; ; size *= 2) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, from);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
    const isFull = bytesRead === size;
    if (end > 0 || !isFull) return { data: buffer.subarray(0, end), bytes: end, more: isFull };
    // What is left of such a line is no JSON either.
    if (size >= TRANSCRIPT_LINE_MAX_BYTES) return { data: Buffer.alloc(0), bytes: bytesRead, more: true };
  }
}

function linesOf(data: Buffer): unknown[] {
  return data
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
