import type { ProcessExit } from '../ports/runner.ts';
import type { OutputViewer } from '../ports/terminals.ts';

interface Size {
  cols: number;
  rows: number;
}

/** A size change and its log offset. */
export interface Resize extends Size {
  offset: number;
}

export interface Snapshot extends Resize {
  data: string;
}

/** Limits of one reader, in bytes and milliseconds. */
export interface ReaderBounds {
  /**
   * Whether the reader gets all stored output, however far it is behind. If not, a snapshot replaces the missed output.
   */
  readsAll: boolean;
  /** Maximum unacknowledged bytes. Infinite for a reader that sends no acknowledgements. */
  windowBytes: number;
  /**
   * A reader that is more than `lagBytes` behind, and acknowledges nothing for `silentMs`, restarts from a screen
   * snapshot.
   */
  lagBytes: number;
  silentMs: number;
  /** Size in bytes of the buffer for one read from the log. */
  blockBytes: number;
}

/** The output that a cursor reads. */
export interface CursorSource {
  /** Offset up to which the source has received the output and its resizes. */
  readonly edge: number;
  readonly exit: ProcessExit | undefined;
  /**
   * Returns the `n`th resize since the stream began, or the first retained resize after it, with its number. Returns
   * undefined if there is no such resize yet.
   */
  resizeFrom(n: number): { n: number; resize: Resize } | undefined;
  /** Returns the terminal size at `offset`, or undefined if it is not known yet. */
  sizeAt(offset: number): Size | undefined;
  readonly size: Size;
  /** Reads stored bytes from `offset` on into `target`. A read may return fewer bytes than fit. */
  read(offset: number, target: Buffer): Promise<{ offset: number; data: Buffer }>;
  /** Returns a recent screen snapshot, with which a reader starts, or starts again if it is too far behind. */
  snapshot(): Promise<Snapshot>;
  now(): number;
}

/**
 * Maximum number of read buffers that are kept for reuse. A reader that is behind uses one buffer, and more than eight
 * readers are rarely behind at the same time.
 */
const FREE_MAX = 8;

const free: Buffer[] = [];

/**
 * Returns a buffer for stored output. Without reuse of buffers, garbage from a flood of output would accumulate for
 * seconds.
 */
function takeBlock(bytes: number): Buffer {
  const block = free.pop();
  return block?.length === bytes ? block : Buffer.allocUnsafeSlow(bytes);
}

/** Makes a buffer from `takeBlock` available for reuse. The caller must not use the buffer afterwards. */
function releaseBlock(block: Buffer): void {
  if (free.length < FREE_MAX) free.push(block);
}

/**
 * A reader's position in a worker's output. New bytes are delivered directly if they start at the cursor and fit into
 * the reader's window. Otherwise the cursor reads from the log until it has caught up, so a slow reader does not delay
 * other readers.
 */
export class Cursor {
  readonly #source: CursorSource;
  readonly #sink: OutputViewer;
  readonly #bounds: ReaderBounds;
  readonly #onEnd: () => void;
  #offset = 0;
  #acked = 0;
  #nextResize = 0;
  /** Resizes before this offset are skipped, because the reader already knows them. */
  #resizesFrom = 0;
  /** The size last reported to the reader. */
  #size: Size | undefined;
  /** Whether the reader must still be told its first size, which may not be known yet. */
  #mustReportSize = false;
  /**
   * Time of the latest acknowledgement, or of the first delivery after all bytes were acknowledged. Undefined while all
   * bytes are acknowledged.
   */
  #waitingSince: number | undefined;
  #state: 'starting' | 'running' | 'ended' = 'starting';
  #delivered = false;
  #reading = false;
  #full = false;

