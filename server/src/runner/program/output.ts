import {
  RUNNER_BATCH_BYTES,
  RUNNER_BATCH_MS,
  RUNNER_LOG_RETRY_MS,
  RUNNER_SLAB_BYTES,
} from '@agent-console/shared/limits/runner';
import type { LogWriter } from '../log.ts';
import { Slab, takeSlab } from './slab.ts';

/**
 * The next batch of output waits for RUNNER_BATCH_MS if the previous batch had at least HOT_BYTES and was written less
 * than HOT_MS ago. If every batch waited, the echo of each key press would be delayed.
 */
const HOT_BYTES = 2_048;
const HOT_MS = 8;
/** If a buffer fills in less than this many milliseconds, the next buffer is a large one. */
const BUSY_SLAB_MS = 100;
/**
 * Minimum number of free bytes in a large and in a small buffer before a read. A read returns up to about 4 kB, and is
 * split if the buffer has less space.
 */
const ROOM_LARGE = 8_192;
const ROOM_SMALL = 1_024;

/** Placeholder for the buffer after `close`, so that an ended process needs no buffer memory. */
const NO_SLAB = new Slab(0, () => undefined);

interface Region {
  slab: Slab;
  start: number;
  end: number;
}

export interface OutputEvents {
  /**
   * Called with bytes that were just written to the log. Consumers that use the bytes after the call must call
   * `slab.retain`.
   */
  written(offset: number, data: Buffer, slab: Slab): void;
  /** Called when the log cannot be written. Reading must stop until `unblocked` is called. */
  blocked(error: Error): void;
  unblocked(): void;
}

/**
 * Writes the output of a process to its log. Output is read into a buffer, written to the log in batches, and passed to
 * readers after the write. While the log cannot be written, reading stops and the write is retried, so memory holds at
 * most two buffers.
 */
export class Output {
  readonly #log: LogWriter;
  readonly #events: OutputEvents;
  #slab: Slab;
  #start = 0;
  #end = 0;
  #slabSince = performance.now();
  /** Full buffers that are not yet completely written to the log. */
  #unwritten: Region[] = [];
  #retry: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #batchTimer: NodeJS.Timeout | undefined;
  #lastBatchBytes = 0;
  #lastBatchAt = 0;

  constructor(log: LogWriter, events: OutputEvents) {
    this.#log = log;
    this.#events = events;
    this.#slab = takeSlab('small');
  }

  /** Offset after the last byte in the log. */
  get offset(): number {
    return this.#log.next;
  }

  /** Offset after the last byte read from the process. */
  get readOffset(): number {
    return this.offset + this.#waiting;
  }

  get isBlocked(): boolean {
    return this.#retry !== undefined;
  }

  /** Returns the buffer for the next read. It is valid until `received` is called. */
  space(): Buffer {
    const room = this.#slab.buffer.length >= RUNNER_SLAB_BYTES ? ROOM_LARGE : ROOM_SMALL;
    if (this.#slab.buffer.length - this.#end < room) this.#nextSlab();
    return this.#slab.buffer.subarray(this.#end);
  }

  /**
   * Must be called after `bytes` bytes were read into the buffer that `space` returned. Returns false if no more may be
   * read until `unblocked` is called.
   */
  received(bytes: number): boolean {
    this.#end += bytes;
    if (this.isBlocked) return false;
    if (this.#waiting >= RUNNER_BATCH_BYTES) return this.flush();
    this.#schedule();
    return true;
  }

  /**
   * Adds bytes that were not read into the buffer of `space`. Returns the number of bytes accepted, which is lower than
   * the length of `chunk` if the log cannot be written.
   */
  push(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length && !this.isBlocked) {
      const copied = chunk.copy(this.space(), 0, at);
      at += copied;
      this.received(copied);
    }
    return at;
  }

  /** Writes all buffered bytes. Returns false if the disk did not accept all of them. */
  flush(): boolean {
    this.#cancel();
    if (this.isBlocked) return false;
    const bytes = this.#waiting;
    if (bytes === 0) return true;
    this.#lastBatchBytes = bytes;
    this.#lastBatchAt = performance.now();
    return this.#writeAll();
  }

  /** Reads bytes from the log, for readers that are behind the live output. */
  read(offset: number, target: Buffer): { offset: number; bytes: number } {
    return this.#log.read(offset, target);
  }

  close(): void {
    this.#cancel();
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#log.close();
    this.#slab.release();
    this.#slab = NO_SLAB;
    this.#start = 0;
    this.#end = 0;
  }

  get #waiting(): number {
    let bytes = this.#end - this.#start;
    for (const region of this.#unwritten) bytes += region.end - region.start;
    return bytes;
  }

  #schedule(): void {
    if (this.#immediate !== undefined || this.#batchTimer !== undefined) return;
    const hot = this.#lastBatchBytes >= HOT_BYTES && performance.now() - this.#lastBatchAt < HOT_MS;
    const flush = () => void this.flush();
    if (hot) this.#batchTimer = setTimeout(flush, RUNNER_BATCH_MS);
    else this.#immediate = setImmediate(flush);
  }

  #cancel(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#batchTimer);
    this.#immediate = undefined;
    this.#batchTimer = undefined;
  }

  #writeAll(): boolean {
    for (let region = this.#unwritten[0]; region !== undefined; region = this.#unwritten[0]) {
      const { slab } = region;
      region.start = this.#write(slab, region.start, region.end);
      if (region.start < region.end) return false;
      this.#unwritten.shift();
      slab.release();
    }
    this.#start = this.#write(this.#slab, this.#start, this.#end);
    return this.#start === this.#end;
  }

  /**
   * Writes the bytes of `slab` from `start` to `end` to the log. Returns the index of the first byte that was not
   * written.
   */
  #write(slab: Slab, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const offset = this.offset;
      let bytes: number;
      try {
        bytes = this.#log.append(slab.buffer.subarray(at, end));
      } catch (error) {
        this.#block(error as Error);
        return at;
      }
      this.#events.written(offset, slab.buffer.subarray(at, at + bytes), slab);
      at += bytes;
    }
    return at;
  }

  #block(error: Error): void {
    this.#retry = setTimeout(() => this.#tryAgain(), RUNNER_LOG_RETRY_MS);
    this.#events.blocked(error);
  }

  #tryAgain(): void {
    this.#retry = undefined;
    if (this.#writeAll()) this.#events.unblocked();
  }

  /**
   * Called when the current buffer is full. Reuses the buffer if it is completely written, no consumer retains it and
   * its size still suits the amount of output. Otherwise takes another buffer.
   */
  #nextSlab(): void {
    this.flush();
    const now = performance.now();
    const size = now - this.#slabSince < BUSY_SLAB_MS ? 'large' : 'small';
    const isLarge = this.#slab.buffer.length >= RUNNER_SLAB_BYTES;
    this.#slabSince = now;
    const written = this.#start === this.#end;
    if (!(written && this.#slab.ownedAlone && isLarge === (size === 'large'))) {
      if (written) this.#slab.release();
      else this.#unwritten.push({ slab: this.#slab, start: this.#start, end: this.#end });
      this.#slab = takeSlab(size);
    }
    this.#start = 0;
    this.#end = 0;
  }
}
