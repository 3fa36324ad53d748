import { type FileHandle, open } from 'node:fs/promises';
import {
  TRANSCRIPT_HEAD_BYTES,
  TRANSCRIPT_LINE_MAX_BYTES,
  TRANSCRIPT_MARK_BYTES,
  TRANSCRIPT_READ_BYTES,
} from '@agent-console/shared/limits/transcripts';

const NEWLINE = 0x0a;

/** How far a file of lines was read. */
export interface LinePosition {
  /** Bytes from the beginning, behind a newline. */
  offset: number;
  /** The last bytes below the offset, base64: a file that has others there is not the one that was read. */
  mark: string;
}

export interface LinesRead {
  /** Parsed; undefined for a line that is no JSON. */
  lines: unknown[];
  place: LinePosition;
  /** Whole lines may follow already. */
  more: boolean;
}

/**
 * The whole lines behind a place, at most TRANSCRIPT_READ_BYTES of them or one longer line. A file that was cut short or
 * replaced is read from its beginning. Of one that holds more than `end` bytes the rest is not read. Null for a file that
 * cannot be read.
 */
export async function readLines(
  path: string,
  place: LinePosition | undefined,
  end = Number.POSITIVE_INFINITY,
): Promise<LinesRead | null> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return null;
  try {
    const from = place !== undefined && (await markAt(file, place.offset)) === place.mark ? place.offset : 0;
    const { data, bytes, more } = await readBlock(file, from, end);
    const offset = from + bytes;
    return { lines: linesOf(data), place: { offset, mark: await markAt(file, offset) }, more };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** The first bytes of a file; empty for one that cannot be read. */
export async function headOf(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(TRANSCRIPT_HEAD_BYTES), 0, TRANSCRIPT_HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function firstLine(path: string): Promise<string> {
  const text = await headOf(path);
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(0, end);
}

async function markAt(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(TRANSCRIPT_MARK_BYTES, offset);
  if (length === 0) return '';
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset - length);
  return buffer.toString('base64', 0, bytesRead);
}

/** Whole lines, and the bytes that they, or the part of an overlong one that is passed over, take. */
async function readBlock(
  file: FileHandle,
  from: number,
  end: number,
): Promise<{ data: Buffer; bytes: number; more: boolean }> {
  for (let size = TRANSCRIPT_READ_BYTES; ; size *= 2) {
    const wanted = Math.max(0, Math.min(size, end - from));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, from);
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
    const isFull = bytesRead === wanted && from + wanted < end;
    if (whole > 0 || !isFull) return { data: buffer.subarray(0, whole), bytes: whole, more: isFull };
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
