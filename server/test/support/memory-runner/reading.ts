import { STREAM_BLOCK_BYTES, STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import type { OutputReader, ProcessExit } from '../../../src/ports/runner.ts';
import type { Stored } from './worker.ts';

/** Sends the output of a worker to one reader: sizes, bytes within its window, and finally the exit. */
export class Reading {
  readonly #source: Stored;
  readonly #lives: () => boolean;
  readonly #send: (deliver: (reader: OutputReader) => void) => void;
  readonly #from: number;
  #cursor: number;
  #acked: number;
  #nextSize: number;
  #isOver = false;

  /** @param options.send calls the given function with the reader, asynchronously and in the order of the calls. */
  constructor(options: {
    source: Stored;
    lives: () => boolean;
    fromOffset: number;
    send: (deliver: (reader: OutputReader) => void) => void;
  }) {
    const { source, fromOffset } = options;
    this.#source = source;
    this.#lives = options.lives;
    this.#send = options.send;
    this.#from = Math.min(fromOffset, source.log.next);
    this.#cursor = this.#from;
    this.#acked = this.#from;
    this.#nextSize = Math.max(
      0,
      source.sizes.findLastIndex((size) => size.offset <= this.#from),
    );
  }

  ack(offset: number): void {
    if (!(offset > this.#acked)) return;
    this.#acked = Math.min(offset, this.#cursor);
    this.pump();
  }

  /** Sends as much of the stored output as fits into the window of the reader. */
  pump(): void {
    while (!this.#isOver) {
      const limit = this.#sendMarks();
      const room = STREAM_WINDOW_BYTES - (this.#cursor - this.#acked);
      if (this.#isOver || this.#cursor >= limit || room <= 0) return;
      const wanted = Math.min(limit - this.#cursor, room, STREAM_BLOCK_BYTES);
      const { offset, data } = this.#source.log.read(this.#cursor, wanted);
      if (offset > this.#cursor || data.length === 0) {
        // Bytes that the log has dropped are skipped and count as acknowledged.
        this.#cursor = Math.max(offset, this.#source.log.first);
        this.#acked = this.#cursor;
        continue;
      }
      this.#cursor += data.length;
      this.#send((reader) => {
        reader.onData({ offset, data });
        // Makes tests fail if a reader keeps the buffer instead of a copy.
        data.fill(0);
      });
    }
  }

  /**
   * Sends the changes of size up to the cursor and, after the last byte, the exit. Returns the offset up to which bytes
   * may be sent: that of the next change of size or, without one, the end of the output.
   */
  #sendMarks(): number {
    for (;;) {
      const size = this.#source.sizes[this.#nextSize];
      if (size === undefined) break;
      if (size.offset > this.#cursor) return size.offset;
      this.#nextSize += 1;
      const { cols, rows } = size;
      const offset = Math.max(size.offset, this.#from);
      this.#send((reader) => reader.onResized({ offset, cols, rows }));
    }
    const exit = this.#exit();
    if (exit !== null && this.#cursor >= exit.offset) {
      this.#isOver = true;
      this.#send((reader) => reader.onExit(exit));
    }
    return this.#source.log.next;
  }

  /**
   * The exit, or null while the process runs. If the process died together with its runner, its exit code and signal
   * are unknown.
   */
  #exit(): ProcessExit | null {
    if (this.#source.exit !== null || this.#lives()) return this.#source.exit;
    return { offset: this.#source.log.next, exitCode: null, signal: null };
  }
}