  /** @param onEnd called once, when the reader was closed, failed or received the exit. */
  constructor(source: CursorSource, sink: OutputViewer, bounds: ReaderBounds, onEnd: () => void) {
    this.#source = source;
    this.#sink = sink;
    this.#bounds = bounds;
    this.#onEnd = onEnd;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /**
   * Starts at `offset` with stored output. The size is reported first, because the reader gets no snapshot, which would
   * contain the size.
   */
  begin(offset: number): void {
    if (this.ended) return;
    this.#moveTo(offset);
    this.#mustReportSize = true;
    this.pump();
  }

  /**
   * Sends the reader a screen snapshot and continues from there. Used when the reader starts, and when it is too far
   * behind.
   */
  async restart(): Promise<void> {
    if (this.ended) return;
    this.#state = 'starting';
    try {
      const snapshot = await this.#source.snapshot();
      if (this.ended) return;
      this.#showSnapshot(snapshot);
      this.pump();
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Must be called when the source begins a new list of resizes, because its stream was restarted. `nextResize` is the
   * number of the first resize in the new list. Resizes before the reader's position are not reported again.
   */
  rebase(nextResize: number): void {
    this.#nextResize = nextResize;
    this.#resizesFrom = this.#offset;
  }

  /**
   * Delivers bytes that the worker has just printed, if they continue at the cursor and fit into the window. Otherwise
   * `pump` reads them from the log.
   */
  live(offset: number, data: Buffer): void {
    const end = offset + data.length;
    const fits = offset <= this.#offset && end > this.#offset && !this.#mustReportSize;
    if (this.#state === 'running' && !this.#reading && !this.#full && fits) {
      if (end - this.#acked <= this.#bounds.windowBytes) {
        this.#guarded(() => this.#deliver(offset === this.#offset ? data : data.subarray(this.#offset - offset)));
        return;
      }
    }
    this.pump();
  }

  acked(offset: number): void {
    if (this.#state !== 'running') return;
    if (this.#hasFallenBehind()) {
      void this.restart();
      return;
    }
    if (offset > this.#acked) {
      this.#acked = Math.min(offset, this.#offset);
      this.#waitingSince = this.#acked < this.#offset ? this.#source.now() : undefined;
    }
    this.#full = false;
    this.pump();
  }

  drained(): void {
    this.#full = false;
    this.pump();
  }

  /**
   * Delivers the bytes, resizes and exit that the reader may receive now. Called after every change that may allow more
   * to be delivered.
   */
  pump(): void {
    if (this.#state !== 'running' || this.#reading) return;
    this.#guarded(() => {
      if (this.#reportAndGetRoom() > 0) void this.#readStored();
    });
  }

  close(): void {
    if (this.ended) return;
    this.#state = 'ended';
    this.#onEnd();
  }

  fail(error: unknown): void {
    if (this.ended) return;
    this.close();
    this.#sink.onFailed(error);
  }

  /**
   * Reports the resizes up to the cursor, and the exit if the cursor has reached it. Returns how many bytes may be
   * delivered now.
   */
  #reportAndGetRoom(): number {
    const limit = this.#reportResizesAndExit();
    if (this.ended || this.#full) return 0;
    return Math.min(this.#acked + this.#bounds.windowBytes, limit) - this.#offset;
  }

  #reportResizesAndExit(): number {
    const { edge, exit } = this.#source;
    if (this.#mustReportSize) {
      if (!this.#knowsSizeAtCursor()) return this.#offset;
      this.#reportSizeAtCursor();
    }
    for (;;) {
      const next = this.#source.resizeFrom(this.#nextResize);
      if (next === undefined) break;
      if (next.resize.offset > this.#offset) return Math.min(next.resize.offset, edge);
      this.#nextResize = next.n + 1;
      if (next.resize.offset >= this.#resizesFrom) this.#reportSize(next.resize);
    }
    if (exit !== undefined && this.#offset >= exit.offset && !this.ended) {
      this.close();
      this.#sink.onExit(exit);
    }
    return edge;
  }

  /**
   * Whether the size at the cursor is known. A restarted stream first repeats output before the cursor. Until the
   * stream reaches the cursor, its latest size may belong to an earlier offset.
   */
  #knowsSizeAtCursor(): boolean {
    const { edge, exit } = this.#source;
    if (edge > this.#offset || exit !== undefined) return true;
    return edge === this.#offset && this.#source.sizeAt(this.#offset) !== undefined;
  }

  #reportSizeAtCursor(): void {
    const offset = this.#offset;
    const { cols, rows } = this.#source.sizeAt(offset) ?? this.#source.size;
    for (let next = this.#source.resizeFrom(this.#nextResize); next !== undefined && next.resize.offset <= offset; ) {
      this.#nextResize = next.n + 1;
      next = this.#source.resizeFrom(this.#nextResize);
    }
    this.#mustReportSize = false;
    this.#reportSize({ offset, cols, rows });
  }

  /**
   * Reports a size unless it equals the last reported size, because a stream that restarts repeats the current size.
   */
  #reportSize(resize: Resize): void {
    const { cols, rows } = resize;
    if (this.#size?.cols === cols && this.#size.rows === rows) return;
    this.#size = { cols, rows };
    this.#sink.onResized(resize);
  }

  async #readStored(): Promise<void> {
    this.#reading = true;
    const block = takeBlock(this.#bounds.blockBytes);
    try {
      for (;;) {
        const room = this.#state === 'running' ? this.#reportAndGetRoom() : 0;
        if (room <= 0) return;
        const offset = this.#offset;
        const chunk = await this.#source.read(offset, block.subarray(0, Math.min(room, block.length)));
        if (this.#state !== 'running' || this.#offset !== offset) continue;
        if (chunk.offset === offset && chunk.data.length > 0) this.#deliver(chunk.data);
        else await this.#skipTo(chunk.data.length > 0 ? chunk.offset : Math.max(chunk.offset, this.#source.edge));
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#reading = false;
      releaseBlock(block);
    }
  }

  /**
   * Skips bytes that are no longer stored. A reader that gets all output continues at `offset`. Any other reader gets a
   * snapshot.
   */
  async #skipTo(offset: number): Promise<void> {
    if (this.#bounds.readsAll) {
      this.#offset = offset;
      this.#acked = offset;
    } else if (this.#delivered) {
      await this.restart();
    } else {
      this.#showSnapshot({ offset, ...(this.#source.sizeAt(offset) ?? this.#source.size), data: '' });
    }
  }

  #deliver(data: Buffer): void {
    const offset = this.#offset;
    this.#offset += data.length;
    // The reader knows all resizes up to this offset, so a restarted stream must not report them again.
    this.#resizesFrom = this.#offset;
    this.#delivered = true;
    this.#waitingSince ??= this.#source.now();
    if (!this.#sink.onData(offset, data)) this.#full = true;
  }

  #showSnapshot(snapshot: Snapshot): void {
    this.#moveTo(snapshot.offset);
    this.#size = { cols: snapshot.cols, rows: snapshot.rows };
    this.#delivered = true;
    this.#sink.onSnapshot(snapshot);
  }

  #moveTo(offset: number): void {
    this.#offset = offset;
    this.#acked = offset;
    this.#resizesFrom = offset;
    this.#mustReportSize = false;
    this.#waitingSince = undefined;
    this.#full = false;
    this.#state = 'running';
  }

  /**
   * Whether the reader is too far behind and no longer acknowledges. Being behind alone is not enough: the program's
   * output is never slowed down, so even a healthy viewer is sometimes behind.
   */
  #hasFallenBehind(): boolean {
    const { readsAll, lagBytes, silentMs } = this.#bounds;
    return (
      !readsAll &&
      this.#waitingSince !== undefined &&
      this.#source.edge - this.#acked > lagBytes &&
      this.#source.now() - this.#waitingSince > silentMs
    );
  }

  /** Runs code that calls the reader. An error in that code ends only this reader, not the stream for the others. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.fail(error);
    }
  }
}
