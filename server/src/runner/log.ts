import fs from 'node:fs';
import path from 'node:path';
import { LOG_CAP_BYTES, LOG_SEGMENT_BYTES } from '@agent-console/shared/limits/streams';

/**
 * A file of a worker's output log, named `<offset>.log` after the absolute offset of its first byte. Each later process
 * of the worker starts a new file, because a machine crash may have left the last file incomplete.
 */
interface Segment {
  offset: number;
  bytes: number;
}

const segmentPath = (folder: string, offset: number) => path.join(folder, `${offset}.log`);

/** Lists the segments of a log in order. Returns an empty list if the folder does not exist. */
function listSegments(folder: string): Segment[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return [];
  }
  const segments: Segment[] = [];
  for (const name of names) {
    const offset = /^(\d{1,16})\.log$/.exec(name)?.[1];
    if (offset === undefined) continue;
    const stat = fs.statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined) segments.push({ offset: Number(offset), bytes: stat.size });
  }
  return segments.sort((a, b) => a.offset - b.offset);
}

/**
 * Returns the offset of the first stored byte, and the offset at which the next byte is appended. Both are 0 without a
 * log.
 */
export function logExtent(folder: string): { first: number; next: number } {
  const segments = listSegments(folder);
  const last = segments.at(-1);
  return { first: segments[0]?.offset ?? 0, next: last === undefined ? 0 : last.offset + last.bytes };
}

/** Finds the first stored bytes at or above `offset` within one segment. Returns undefined if there are none. */
function locate(segments: readonly Segment[], offset: number): { segment: Segment; skip: number } | undefined {
  for (const segment of segments) {
    if (segment.bytes > 0 && offset < segment.offset + segment.bytes) {
      return { segment, skip: Math.max(0, offset - segment.offset) };
    }
  }
  return undefined;
}

/** A range of stored bytes: the file, the offset of the file's first byte, and the number of bytes to skip in it. */
export interface StoredRange {
  file: string;
  segment: number;
  skip: number;
  /** Number of stored bytes from `skip` to the end of the file, at the time the files were listed. */
  bytes: number;
}

/** Finds the first stored bytes at or above `offset`. Returns undefined at the end of the log. */
export function findStored(folder: string, offset: number): StoredRange | undefined {
  const found = locate(listSegments(folder), offset);
  if (found === undefined) return undefined;
  const { segment, skip } = found;
  return { file: segmentPath(folder, segment.offset), segment: segment.offset, skip, bytes: segment.bytes - skip };
}

/**
 * Reads at most `maxBytes` stored bytes from `offset`. The returned offset is higher than the requested one when older
 * bytes were dropped; the data is empty at the end of the log.
 */
export async function readLog(
  folder: string,
  offset: number,
  maxBytes: number,
): Promise<{ offset: number; data: Buffer }> {
  const parts: Buffer[] = [];
  let first: number | undefined;
  let at = offset;
  let remaining = maxBytes;
  while (remaining > 0) {
    const stored = findStored(folder, at);
    if (stored === undefined || (first !== undefined && stored.segment + stored.skip !== at)) break;
    const part = await readPart(stored, remaining);
    // The oldest segment may be deleted between listing and opening, so the segments are listed again.
    if (part === undefined) continue;
    if (part.length === 0) break;
    at = stored.segment + stored.skip;
    first ??= at;
    parts.push(part);
    at += part.length;
    remaining -= part.length;
  }
  return { offset: first ?? Math.min(offset, logExtent(folder).next), data: Buffer.concat(parts) };
}

async function readPart({ file, skip, bytes }: StoredRange, maxBytes: number): Promise<Buffer | undefined> {
  const target = Buffer.allocUnsafe(Math.min(maxBytes, bytes));
  let handle: fs.promises.FileHandle;
  try {
    handle = await fs.promises.open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { bytesRead } = await handle.read(target, 0, target.length, skip);
    return target.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Appends to a log and reads from it, synchronously. When `append` returns, the bytes are in the file. */
export class LogWriter {
  #file: number | undefined;
  #segments: Segment[];
  readonly #folder: string;

  /**
   * Opens the log of a worker, to append after the output of the worker's earlier processes.
   * @throws the file system's error.
   */
  constructor(folder: string) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#segments = listSegments(folder);
    this.#open(this.next);
  }

  /** Offset at which the next byte is appended. */
  get next(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? 0 : last.offset + last.bytes;
  }

  /**
   * Appends as much as the disk accepts and returns the number of bytes written.
   * @throws the file system's error (ENOSPC, EDQUOT, EIO ...) when the disk accepted nothing.
   */
  append(data: Buffer): number {
    let written = 0;
    while (written < data.length) {
      const segment = this.#current();
      const bytes = this.#write(data, written);
      if (bytes === 0) break;
      segment.bytes += bytes;
      written += bytes;
    }
    return written;
  }

  /**
   * Fills `target` from the first stored byte at or above `offset`. If there is none, returns 0 bytes and the end of
   * the log, or `offset` if it is beyond that end.
   */
  read(offset: number, target: Buffer): { offset: number; bytes: number } {
    for (;;) {
      const found = locate(this.#segments, offset);
      if (found === undefined) return { offset: Math.max(offset, this.next), bytes: 0 };
      const file = this.#openToRead(found.segment);
      if (file === undefined) continue;
      try {
        const length = Math.min(target.length, found.segment.bytes - found.skip);
        const bytes = fs.readSync(file, target, 0, length, found.skip);
        return { offset: found.segment.offset + found.skip, bytes };
      } finally {
        fs.closeSync(file);
      }
    }
  }

  close(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
  }

  /**
   * Opens a segment for reading. Forgets the segment if its file was deleted. This does not change the offset of the
   * next appended byte.
   */
  #openToRead(segment: Segment): number | undefined {
    try {
      return fs.openSync(segmentPath(this.#folder, segment.offset), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const end = { offset: this.next, bytes: 0 };
      this.#segments = this.#segments.filter((each) => each !== segment);
      if (this.next !== end.offset) this.#segments.push(end);
      return undefined;
    }
  }

  #write(data: Buffer, from: number): number {
    if (this.#file === undefined) throw new Error('the output log of the worker is closed');
    try {
      return fs.writeSync(this.#file, data, from);
    } catch (error) {
      // The caller must learn how many bytes were written before the error. It passes the remaining bytes again, and
      // that call throws the error.
      if (from > 0) return 0;
      throw error;
    }
  }

  #current(): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.bytes < LOG_SEGMENT_BYTES) return last;
    return this.#open(this.next);
  }

  #open(offset: number): Segment {
    const file = fs.openSync(segmentPath(this.#folder, offset), 'a', 0o600);
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = file;
    const segment = { offset, bytes: 0 };
    this.#segments = [...this.#segments.filter((each) => each.offset !== offset), segment];
    this.#dropOldest();
    return segment;
  }

  /**
   * Deletes the oldest segments until another full segment would fit into LOG_CAP_BYTES. Keeps at least one segment.
   */
  #dropOldest(): void {
    let stored = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    while (stored + LOG_SEGMENT_BYTES > LOG_CAP_BYTES) {
      const oldest = this.#segments[0];
      if (oldest === undefined || this.#segments.length === 1) return;
      fs.rmSync(segmentPath(this.#folder, oldest.offset), { force: true });
      this.#segments.shift();
      stored -= oldest.bytes;
    }
  }
}
