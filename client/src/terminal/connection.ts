import { DASHBOARD_INPUT_RETRY_MS } from '@agent-console/shared/limits/dashboard';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { pluralize } from '@agent-console/shared/pluralize';
import type { WorkerServerFrame } from '@agent-console/shared/wire';
import { ReconnectingSocket, type SocketState } from '../api/reconnecting-socket.ts';
import { Outbox } from './outbox.ts';

/** Number of displayed bytes after which output is acknowledged. */
const ACK_BYTES = STREAM_WINDOW_BYTES / 8;
/**
 * After this many milliseconds without output, the viewer acknowledges even less than ACK_BYTES. Otherwise the console
 * might consider the viewer too slow and send a snapshot instead of the output.
 */
const ACK_QUIET_MS = 200;
/**
 * Number of gaps in the output after which the viewer stops reconnecting. Each acknowledgement of output resets the
 * count.
 */
const GAPS_MAX = 3;

export interface Size {
  cols: number;
  rows: number;
}

export interface ConnectionEvents {
  /** Receives all output bytes in order, each once. The receiver must call `shown` when the bytes are on the screen. */
  onOutput(bytes: Uint8Array, shown: () => void): void;
  /** Replaces the screen by this snapshot. The output that follows continues at `offset`. */
  onSnapshot(snapshot: Size & { offset: number; data: string }): void;
  /** Resizes the screen. The program wrote the output that follows for the new size. */
  onResized(size: Size): void;
  onExit(exitCode: number | null, signal: string | null): void;
  onDriver(you: boolean): void;
  onState(state: SocketState): void;
  /** Called when the number of typed characters that the console has not yet accepted may have changed. */
  onInput(): void;
  onProblem(message: string): void;
}

/**
 * Connection to the terminal of one worker. After a reconnection, output continues without gaps, and input is neither
 * lost nor repeated.
 */
export class TerminalConnection {
  readonly #events: ConnectionEvents;
  readonly #path: string;
  readonly #outbox = new Outbox(() => crypto.randomUUID());
  #socket: ReconnectingSocket<WorkerServerFrame> | undefined;
  /** Offset of the next output byte to receive; undefined while a snapshot must come first. */
  #next: number | undefined;
  #acked = 0;
  #gaps = 0;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #repeatTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #isSuspended = false;
  readonly #isWatching: boolean;

  /**
   * @param options.fromOffset offset to read from; by default the console sends a screen snapshot
   * @param options.watch whether this viewer never sets the terminal's size
   */
  constructor(
    sessionId: string,
    workerId: string,
    events: ConnectionEvents,
    { fromOffset, watch = false }: { fromOffset?: number; watch?: boolean } = {},
  ) {
    this.#events = events;
    this.#path = `/ws/session/${sessionId}/worker/${workerId}`;
    this.#next = fromOffset;
    this.#isWatching = watch;
    this.#connect();
  }

  /** Offset of the next output byte to receive; undefined while a snapshot must come first. */
  get offset(): number | undefined {
    return this.#next;
  }

  get bufferedChars(): number {
    return this.#outbox.chars;
  }

