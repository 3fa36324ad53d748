import {
  SCREEN_FLOOD_BYTES,
  SCREEN_FLOOD_CHECK_MS,
  SCREEN_LAG_BYTES,
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

/** Receiver of a feed's output. Calls are processed in order. */
interface FeedSink {
  /** Writes the next output. The buffer is transferred to the terminal's thread and cannot be used afterwards. */
  write(data: Uint8Array<ArrayBuffer>): void;
  resize(cols: number, rows: number): void;
  /**
   * Skips the output before `offset`. The terminal continues to draw at the best point before `until`, for example
   * where the screen is cleared.
   */
  skip(offset: number, until: number): void;
}

export interface FeedOptions {
  runner: Pick<Runner, 'read'>;
  streams: Pick<OutputStreams, 'follow'>;
  workerId: string;
  offset: number;
  /** Offset of the end of the log, as far as known. */
  tail: number;
  sink: FeedSink;
  /** Called when all output was written and confirmed by `wrote`. */
  onEnd(): void;
  onFailed(error: unknown): void;
}

/**
 * Sends a worker's output to its screen, in order, with resizes at their exact offsets. At most SCREEN_WINDOW_BYTES are
 * unconfirmed at a time. During a flood, which no person can read, the feed pauses and leaves time for other readers.
 * Afterwards, or when the screen is requested, a feed that is far behind skips most of the missed output.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #following: { close(): void };
  #sent: number;
  #wrote: number;
  /** Offset of the end of the log, as far as known. */
  #tail: number;
  /**
   * Offset up to which all resizes are known. Output beyond it is not read yet, because a resize may come before that
   * output.
   */
  #knownTo: number;
  #resizes: Resize[] = [];
  #exit: ProcessExit | undefined;
  #reading = false;
  #closed = false;
  /** Samples the output rate while output arrives. `from` is the end of the log at the last sample. */
  #sampler: { from: number; timer: NodeJS.Timeout } | undefined;
  #isFlood = false;
  #ended = false;
  #failed = false;
  #waiting: { offset: number; resolve(): void }[] = [];

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#sent = options.offset;
    this.#wrote = options.offset;
    this.#tail = options.tail;
    this.#knownTo = options.offset;
    this.#following = options.streams.follow(options.workerId, options.offset, {
      onData: (offset, data) => this.#receive(offset, data),
      onResized: (resize) => this.#resize(resize),
      onExit: (exit) => {
        this.#exit = exit;
        this.#stopSampling();
        this.#knownTo = Math.max(this.#knownTo, exit.offset);
        this.#tail = Math.max(this.#tail, this.#knownTo);
        this.#pump();
      },
      onFailed: (error) => {
        this.#failed = true;
        this.#fail(error);
      },
    });
    this.#pump();
  }

  /** Offset up to which the screen is drawn. */
  get reached(): number {
    return this.#wrote;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Confirms that the screen has drawn another `bytes` bytes. */
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
   * Resolves when the screen shows the output up to the end of the log or up to `logged`, whichever is later, or when
   * the feed is closed or has failed. If the feed is paused because of a flood, it continues, and may skip output.
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
    this.#stopSampling();
    this.#following.close();
    this.#releaseWaiting();
  }

  /**
   * Reports an error to `onFailed`. Pending calls of `caughtUp` resolve, and their callers use the screen as it is
   * drawn so far.
   */
  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#releaseWaiting();
    this.#options.onFailed(error);
  }

  #releaseWaiting(): void {
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  #receive(offset: number, data: Buffer): void {
    if (this.#closed) return;
    const end = offset + data.length;
    this.#knownTo = end;
    this.#tail = Math.max(this.#tail, end);
    this.#sample(offset, end);
    const isNext = offset === this.#sent && !this.#reading && this.#resizes.length === 0;
    if (isNext && !this.#isPaused && this.#room() >= data.length) {
      this.#send(new Uint8Array(data));
    } else {
      this.#pump();
    }
  }

  get #isPaused(): boolean {
    return this.#isFlood && this.#waiting.length === 0;
  }

  /**
   * Detects floods. A flood begins if more than SCREEN_FLOOD_BYTES arrive between two samples, and ends at the first
   * sample with less.
   */
  #sample(from: number, end: number): void {
    if (this.#exit !== undefined) return;
    this.#sampler ??= { from, timer: setInterval(() => this.#resample(), SCREEN_FLOOD_CHECK_MS).unref() };
    if (end - this.#sampler.from > SCREEN_FLOOD_BYTES) this.#isFlood = true;
  }

  #resample(): void {
    if (this.#sampler === undefined) return;
    const grown = this.#knownTo - this.#sampler.from;
    this.#sampler.from = this.#knownTo;
    if (grown > SCREEN_FLOOD_BYTES) return;
    this.#isFlood = false;
    if (grown === 0) this.#stopSampling();
    this.#pump();
  }

  #stopSampling(): void {
    clearInterval(this.#sampler?.timer);
    this.#sampler = undefined;
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

  #applyResizes(): void {
    let next = this.#resizes[0];
    while (next !== undefined && next.offset <= this.#sent) {
      this.#options.sink.resize(next.cols, next.rows);
      this.#resizes.shift();
      next = this.#resizes[0];
    }
  }

  #pump(): void {
    if (this.#closed || this.#reading) return;
    this.#applyResizes();
    const behind = this.#knownTo - this.#sent;
    if (behind > 0) {
      if (this.#isPaused) return;
      if (behind > SCREEN_LAG_BYTES) this.#skipTo(this.#knownTo - SCREEN_SKIP_TO_BYTES);
      if (this.#room() >= STREAM_BLOCK_BYTES || this.#sent === this.#wrote) void this.#read();
    } else if (this.#exit !== undefined && this.#wrote >= this.#exit.offset && !this.#ended) {
      this.#ended = true;
      this.#options.onEnd();
    }
  }

  #skipTo(offset: number): void {
    this.#wrote += offset - this.#sent;
    this.#sent = offset;
    this.#applyResizes();
    this.#options.sink.skip(offset, Math.min(this.#knownTo, offset + SCREEN_SKIP_TO_BYTES));
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      const from = this.#sent;
      const limit = Math.min(this.#knownTo, this.#resizes[0]?.offset ?? this.#knownTo);
      const wanted = Math.min(limit - from, STREAM_BLOCK_BYTES);
      const { runner, workerId } = this.#options;
      const chunk = await runner.read(workerId, from, wanted);
      if (this.#closed) return;
      // If the runner returns a later offset than requested, the output before that offset was dropped because of the
      // log's size limit, or was never written.
      if (chunk.offset > from) this.#skipTo(chunk.offset);
      else if (chunk.data.length > 0) this.#send(new Uint8Array(chunk.data));
      else this.#knownTo = from;
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#reading = false;
    }
    this.#pump();
  }
}
