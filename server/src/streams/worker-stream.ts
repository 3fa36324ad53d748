import { ConsoleError } from '@agent-console/shared/errors';
import { RESIZES_KEPT } from '@agent-console/shared/limits/streams';
import type { OutputSubscription, ProcessExit, Runner } from '../ports/runner.ts';
import type { OutputViewer } from '../ports/terminals.ts';
import { Cursor, type CursorSource, type ReaderBounds, type Resize, type Snapshot } from './cursor.ts';

/** Size of a terminal whose actual size is no longer known. */
const UNKNOWN_SIZE = { cols: 80, rows: 24 };

export interface WorkerStreamParts {
  runner: Runner;
  workerId: string;
  snapshotOf(workerId: string, tail: Resize): Promise<Snapshot>;
  /** Resolves when the worker is no longer starting: its process was started, or its start has failed. */
  startSettled(workerId: string): Promise<void>;
  now(): number;
  /** Called when the last reader of the output was removed. */
  onEmpty(): void;
}

/**
 * The output of a worker, with one runner subscription for all its readers. A reader that is behind reads from the log.
 * Only the subscription, not the log, contains resizes. If a reader starts before the subscription's first offset, the
 * subscription restarts at the reader's offset. The other readers skip what they already have.
 */
export class WorkerStream implements CursorSource {
  readonly #parts: WorkerStreamParts;
  /** Viewers come before followers, so that people see output before the server's own readers process it. */
  #cursors: ReadonlySet<Cursor> = new Set();
  #opened: Promise<void> | undefined;
  #subscription: OutputSubscription | undefined;
  #generation = 0;
  #subscribedFrom = Number.POSITIVE_INFINITY;
  #firstStored = 0;
  #edge = 0;
  readonly #tail: Resize = { offset: 0, ...UNKNOWN_SIZE };
  #resizes: Resize[] = [];
  /** Number of the first retained resize, counted since the stream began. */
  #resizesFrom = 0;
  #exit: ProcessExit | undefined;
  /** Whether the worker is known to have left the state `starting`. */
  #isStartSettled = false;
  #isRunnerGone = false;

  constructor(parts: WorkerStreamParts) {
    this.#parts = parts;
  }

  get edge(): number {
    return this.#edge;
  }

