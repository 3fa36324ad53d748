import { type FileHandle, open } from 'node:fs/promises';
import {
  TRANSCRIPT_HEAD_BYTES,
  TRANSCRIPT_LINE_MAX_BYTES,
  TRANSCRIPT_MARK_BYTES,
  TRANSCRIPT_READ_BYTES,
} from '@agent-console/shared/limits/transcripts';
import { parseJson } from './fields.ts';

const NEWLINE = 0x0a;

/** Position up to which a file of lines was read. */
export interface LinePosition {
  /** Offset in bytes: directly after a newline, or inside a line that is too long to be read. */
  offset: number;
  /** The last bytes before the offset, in base64. If the file contains other bytes there, it was replaced. */
  mark: string;
}

export interface LinesRead {
  /** The lines as parsed JSON; undefined for a line that is not JSON. */
  lines: unknown[];
  position: LinePosition;
  /** Whether the file may contain more complete lines that have not been read yet. */
  more: boolean;
}

/**
 * Reads complete lines after a position: at most TRANSCRIPT_READ_BYTES, or more if the first line is longer. A line of
 * TRANSCRIPT_LINE_MAX_BYTES or more is skipped. A file that was truncated or replaced is read from its beginning. Bytes
 * at and after `end` are not read. Returns null for a file that cannot be read.
 */
export async function readLines(
  path: string,
  position: LinePosition | undefined,
  end = Number.POSITIVE_INFINITY,
): Promise<LinesRead | null> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return null;
  try {
    const isSameFile = position !== undefined && (await markAt(file, position.offset)) === position.mark;
    const from = isSameFile ? position.offset : 0;
    const { data, bytes, more } = await readBlock(file, from, end);
    const offset = from + bytes;
    return { lines: parseLines(data), position: { offset, mark: await markAt(file, offset) }, more };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Reads the first TRANSCRIPT_HEAD_BYTES of a file as text; empty for a file that cannot be opened. */
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

/** Reads the first line of a file; empty if it is not complete within TRANSCRIPT_HEAD_BYTES. */
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

/** Reads complete lines, or skips a part of an overlong line. The next block begins `bytes` bytes after `from`. */
async function readBlock(
  file: FileHandle,
  from: number,
  end: number,
): Promise<{ data: Buffer; bytes: number; more: boolean }> {
  for (let size = TRANSCRIPT_READ_BYTES; ; size *= 2) {
    const bytesToRead = Math.max(0, Math.min(size, end - from));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesToRead), 0, bytesToRead, from);
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
    const isFull = bytesRead === bytesToRead && from + bytesToRead < end;
    if (whole > 0 || !isFull) return { data: buffer.subarray(0, whole), bytes: whole, more: isFull };
    // The line is too long: skips the part that was read. The rest is later read as a line of its own and ignored,
    // because it is not valid JSON.
    if (size >= TRANSCRIPT_LINE_MAX_BYTES) return { data: Buffer.alloc(0), bytes: bytesRead, more: true };
  }
}

function parseLines(data: Buffer): unknown[] {
  return data
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseJson);
}
