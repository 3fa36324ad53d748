import { PAGE_INPUT_REPEAT_MS } from '@agent-console/shared/limits/dashboard';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import type { WorkerServerFrame } from '@agent-console/shared/wire';
import { ReconnectingSocket, type SocketState } from '../api/reconnecting-socket.ts';
import { Outbox } from './outbox.ts';

/** Shown output is acknowledged this often ... */
const ACK_BYTES = STREAM_WINDOW_BYTES / 8;
/** ... and this long after it became quiet, so that the console never takes a rest for a stall. */
const ACK_QUIET_MS = 200;
/** Streams with holes in a row, after which asking again is of no use. */
const HOLES_MAX = 3;

export interface Size {
  cols: number;
  rows: number;
}

export interface ConnectionEvents {
  /** Bytes in order, each once. `shown` is to be called when they are on the screen. */
  onOutput(bytes: Uint8Array, shown: () => void): void;
  /** The screen starts again with this at `offset`. */
  onSnapshot(snapshot: Size & { offset: number; data: string }): void;
  /** From the next byte on. */
  onResized(size: Size): void;
  onExit(exitCode: number | null, signal: string | null): void;
  onDriver(you: boolean): void;
  onState(state: SocketState): void;
  /** Input was accepted, kept or refused. */
  onInput(): void;
  onProblem(message: string): void;
}

/** One worker's stream: its output without hole or double over any number of connections, and what is typed to it. */
export class TerminalConnection {
  readonly #events: ConnectionEvents;
  readonly #path: string;
  readonly #outbox = new Outbox(() => crypto.randomUUID());
  #line: ReconnectingSocket<WorkerServerFrame> | undefined;
  /** Offset of the next byte to come; unknown until a snapshot says it. */
  #next: number | undefined;
  #acked = 0;
  #holes = 0;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #repeatTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** @param fromOffset where to begin reading; without it the console begins with a picture of the screen. */
  constructor(sessionId: string, workerId: string, events: ConnectionEvents, fromOffset?: number) {
    this.#events = events;
    this.#path = `/ws/session/${sessionId}/worker/${workerId}`;
    this.#next = fromOffset;
    this.#connect();
  }

  /** Offset behind the last byte that came, or undefined before the first. */
  get offset(): number | undefined {
    return this.#next;
  }

  /** Characters that are typed and not accepted. */
  get keptChars(): number {
    return this.#outbox.chars;
  }

  /** Types now, or as soon as there is a connection; false when that is more than is kept, and nothing of it is. */
  type(text: string): boolean {
    if (this.#closed || !this.#outbox.add(text)) return false;
    this.#flush();
    return true;
  }

  resize({ cols, rows }: Size): void {
    this.#line?.send({ type: 'resize', cols, rows });
  }

  takeDriver(): void {
    this.#line?.send({ type: 'takeDriver' });
  }

  retryNow(): void {
    this.#line?.retryNow();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#ackTimer);
    clearTimeout(this.#repeatTimer);
    this.#line?.close();
  }

  #connect(): void {
    this.#line = new ReconnectingSocket<WorkerServerFrame>({
      address: () => (this.#next === undefined ? this.#path : `${this.#path}?fromOffset=${this.#next}`),
      onFrame: (frame) => this.#take(frame),
      onOutput: (offset, bytes) => this.#output(offset, bytes),
      onState: (state) => {
        this.#events.onState(state);
        if (state.kind !== 'open') return;
        // The console counts what is under way per connection, from where this one begins.
        this.#acked = this.#next ?? 0;
        this.#outbox.repeat();
        this.#flush();
      },
    });
  }

  #take(frame: WorkerServerFrame): void {
    if (this.#closed) return;
    switch (frame.type) {
      case 'snapshot':
        this.#next = frame.offset;
        this.#acked = frame.offset;
        this.#events.onSnapshot(frame);
        return;
      case 'resized':
        if (this.#hasHole(frame.offset)) this.#startAgain();
        else this.#events.onResized(frame);
        return;
      case 'exited':
        if (this.#hasHole(frame.offset)) this.#startAgain();
        else this.#end(frame.exitCode, frame.signal);
        return;
      case 'driver':
        this.#events.onDriver(frame.you);
        return;
      case 'accepted':
        this.#settle(frame.inputId);
        return;
      case 'error':
        this.#refused(frame.error);
        return;
      default:
    }
  }

  #output(offset: number, bytes: Uint8Array): void {
    if (this.#closed) return;
    if (this.#hasHole(offset)) {
      this.#startAgain();
      return;
    }
    const known = (this.#next ?? offset) - offset;
    if (known >= bytes.length) return;
    const end = offset + bytes.length;
    this.#next = end;
    this.#events.onOutput(known > 0 ? bytes.subarray(known) : bytes, () => this.#shown(end));
  }

  #hasHole(offset: number): boolean {
    return this.#next === undefined || offset > this.#next;
  }

  /** Bytes are missing: only a new picture of the screen is right. */
  #startAgain(): void {
    this.#line?.close();
    this.#next = undefined;
    this.#holes += 1;
    if (this.#holes < HOLES_MAX) this.#connect();
    else this.#events.onState({ kind: 'ended', reason: 'Output is missing in this stream. Reload the page.' });
  }

  #shown(end: number): void {
    clearTimeout(this.#ackTimer);
    if (this.#closed || end <= this.#acked) return;
    if (end - this.#acked >= ACK_BYTES) this.#acknowledge(end);
    else this.#ackTimer = setTimeout(() => this.#acknowledge(end), ACK_QUIET_MS);
  }

  #acknowledge(end: number): void {
    // An acknowledgement of an earlier connection would be beyond what this one has sent.
    if (this.#next === undefined || end > this.#next || end <= this.#acked) return;
    this.#acked = end;
    this.#holes = 0;
    this.#line?.send({ type: 'ack', offset: end });
  }

  #end(exitCode: number | null, signal: string | null): void {
    const unread = this.#outbox.clear();
    this.close();
    this.#events.onExit(exitCode, signal);
    this.#events.onInput();
    if (unread > 0) this.#events.onProblem(`It ended before it took the last ${unread} characters typed.`);
  }

  #flush(): void {
    this.#outbox.flush(({ inputId, data }) => this.#line?.send({ type: 'input', data, inputId }) === true);
    if (this.#outbox.isTravelling) {
      this.#repeatTimer ??= setTimeout(() => {
        this.#repeatTimer = undefined;
        this.#outbox.repeat();
        this.#flush();
      }, PAGE_INPUT_REPEAT_MS);
    }
    this.#events.onInput();
  }

  #settle(inputId: string): void {
    this.#outbox.settle(inputId);
    clearTimeout(this.#repeatTimer);
    this.#repeatTimer = undefined;
    this.#flush();
  }

  #refused(error: { code: string; message: string; retryable: boolean; details: Record<string, unknown> }): void {
    const { inputId } = error.details;
    if (error.code === 'PERMISSION_DENIED') this.#outbox.clear();
    else if (typeof inputId === 'string' && !error.retryable) this.#outbox.settle(inputId);
    // Whoever loses the size to another viewer while asking for one is told so by a `driver` frame.
    else if (error.code === 'CONFLICT') return;
    this.#events.onInput();
    this.#events.onProblem(error.message);
  }
}
