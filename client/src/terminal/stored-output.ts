import { type Size, TerminalConnection } from './connection.ts';

/** Number of times that reading starts again after output was missed. */
const RESTARTS_MAX = 3;
const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;

export interface OutputRange {
  sessionId: string;
  workerId: string;
  from: number;
  until: number;
}

export interface StoredOutputEvents {
  /** Receives the output in order. The receiver must call `shown` when the bytes are on the screen. */
  onOutput(bytes: Uint8Array, shown: () => void): void;
  onResized(size: Size): void;
  /** Called if the output received so far must be removed from the screen, because reading starts again. */
  onRestart(size: Size): void;
  /** Called once, after all output. Not called after `onFailed`. */
  onEnd(): void;
  onFailed(reason: string): void;
}

/** Reads the part of a worker's output between two offsets from the log. */
export class StoredOutput {
  readonly #range: OutputRange;
  readonly #events: StoredOutputEvents;
  #link: TerminalConnection;
  /**
   * Whether bytes at the start of the output are still skipped. They may be the rest of a character or of an escape
   * sequence.
   */
  #searching = false;
  #beginsWithOldest = false;
  /** Whether the console has sent output or a snapshot since the reading started. */
  #hasBegun = false;
  #restarts = 0;
  #ended = false;

  constructor(range: OutputRange, events: StoredOutputEvents) {
    this.#range = range;
    this.#events = events;
    this.#link = this.#read();
  }

  /** Whether the log contains no output before the output that was read. */
  get beginsWithOldest(): boolean {
    return this.#beginsWithOldest;
  }

  close(): void {
    this.#ended = true;
    this.#link.close();
  }

  #read(): TerminalConnection {
    const { sessionId, workerId, from, until } = this.#range;
    this.#beginsWithOldest = from === 0;
    this.#searching = from > 0;
    this.#hasBegun = false;
    const link: TerminalConnection = new TerminalConnection(
      sessionId,
      workerId,
      {
        onOutput: (bytes, shown) => {
          this.#hasBegun = true;
          const end = link.offset ?? until;
          const old = end > until ? bytes.subarray(0, bytes.length - (end - until)) : bytes;
          this.#events.onOutput(this.#searching ? this.#fromBoundary(old) : old, shown);
          if (end >= until) this.#finish();
        },
        onSnapshot: (snapshot) => this.#handleSnapshot(snapshot),
        onResized: (size) => this.#events.onResized(size),
        onExit: () => this.#finish(),
        onDriver: () => {},
        onInput: () => {},
        onState: (state) => {
          if (state.kind === 'ended') this.#fail(state.reason);
        },
        onProblem: (message) => this.#fail(message),
      },
      { fromOffset: from, watch: true },
    );
    return link;
  }

  /**
   * The console sends a snapshot in two cases. At the beginning, it means that `offset` is the first offset in the log.
   * Later, it means that the log has dropped the next output, or that this reader was too slow. The snapshot then
   * replaces all output up to a recent offset, so the output that is still stored must be read again.
   */
  #handleSnapshot({ offset, cols, rows }: Size & { offset: number }): void {
    if (this.#hasBegun) {
      this.#restart({ cols, rows });
    } else if (offset >= this.#range.until) {
      this.#fail('The console no longer stores the earlier output.');
    } else {
      this.#hasBegun = true;
      this.#beginsWithOldest = true;
      this.#searching = offset > 0;
      this.#events.onRestart({ cols, rows });
    }
  }

  #restart(size: Size): void {
    if (this.#restarts === RESTARTS_MAX) {
      this.#fail('Could not load the earlier output, because new output replaced it meanwhile. Try again.');
      return;
    }
    this.#restarts += 1;
    this.#link.close();
    this.#events.onRestart(size);
    this.#link = this.#read();
  }

  #finish(): void {
    if (this.#ended) return;
    this.close();
    this.#events.onEnd();
  }

  #fail(reason: string): void {
    if (this.#ended) return;
    this.close();
    this.#events.onFailed(reason);
  }

  /**
   * Drops the bytes up to the first line feed or escape, because they may be part of a character or an escape sequence.
   */
  #fromBoundary(bytes: Uint8Array): Uint8Array {
    const at = bytes.findIndex((byte) => byte === LINE_FEED || byte === ESCAPE);
    if (at < 0) return new Uint8Array();
    this.#searching = false;
    return bytes.subarray(bytes[at] === LINE_FEED ? at + 1 : at);
  }
}
