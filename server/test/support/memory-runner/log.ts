import { LOG_CAP_BYTES, LOG_SEGMENT_BYTES } from '@agent-console/shared/limits/streams';

/** The output of one worker, by absolute offsets. Drops the oldest bytes when the output exceeds LOG_CAP_BYTES. */
export class MemoryLog {
  #bytes = Buffer.alloc(4_096);
  #kept = 0;
  #first = 0;

  get first(): number {
    return this.#first;
  }

  get next(): number {
    return this.#first + this.#kept;
  }

  append(data: Buffer): void {
    if (this.#kept + data.length > LOG_CAP_BYTES) this.#dropBelow(this.next + data.length - LOG_CAP_BYTES);
    const needed = this.#kept + data.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#kept);
      this.#bytes = larger;
    }
    data.copy(this.#bytes, this.#kept);
    this.#kept = needed;
  }

  /**
   * Returns a copy of at most `maxBytes` of the output from `offset` on. Starts later if the bytes at `offset` were
   * dropped.
   */
  read(offset: number, maxBytes: number): { offset: number; data: Buffer } {
    const from = Math.max(offset, this.#first);
    if (from >= this.next) return { offset: Math.min(offset, this.next), data: Buffer.alloc(0) };
    const start = from - this.#first;
    return { offset: from, data: Buffer.from(this.#bytes.subarray(start, Math.min(this.#kept, start + maxBytes))) };
  }

  /** Drops all bytes. The next offset stays the same. */
  drop(): void {
    this.#first = this.next;
    this.#kept = 0;
    this.#bytes = Buffer.alloc(0);
  }

  #dropBelow(offset: number): void {
    const dropped = Math.min(this.#kept, Math.ceil((offset - this.#first) / LOG_SEGMENT_BYTES) * LOG_SEGMENT_BYTES);
    this.#bytes.copyWithin(0, dropped, this.#kept);
    this.#first += dropped;
    this.#kept -= dropped;
  }
}
