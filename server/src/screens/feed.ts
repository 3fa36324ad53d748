import {
  SCREEN_FLOOD_BYTES,
  SCREEN_LAG_BYTES,
  SCREEN_LOOK_MS,
  SCREEN_RESIZES_MAX,
  SCREEN_SKIP_TO_BYTES,
  SCREEN_WINDOW_BYTES,
} from '@agent-console/shared/limits/screens';
import { STREAM_BLOCK_BYTES } from '@agent-console/shared/limits/streams';
import type { ProcessExit, Runner } from '../ports/runner.ts';
import type { OutputStreams } from '../ports/terminals.ts';

interface Resize {
  offset: number;
  cols: number;
  rows: number;
}

/** Where a feed puts what it reads; everything is done in the order of the calls. */
interface FeedSink {
  /** Output at the place reached; the buffer is given away. */
  write(data: Uint8Array<ArrayBuffer>): void;
  resize(cols: number, rows: number): void;
  /** Output up to `offset` is left out, and the terminal begins anew in what comes before `until`. */
  skip(offset: number, until: number): void;
}

export interface FeedOptions {
  runner: Pick<Runner, 'read'>;
  streams: Pick<OutputStreams, 'follow'>;
  workerId: string;
  offset: number;
  /** Newest offset of the log. */
  tail: number;
  sink: FeedSink;
  /** Nothing more will be written, and `wrote` covers it. */
  onEnd(): void;
  onFailed(error: unknown): void;
}

/**
 * A worker's output on its way to its screen, in order, with resizes at exactly their place. At most a window of it is
 * on its way at once; what comes meanwhile is read from the log later. In a flood it rests, for nobody could read what it
 * would show, and the flood's readers need the processor; of a flood it takes the end, or what is asked for.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #following: { close(): void };
  #sent: number;
  #wrote: number;
  /** Newest offset of the log. */
  #tail: number;
  /** Offset up to which resizes are known, so that it can be read. */
  #known: number;
  #resizes: Resize[] = [];
  #exit: ProcessExit | undefined;
  #reading = false;
  #closed = false;
  /** Runs while output comes; `from` is where the log ended at the last look. */
  #look: { from: number; timer: NodeJS.Timeout } | undefined;
  #isFlood = false;
  #ended = false;
  /** Nothing more will come. */
  #failed = false;
  #waiting: { offset: number; resolve(): void }[] = [];

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#sent = options.offset;
    this.#wrote = options.offset;
    this.#tail = options.tail;
    this.#known = options.offset;
    this.#following = options.streams.follow(options.workerId, options.offset, {
      onData: (offset, data) => this.#take(offset, data),
      onResized: (resize) => this.#resize(resize),
      onExit: (exit) => {
        this.#exit = exit;
        this.#stopLooking();
        this.#known = Math.max(this.#known, exit.offset);
        this.#tail = Math.max(this.#tail, this.#known);
        this.#pump();
      },
      onFailed: (error) => {
        this.#failed = true;
        this.#fail(error);
      },
    });
    this.#pump();
  }

  /** Offset up to which the screen has everything it will get. */
  get reached(): number {
    return this.#wrote;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The screen has taken in `bytes` more. */
  wrote(bytes: number): void {
    this.#wrote += bytes;
    this.#waiting = this.#waiting.filter(({ offset, resolve }) => {
      if (offset > this.#wrote) return true;
      resolve();
      return false;
    });
    this.#pump();
  }

  /**
   * Resolves when the screen has what is in the log now, which ends at `logged` or further; ends its rest, and skips ahead
   * where it is far behind.
   */
  caughtUp(logged: number): Promise<void> {
    const offset = Math.max(this.#tail, logged);
    if (this.#wrote >= offset || this.#closed || this.#failed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ offset, resolve });
      this.#pump();
    });
  }

  close(): void {
    this.#closed = true;
    this.#stopLooking();
    this.#following.close();
    this.#letGo();
  }

  /** Whoever waits is answered with what there is. */
  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#letGo();
    this.#options.onFailed(error);
  }

  #letGo(): void {
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  #take(offset: number, data: Buffer): void {
    if (this.#closed) return;
    const end = offset + data.length;
    this.#known = end;
    this.#tail = Math.max(this.#tail, end);
    this.#lookAt(offset, end);
    const isNext = offset === this.#sent && !this.#reading && this.#resizes.length === 0;
    if (isNext && !this.#rests && this.#room() >= data.length) {
      this.#send(new Uint8Array(data));
    } else {
      this.#pump();
    }
  }

  get #rests(): boolean {
    return this.#isFlood && this.#waiting.length === 0;
  }

  /** The log has grown: more than a bound between two looks is a flood, which ends with a look that finds less. */
  #lookAt(from: number, end: number): void {
    if (this.#exit !== undefined) return;
    this.#look ??= { from, timer: setInterval(() => this.#lookAgain(), SCREEN_LOOK_MS).unref() };
    if (end - this.#look.from > SCREEN_FLOOD_BYTES) this.#isFlood = true;
  }

  #lookAgain(): void {
    if (this.#look === undefined) return;
    const grown = this.#known - this.#look.from;
    this.#look.from = this.#known;
    if (grown > SCREEN_FLOOD_BYTES) return;
    this.#isFlood = false;
    if (grown === 0) this.#stopLooking();
    this.#pump();
  }

  #stopLooking(): void {
    clearInterval(this.#look?.timer);
    this.#look = undefined;
    this.#isFlood = false;
  }

  #resize(resize: Resize): void {
    this.#resizes.push(resize);
    if (this.#resizes.length > SCREEN_RESIZES_MAX) this.#resizes.shift();
    this.#pump();
  }

  #room(): number {
    return SCREEN_WINDOW_BYTES - (this.#sent - this.#wrote);
  }

  #send(data: Uint8Array<ArrayBuffer>): void {
    this.#sent += data.length;
    this.#options.sink.write(data);
  }

  #tellResizes(): void {
    let next = this.#resizes[0];
    while (next !== undefined && next.offset <= this.#sent) {
      this.#options.sink.resize(next.cols, next.rows);
      this.#resizes.shift();
      next = this.#resizes[0];
    }
  }

  #pump(): void {
    if (this.#closed || this.#reading) return;
    this.#tellResizes();
    const behind = this.#known - this.#sent;
    if (behind > 0) {
      if (this.#rests) return;
      if (behind > SCREEN_LAG_BYTES) this.#skipTo(this.#known - SCREEN_SKIP_TO_BYTES);
      if (this.#room() >= STREAM_BLOCK_BYTES || this.#sent === this.#wrote) void this.#read();
    } else if (this.#exit !== undefined && this.#wrote >= this.#exit.offset && !this.#ended) {
      this.#ended = true;
      this.#options.onEnd();
    }
  }

  #skipTo(offset: number): void {
    this.#wrote += offset - this.#sent;
    this.#sent = offset;
    this.#tellResizes();
    this.#options.sink.skip(offset, Math.min(this.#known, offset + SCREEN_SKIP_TO_BYTES));
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      const from = this.#sent;
      const limit = Math.min(this.#known, this.#resizes[0]?.offset ?? this.#known);
      const wanted = Math.min(limit - from, STREAM_BLOCK_BYTES);
      const { runner, workerId } = this.#options;
      const chunk = await runner.read(workerId, from, wanted);
      if (this.#closed) return;
      // Dropped by the log's cap, or not there at all.
      if (chunk.offset > from) this.#skipTo(chunk.offset);
      else if (chunk.data.length > 0) this.#send(new Uint8Array(chunk.data));
      else this.#known = from;
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#reading = false;
    }
    this.#pump();
  }
}