  /** Latest known size of the log in bytes. */
  get tail(): number {
    return this.#tail.offset;
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  now(): number {
    return this.#parts.now();
  }

  /**
   * Adds a reader at `fromOffset`. If the offset is undefined or beyond the end of the log, the reader starts with a
   * snapshot.
   */
  attach(fromOffset: number | undefined, sink: OutputViewer, bounds: ReaderBounds): Cursor {
    const cursor = new Cursor(this, sink, bounds, () => {
      this.#cursors = new Set([...this.#cursors].filter((each) => each !== cursor));
      if (this.#cursors.size === 0) this.#close();
    });
    this.#cursors = new Set(bounds.readsAll ? [...this.#cursors, cursor] : [cursor, ...this.#cursors]);
    void this.#startReader(cursor, fromOffset);
    return cursor;
  }

  /** Called when the runner has ended. Readers get the stored output, then an exit without code or signal. */
  async runnerGone(): Promise<void> {
    if (this.#isRunnerGone) return;
    this.#isRunnerGone = true;
    try {
      await this.#opened?.catch(() => undefined);
      const { next } = await this.#parts.runner.extent(this.#parts.workerId);
      this.#edge = Math.max(this.#edge, next);
      this.#advanceTail();
      this.#exit ??= { offset: this.#edge, exitCode: null, signal: null };
      for (const cursor of [...this.#cursors]) cursor.pump();
    } catch (error) {
      this.#failAll(error);
    }
  }

  resizeFrom(n: number): { n: number; resize: Resize } | undefined {
    const at = Math.max(n, this.#resizesFrom);
    const resize = this.#resizes[at - this.#resizesFrom];
    return resize === undefined ? undefined : { n: at, resize };
  }

  get size(): { cols: number; rows: number } {
    return this.#tail;
  }

  sizeAt(offset: number): { cols: number; rows: number } | undefined {
    const resize = this.#resizes.findLast((each) => each.offset <= offset);
    return resize === undefined ? undefined : { cols: resize.cols, rows: resize.rows };
  }

  read(offset: number, target: Buffer): Promise<{ offset: number; data: Buffer }> {
    return this.#parts.runner.readInto(this.#parts.workerId, offset, target);
  }

  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.#parts.snapshotOf(this.#parts.workerId, { ...this.#tail });
    this.#extendSubscriptionTo(snapshot.offset);
    return snapshot;
  }

  async #startReader(cursor: Cursor, fromOffset: number | undefined): Promise<void> {
    try {
      this.#opened ??= this.#open(fromOffset);
      await this.#opened;
      if (cursor.ended) return;
      if (fromOffset === undefined || fromOffset > this.tail) {
        await cursor.restart();
        return;
      }
      this.#extendSubscriptionTo(Math.max(fromOffset, this.#firstStored));
      cursor.begin(fromOffset);
    } catch (error) {
      cursor.fail(error);
    }
  }

  async #open(fromOffset: number | undefined): Promise<void> {
    const { runner, workerId } = this.#parts;
    const [extent, known] = await Promise.all([runner.extent(workerId), this.#isRunnerGone ? [] : runner.list()]);
    const info = known.find((process) => process.workerId === workerId);
    const offset = Math.max(extent.next, info?.logOffset ?? 0);
    this.#firstStored = extent.first;
    Object.assign(this.#tail, { offset, cols: info?.cols ?? UNKNOWN_SIZE.cols, rows: info?.rows ?? UNKNOWN_SIZE.rows });
    if (this.#cursors.size === 0) return;
    this.#subscribe(fromOffset === undefined ? offset : Math.min(Math.max(fromOffset, extent.first), offset));
  }

  #extendSubscriptionTo(offset: number): void {
    if (offset < this.#subscribedFrom && this.#subscription !== undefined) this.#subscribe(offset);
  }

  #subscribe(offset: number): void {
    const generation = ++this.#generation;
    const wasStartSettled = this.#isStartSettled;
    const ifCurrent =
      <Event>(handle: (event: Event) => void) =>
      (event: Event) => {
        if (generation === this.#generation) handle(event);
      };
    this.#subscription?.close();
    this.#subscribedFrom = offset;
    this.#edge = offset;
    this.#resizesFrom += this.#resizes.length;
    this.#resizes = [];
    for (const cursor of this.#cursors) cursor.rebase(this.#resizesFrom);
    this.#subscription = this.#parts.runner.subscribe(this.#parts.workerId, offset, {
      onData: ifCurrent(({ offset, data }) => this.#receive(offset, data)),
      onResized: ifCurrent((resize) => this.#resize(resize)),
      onExit: ifCurrent((exit) => {
        const isUnknown = exit.exitCode === null && exit.signal === null;
        if (isUnknown && !wasStartSettled) void this.#checkUnknownEnd();
        else this.#end(exit);
      }),
      onFailed: ifCurrent((error) => this.#failAll(error)),
    });
  }

  #receive(offset: number, data: Buffer): void {
    this.#edge = offset + data.length;
    this.#advanceTail();
    for (const cursor of this.#cursors) cursor.live(offset, data);
    // The output is acknowledged even if a reader's window is full, so that the runner never waits for readers. That
    // reader gets the bytes from the log later.
    this.#subscription?.ack(this.#edge);
  }

  #resize(resize: Resize): void {
    this.#resizes.push({ offset: resize.offset, cols: resize.cols, rows: resize.rows });
    if (this.#resizes.length > RESIZES_KEPT) {
      this.#resizes.shift();
      this.#resizesFrom += 1;
    }
    if (resize.offset >= this.#tail.offset) {
      this.#tail.cols = resize.cols;
      this.#tail.rows = resize.rows;
    }
    for (const cursor of [...this.#cursors]) cursor.pump();
  }

  /**
   * Called when the runner has no process for the worker. The worker may still be starting. So this function waits
   * until the worker is no longer starting, and subscribes again.
   */
  async #checkUnknownEnd(): Promise<void> {
    const generation = this.#generation;
    try {
      await this.#parts.startSettled(this.#parts.workerId);
      this.#isStartSettled = true;
      if (generation === this.#generation && !this.#isRunnerGone) this.#subscribe(this.#subscribedFrom);
    } catch (error) {
      if (generation === this.#generation) this.#failAll(error);
    }
  }

  #end(exit: ProcessExit): void {
    this.#exit ??= exit;
    this.#edge = Math.max(this.#edge, this.#exit.offset);
    this.#advanceTail();
    for (const cursor of [...this.#cursors]) cursor.pump();
  }

  #advanceTail(): void {
    if (this.#edge > this.#tail.offset) this.#tail.offset = this.#edge;
  }

  #failAll(error: unknown): void {
    const message = 'The runner has ended, and the stored output cannot be read. Try again.';
    const failure = error instanceof ConsoleError ? error : new ConsoleError('RUNNER_UNAVAILABLE', message);
    for (const cursor of [...this.#cursors]) cursor.fail(failure);
  }

  #close(): void {
    this.#generation += 1;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#parts.onEmpty();
  }
}
