import fs from 'node:fs';
import { promisify } from 'node:util';
import { LOG_FILES_OPEN, LOG_FILES_OPEN_MS } from '@agent-console/shared/limits/streams';
import { findStored } from './log.ts';

const read = promisify(fs.read);

/** A recently read log file. It stays open, because opening a file costs more than reading a block of it. */
interface OpenFile {
  fd: number;
  /** Log offset of the file's first byte. */
  segment: number;
  usedAt: number;
  reads: number;
  /** Whether `forget` was called during a read. If so, the file is closed after its last read. */
  discarded: boolean;
}

/**
 * Reads output logs in blocks, for readers that are behind the live output. For each log, the file that was read most
 * recently stays open for a while. So it can be read to its end even if it is deleted.
 */
export class LogReader {
  /** Open files by folder, the least recently used first. */
  readonly #files = new Map<string, OpenFile>();
  #sweep: NodeJS.Timeout | undefined;

  /**
   * Reads bytes from `offset` into `target`, at most to the end of one file of the log. The returned offset is higher
   * than requested if older bytes were dropped. Returns undefined if nothing is stored at or after `offset`.
   * @throws the file system's error.
   */
  async read(folder: string, offset: number, target: Buffer): Promise<{ offset: number; bytes: number } | undefined> {
    const known = this.#files.get(folder);
    if (known !== undefined && offset >= known.segment) {
      const bytes = await this.#readFrom(folder, known, offset, target);
      if (bytes > 0) return { offset, bytes };
    }
    for (;;) {
      const stored = findStored(folder, offset);
      if (stored === undefined) return undefined;
      const file = this.#open(folder, stored.file, stored.segment);
      // The oldest file may be deleted between listing and opening, so the files are listed again.
      if (file === undefined) continue;
      const from = stored.segment + stored.skip;
      const bytes = await this.#readFrom(folder, file, from, target.subarray(0, Math.min(target.length, stored.bytes)));
      return bytes === 0 ? undefined : { offset: from, bytes };
    }
  }

  /** Closes the file of a log that is about to be deleted. */
  forget(folder: string): void {
    const file = this.#files.get(folder);
    if (file === undefined) return;
    this.#files.delete(folder);
    file.discarded = true;
    if (file.reads === 0) fs.closeSync(file.fd);
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const folder of [...this.#files.keys()]) this.forget(folder);
  }

  async #readFrom(folder: string, file: OpenFile, offset: number, target: Buffer): Promise<number> {
    file.usedAt = performance.now();
    file.reads += 1;
    // The entry is deleted and inserted again, so that the map stays in the order of use.
    this.#files.delete(folder);
    this.#files.set(folder, file);
    try {
      return (await read(file.fd, target, 0, target.length, offset - file.segment)).bytesRead;
    } finally {
      file.reads -= 1;
      if (file.discarded && file.reads === 0) fs.closeSync(file.fd);
    }
  }

  #open(folder: string, path: string, segment: number): OpenFile | undefined {
    const known = this.#files.get(folder);
    if (known?.segment === segment) return known;
    let fd: number;
    try {
      fd = fs.openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    this.forget(folder);
    for (const oldest of this.#files.keys()) {
      if (this.#files.size < LOG_FILES_OPEN) break;
      this.forget(oldest);
    }
    const file = { fd, segment, usedAt: performance.now(), reads: 0, discarded: false };
    this.#files.set(folder, file);
    this.#sweep ??= setInterval(() => this.#closeUnused(), LOG_FILES_OPEN_MS).unref();
    return file;
  }

  #closeUnused(): void {
    const before = performance.now() - LOG_FILES_OPEN_MS;
    for (const [folder, file] of this.#files) if (file.usedAt < before && file.reads === 0) this.forget(folder);
    if (this.#files.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