  /**
   * Sends input now, or once the connection is open. Returns false, and drops the whole input, if the buffer is full or
   * the connection was closed.
   */
  type(text: string): boolean {
    if (this.#closed || !this.#outbox.add(text)) return false;
    this.#flush();
    return true;
  }

  resize({ cols, rows }: Size): void {
    this.#socket?.send({ type: 'resize', cols, rows });
  }

  takeDriver(): void {
    this.#socket?.send({ type: 'takeDriver' });
  }

  /** Takes control of the terminal's size unless another viewer is typing. */
  takeDriverIfIdle(): void {
    this.#socket?.send({ type: 'takeDriver', whenIdle: true });
  }

  /** Closes the socket as soon as the console has accepted all input. `resume` opens it again. */
  suspend(): void {
    this.#isSuspended = true;
    this.#closeIfSuspended();
  }

  /** Reconnects after `suspend`. Output continues where it ended. */
  resume(): void {
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    if (!this.#closed && this.#socket === undefined) this.#connect({ isQuiet: true });
  }

  retryNow(): void {
    this.#socket?.retryNow();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#ackTimer);
    clearTimeout(this.#repeatTimer);
    this.#socket?.close();
  }

  #closeIfSuspended(): void {
    if (!this.#isSuspended || this.#outbox.chars > 0) return;
    clearTimeout(this.#ackTimer);
    this.#socket?.close();
    this.#socket = undefined;
  }

  #address(): string {
    const query = new URLSearchParams({
      ...(this.#next === undefined ? {} : { fromOffset: String(this.#next) }),
      ...(this.#isWatching ? { watch: '1' } : {}),
    });
    return query.size === 0 ? this.#path : `${this.#path}?${query}`;
  }

  /** @param options.isQuiet whether the first attempt to connect remains unreported, because no connection was lost */
  #connect({ isQuiet = false } = {}): void {
    let isReported = !isQuiet;
    this.#socket = new ReconnectingSocket<WorkerServerFrame>({
      path: () => this.#address(),
      onFrame: (frame) => this.#handleFrame(frame),
      onOutput: (offset, bytes) => this.#output(offset, bytes),
      onState: (state) => {
        if (isReported || state.kind !== 'connecting') this.#events.onState(state);
        isReported = true;
        if (state.kind !== 'open') return;
        // The console counts the unacknowledged bytes of a connection from the offset at which the connection starts,
        // so the viewer does the same.
        this.#acked = this.#next ?? 0;
        this.#outbox.repeat();
        this.#flush();
      },
    });
  }

  #handleFrame(frame: WorkerServerFrame): void {
    if (this.#closed) return;
    switch (frame.type) {
      case 'snapshot':
        this.#next = frame.offset;
        this.#acked = frame.offset;
        this.#events.onSnapshot(frame);
        return;
      case 'resized':
        if (this.#hasGap(frame.offset)) this.#restart();
        else this.#events.onResized(frame);
        return;
      case 'exited':
        if (this.#hasGap(frame.offset)) this.#restart();
        else this.#handleExit(frame.exitCode, frame.signal);
        return;
      case 'driver':
        this.#events.onDriver(frame.you);
        return;
      case 'accepted':
        this.#settle(frame.inputId);
        return;
      case 'error':
        this.#reject(frame.error);
        return;
      default:
    }
  }

  #output(offset: number, bytes: Uint8Array): void {
    if (this.#closed) return;
    if (this.#hasGap(offset)) {
      this.#restart();
      return;
    }
    const known = (this.#next ?? offset) - offset;
    if (known >= bytes.length) return;
    const end = offset + bytes.length;
    this.#next = end;
    this.#events.onOutput(known > 0 ? bytes.subarray(known) : bytes, () => this.#handleShown(end));
  }

  #hasGap(offset: number): boolean {
    return this.#next === undefined || offset > this.#next;
  }

  /**
   * Handles missing bytes of the output. Opens a new connection, which begins with a snapshot of the screen, or gives
   * up after GAPS_MAX gaps.
   */
  #restart(): void {
    this.#socket?.close();
    this.#next = undefined;
    this.#gaps += 1;
    if (this.#gaps < GAPS_MAX) this.#connect();
    else this.#events.onState({ kind: 'ended', reason: 'Some output is missing. Reload the page.' });
  }

  #handleShown(end: number): void {
    clearTimeout(this.#ackTimer);
    if (this.#closed || end <= this.#acked) return;
    if (end - this.#acked >= ACK_BYTES) this.#acknowledge(end);
    else this.#ackTimer = setTimeout(() => this.#acknowledge(end), ACK_QUIET_MS);
  }

  #acknowledge(end: number): void {
    // Output of the previous connection may be drawn late. The new connection must not acknowledge bytes that it has
    // not received.
    if (this.#next === undefined || end > this.#next || end <= this.#acked) return;
    this.#acked = end;
    this.#gaps = 0;
    this.#socket?.send({ type: 'ack', offset: end });
  }

  #handleExit(exitCode: number | null, signal: string | null): void {
    const unread = this.#outbox.clear();
    this.close();
    this.#events.onExit(exitCode, signal);
    this.#events.onInput();
    if (unread > 0)
      this.#events.onProblem(`The program ended before reading the last ${pluralize(unread, 'character')} typed.`);
  }

  #flush(): void {
    this.#outbox.flush(({ inputId, data }) => this.#socket?.send({ type: 'input', data, inputId }) === true);
    if (this.#outbox.isInFlight) {
      this.#repeatTimer ??= setTimeout(() => {
        this.#repeatTimer = undefined;
        this.#outbox.repeat();
        this.#flush();
      }, DASHBOARD_INPUT_RETRY_MS);
    }
    this.#events.onInput();
  }

  #settle(inputId: string): void {
    this.#outbox.settle(inputId);
    clearTimeout(this.#repeatTimer);
    this.#repeatTimer = undefined;
    this.#flush();
    this.#closeIfSuspended();
  }

  #reject(error: { code: string; message: string; retryable: boolean; details: Record<string, unknown> }): void {
    const { inputId } = error.details;
    if (error.code === 'PERMISSION_DENIED') this.#outbox.clear();
    else if (typeof inputId === 'string' && !error.retryable) this.#outbox.settle(inputId);
    // A refused resize shows no error, because a `driver` frame reports that another viewer now sets the size.
    else if (error.code === 'CONFLICT') return;
    this.#events.onInput();
    this.#events.onProblem(error.message);
    this.#closeIfSuspended();
  }
}
