import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import type { ProcessExit } from '../port.ts';
import { FRAME } from '../protocol.ts';
import { type Slab, takeSlab } from './slab.ts';

/**
 * Maximum bytes sent from the log in one turn of the event loop, so that a lagging reader does not delay key presses.
 */
const TURN_BYTES = 512 * 1024;

export interface Resize {
  offset: number;
  cols: number;
  rows: number;
}

/** The connection to which a reader's frames are sent. */
export interface Outlet {
  /**
   * Whether so much unsent data is buffered that no more output should be sent for now. `pump` later sends the output
   * from the log.
   */
  readonly congested: boolean;
  /** Sends `data`, a part of the buffer `slab`. The buffer is not reused until the bytes are sent. */
  sendBytes(handle: number, offset: number, data: Buffer, slab: Slab): void;
  sendFrame(type: number, handle: number, offset: number, payload: Buffer): void;
}

/** The worker whose output a reader receives. */
export interface Followed {
  /** Offset after the last byte in the log. */
  readonly offset: number;
  readonly exit: ProcessExit | null;
  /** Fills `target` from the first stored byte at or above `offset`. */
  read(offset: number, target: Buffer): { offset: number; bytes: number };
  /**
   * Returns the `n`th size change since the start of the process, or the first stored change after it, with its number.
   */
  resizeFrom(n: number): { n: number; resize: Resize } | undefined;
  /**
   * Returns the number of the size change that applies at `offset`. If that change is no longer stored, returns the
   * number of the first stored change after it.
   */
  resizeAt(offset: number): number;
}

/**
 * A reader of a worker's output, with a cursor. New bytes are sent if they start at the cursor and the window has room.
 * Otherwise the reader receives bytes from the log until it has caught up, so a slow reader delays nothing.
 */
export class Subscription {
  readonly handle: number;
  readonly #outlet: Outlet;
  readonly #source: Followed;
  readonly #onDone: () => void;
  readonly #from: number;
  #cursor: number;
  #acked: number;
  #nextResize: number;
  #turn: NodeJS.Immediate | undefined;
  #closed = false;

  /** @param onDone called once, after the exit was sent. */
  constructor(outlet: Outlet, handle: number, source: Followed, fromOffset: number, onDone: () => void) {
    this.handle = handle;
    this.#outlet = outlet;
    this.#source = source;
    this.#onDone = onDone;
    this.#from = Math.min(fromOffset, source.offset);
    this.#cursor = this.#from;
    this.#acked = this.#from;
    this.#nextResize = source.resizeAt(this.#cursor);
  }

  /**
   * Sends new bytes, which are already in the log, if the reader has received all earlier bytes and can accept more.
   * Otherwise `pump` sends them from the log.
   */
  live(offset: number, data: Buffer, slab: Slab): void {
    if (this.#closed || this.#cursor !== offset || this.#outlet.congested) return;
    if (this.#cursor + data.length - this.#acked > STREAM_WINDOW_BYTES) return;
    this.#outlet.sendBytes(this.handle, offset, data, slab);
    this.#cursor += data.length;
  }

  ack(offset: number): void {
    // Unlike `offset <= this.#acked`, this condition is true for NaN, so NaN is ignored.
    if (!(offset > this.#acked)) return;
    this.#acked = Math.min(offset, this.#cursor);
    this.pump();
  }

  /**
   * Sends output, size changes and the exit, as far as the reader's window and the socket allow. Must be called after
   * new output, after an acknowledgement and when the socket can accept more data.
   */
  pump(): void {
    let budget = TURN_BYTES;
    while (!this.#closed) {
      const limit = this.#sendResizesAndExit();
      if (this.#closed || this.#cursor >= limit || this.#outlet.congested) return;
      const room = STREAM_WINDOW_BYTES - (this.#cursor - this.#acked);
      if (room <= 0) return;
      if (budget <= 0) {
        this.#turn ??= setImmediate(() => {
          this.#turn = undefined;
          this.pump();
        });
        return;
      }
      const sent = this.#sendStored(Math.min(limit - this.#cursor, room));
      if (sent === undefined) return;
      budget -= sent;
    }
  }

  close(): void {
    this.#closed = true;
    clearImmediate(this.#turn);
  }

  /**
   * Sends the size changes whose offset the cursor has reached, and the exit if the cursor has reached the end of the
   * output. Returns the offset up to which bytes may be sent before the next size change.
   */
  #sendResizesAndExit(): number {
    for (;;) {
      const next = this.#source.resizeFrom(this.#nextResize);
      if (next === undefined) break;
      if (next.resize.offset > this.#cursor) return next.resize.offset;
      const payload = Buffer.allocUnsafe(4);
      payload.writeUInt16BE(next.resize.cols, 0);
      payload.writeUInt16BE(next.resize.rows, 2);
      // The size that applies at the start offset may have been set before it. It is sent for the start offset, because
      // the reader must receive a size before any bytes.
      const offset = Math.max(next.resize.offset, this.#from);
      this.#outlet.sendFrame(FRAME.resized, this.handle, offset, payload);
      this.#nextResize = next.n + 1;
    }
    const { exit } = this.#source;
    if (exit !== null && this.#cursor >= exit.offset) {
      const { exitCode, signal } = exit;
      this.#outlet.sendFrame(FRAME.exit, this.handle, exit.offset, Buffer.from(JSON.stringify({ exitCode, signal })));
      this.close();
      this.#onDone();
    }
    return this.#source.offset;
  }

  /**
   * Sends a block from the log and returns its length; 0 if the cursor only skipped bytes that are no longer stored,
   * undefined if nothing is stored at or after the cursor.
   */
  #sendStored(maxBytes: number): number | undefined {
    const slab = takeSlab('large');
    try {
      const target = slab.buffer.subarray(0, Math.min(slab.buffer.length, maxBytes));
      const { offset, bytes } = this.#source.read(this.#cursor, target);
      if (offset > this.#cursor) {
        // Bytes before `offset` are no longer stored and are skipped. `pump` then sends the size changes up to `offset`
        // before any further bytes.
        this.#cursor = offset;
        this.#acked = offset;
        return 0;
      }
      if (bytes === 0) return undefined;
      this.#outlet.sendBytes(this.handle, offset, target.subarray(0, bytes), slab);
      this.#cursor += bytes;
      return bytes;
    } finally {
      slab.release();
    }
  }
}
