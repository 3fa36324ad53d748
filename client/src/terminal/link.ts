import { INPUT_MAX_BYTES, STREAM_WINDOW_BYTES } from '@agent-console/shared/limits';
import type { WorkerServerFrame } from '@agent-console/shared/wire';
import { call } from '../api.ts';
import { Line, type LineState } from '../line.ts';

/** Output shown again when a terminal is opened; about a thousand full lines. */
const HISTORY_BYTES = 256 * 1024;
/** Shown output is acknowledged this often. */
const ACK_BYTES = STREAM_WINDOW_BYTES / 8;
/** A character has at most this many bytes in UTF-8, and pasted text is cut below the limit of one input. */
const PASTE_CHARS = INPUT_MAX_BYTES / 4;

export interface LinkEvents {
  /** Bytes in order. `shown` is called once they are on the screen. */
  onOutput(bytes: Uint8Array, shown: () => void): void;
  /** The screen starts again. */
  onRestart(size: { cols: number; rows: number }, data: string): void;
  onResized(size: { cols: number; rows: number }): void;
  onExit(exitCode: number | null, signal: string | null): void;
  onDriver(you: boolean): void;
  onState(state: LineState): void;
  onProblem(message: string): void;
}

/** One terminal over its WebSocket: where it is, so that after a break it goes on at exactly the next byte. */
export class TerminalLink {
  readonly #events: LinkEvents;
  readonly #address: string;
  #line: Line<WorkerServerFrame> | undefined;
  #next: number | undefined;
  #acked = 0;
  /** Set until the first place in old output from which it can be read. */
  #searching = false;
  #closed = false;

  constructor(sessionId: string, workerId: string, events: LinkEvents) {
    this.#events = events;
    this.#address = `/ws/session/${sessionId}/worker/${workerId}`;
    void this.#begin(workerId);
  }

  /** Types; false when there is no connection. */
  type(text: string): boolean {
    for (let at = 0; at < text.length; at += PASTE_CHARS) {
      const data = text.slice(at, at + PASTE_CHARS);
      if (this.#line?.send({ type: 'input', data, inputId: crypto.randomUUID() }) !== true) return false;
    }
    return true;
  }

  resize(cols: number, rows: number): void {
    this.#line?.send({ type: 'resize', cols, rows });
  }

  takeDriver(): void {
    this.#line?.send({ type: 'takeDriver' });
  }

  close(): void {
    this.#closed = true;
    this.#line?.close();
  }

  /** Asks where the output ends, to begin a little before. */
  async #begin(workerId: string): Promise<void> {
    try {
      const { nextOffset } = await call({
        operation: 'workers.output',
        method: 'GET',
        path: `/workers/${workerId}/output?format=base64&maxBytes=64`,
      });
      this.#next = Math.max(0, nextOffset - HISTORY_BYTES);
      this.#searching = this.#next > 0;
    } catch {
      // Without history, then: the connection itself says what is wrong.
    }
    if (this.#closed) return;
    this.#acked = this.#next ?? 0;
    this.#line = new Line<WorkerServerFrame>({
      address: () => (this.#next === undefined ? this.#address : `${this.#address}?fromOffset=${this.#next}`),
      onFrame: (frame) => this.#take(frame),
      onOutput: (offset, bytes) => this.#output(offset, bytes),
      onState: (state) => {
        // The console counts what is under way per connection, from where this one begins.
        if (state.kind === 'open') this.#acked = this.#next ?? 0;
        this.#events.onState(state);
      },
    });
  }

  #take(frame: WorkerServerFrame): void {
    switch (frame.type) {
      case 'snapshot':
        this.#next = frame.offset;
        this.#acked = frame.offset;
        this.#searching = false;
        this.#events.onRestart(frame, frame.data);
        return;
      case 'resized':
        this.#events.onResized(frame);
        return;
      case 'exited':
        this.#events.onExit(frame.exitCode, frame.signal);
        return;
      case 'driver':
        this.#events.onDriver(frame.you);
        return;
      case 'error':
        this.#events.onProblem(frame.error.message);
        return;
      default:
    }
  }

  #output(offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length;
    this.#next = end;
    const readable = this.#searching ? this.#fromBoundary(bytes) : bytes;
    this.#events.onOutput(readable, () => {
      if (end - this.#acked < ACK_BYTES) return;
      this.#acked = end;
      this.#line?.send({ type: 'ack', offset: end });
    });
  }

  /** Old output may begin inside a character or a sequence: passes over it up to the first line or escape. */
  #fromBoundary(bytes: Uint8Array): Uint8Array {
    const at = bytes.findIndex((byte) => byte === 0x0a || byte === 0x1b);
    if (at < 0) return new Uint8Array();
    this.#searching = false;
    return bytes.subarray(bytes[at] === 0x0a ? at + 1 : at);
  }
}
