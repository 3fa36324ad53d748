import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import type { OutputReader, OutputSubscription, ProcessExit, ProcessInfo, Runner } from '../../src/ports/runner.ts';

interface Resize {
  offset: number;
  cols: number;
  rows: number;
}

interface Feed {
  from: number;
  cursor: number;
  acked: number;
  nextResize: number;
  reader: OutputReader;
  closed: boolean;
  scheduled: boolean;
}

/** The byte at an offset of the output. It depends on the offset, to detect lost, repeated or moved bytes. */
function byteAt(offset: number): number {
  return (offset * 31 + (offset >> 8) * 17 + (offset >> 16) * 7) & 0xff;
}

export function bytesAt(offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i += 1) bytes[i] = byteAt(offset + i);
  return bytes;
}

/**
 * A runner with one worker, whose output is a file that grows. A subscription gets the output from the file in pieces,
 * within its window. The buffer of each piece is overwritten as soon as the reader returns.
 */
export class FileRunner implements Runner {
  readonly identity = { pid: process.pid, startTime: '0' };
  readonly gone = false;
  isResponsive = async () => true;
  readonly workerId = '01900000-0000-7000-8000-000000000001';
  readonly #folder: string;
  readonly #fd: number;
  readonly #pieces: () => number;
  #size = 0;
  #first = 0;
  #resizes: Resize[] = [{ offset: 0, cols: 100, rows: 30 }];
  #cols = 100;
  #rows = 30;
  #exit: ProcessExit | null = null;
  #feed: Feed | undefined;
  #onGone: (() => void) | undefined;
  subscriptions = 0;

  private constructor(folder: string, pieces: () => number) {
    this.#folder = folder;
    this.#fd = fs.openSync(path.join(folder, 'log'), 'w+');
    this.#pieces = pieces;
  }

  /** @param pieces returns the size of the next piece, in bytes. */
  static async create(pieces: () => number = () => 4_096): Promise<FileRunner> {
    return new FileRunner(await mkdtemp(path.join(os.tmpdir(), 'streams-')), pieces);
  }

  async dispose(): Promise<void> {
    this.#feed = undefined;
    fs.closeSync(this.#fd);
    await rm(this.#folder, { recursive: true });
  }

  get size(): number {
    return this.#size;
  }

  get terminalSize(): { cols: number; rows: number } {
    return { cols: this.#cols, rows: this.#rows };
  }

  get watched(): boolean {
    return this.#feed !== undefined && !this.#feed.closed;
  }

  print(bytes: number): void {
    fs.writeSync(this.#fd, bytesAt(this.#size, bytes), 0, bytes, this.#size);
    this.#size += bytes;
    this.#kick();
  }

  resizeNow(cols: number, rows: number): void {
    this.#cols = cols;
    this.#rows = rows;
    this.#resizes.push({ offset: this.#size, cols, rows });
    this.#kick();
  }

  exit(exitCode: number): void {
    this.#exit = { offset: this.#size, exitCode, signal: null };
    this.#kick();
  }

  dropBelow(offset: number): void {
    this.#first = Math.max(this.#first, Math.min(offset, this.#size));
  }

  goAway(): void {
    this.#feed = undefined;
    this.#onGone?.();
  }

  async list(): Promise<ProcessInfo[]> {
    return [
      {
        workerId: this.workerId,
        pid: 1,
        startTime: '0',
        logOffset: this.#size,
        cols: this.#cols,
        rows: this.#rows,
        exit: this.#exit,
      },
    ];
  }

  async read(_workerId: string, offset: number, maxBytes: number) {
    await new Promise((resolve) => setImmediate(resolve));
    const from = Math.max(offset, this.#first);
    const data = Buffer.alloc(Math.max(0, Math.min(maxBytes, this.#size - from)));
    fs.readSync(this.#fd, data, 0, data.length, from);
    return { offset: from, data };
  }

  async readInto(workerId: string, offset: number, target: Buffer) {
    const chunk = await this.read(workerId, offset, target.length);
    chunk.data.copy(target);
    return { offset: chunk.offset, data: target.subarray(0, chunk.data.length) };
  }

  async extent() {
    return { first: this.#first, next: this.#size };
  }

  subscribe(_workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription {
    this.subscriptions += 1;
    if (this.#feed !== undefined) this.#feed.closed = true;
    const cursor = Math.min(fromOffset, this.#size);
    const feed: Feed = {
      cursor,
      acked: cursor,
      from: cursor,
      nextResize: this.#resizes.findLastIndex((resize) => resize.offset <= cursor),
      reader,
      closed: false,
      scheduled: false,
    };
    this.#feed = feed;
    this.#kick();
    return {
      ack: (offset) => {
        feed.acked = Math.max(feed.acked, Math.min(offset, feed.cursor));
        this.#kick();
      },
      close: () => {
        feed.closed = true;
      },
    };
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  onExit(): void {}

  spawn = unused;
  input = unused;
  resize = unused;
  signal = unused;
  end = unused;
  forget = unused;
  dropLog = unused;

  #kick(): void {
    const feed = this.#feed;
    if (feed === undefined || feed.closed || feed.scheduled) return;
    feed.scheduled = true;
    setImmediate(() => {
      feed.scheduled = false;
      if (!feed.closed && this.#feed === feed && this.#step(feed)) this.#kick();
    });
  }

  /**
   * Sends the next piece of output, change of size or exit to the reader. Returns whether there may be more to send.
   */
  #step(feed: Feed): boolean {
    const resize = this.#resizes[feed.nextResize];
    if (resize !== undefined && resize.offset <= feed.cursor) {
      feed.nextResize += 1;
      feed.reader.onResized({ ...resize, offset: Math.max(resize.offset, feed.from) });
      return true;
    }
    if (this.#exit !== null && feed.cursor >= this.#exit.offset) {
      feed.closed = true;
      feed.reader.onExit(this.#exit);
      return false;
    }
    if (feed.cursor < this.#first) {
      feed.cursor = this.#first;
      feed.acked = this.#first;
      return true;
    }
    const limit = Math.min(resize?.offset ?? this.#size, this.#size, feed.acked + STREAM_WINDOW_BYTES);
    const bytes = Math.min(this.#pieces(), limit - feed.cursor);
    if (bytes <= 0) return false;
    const lent = Buffer.alloc(bytes);
    fs.readSync(this.#fd, lent, 0, bytes, feed.cursor);
    const offset = feed.cursor;
    feed.cursor += bytes;
    feed.reader.onData({ offset, data: lent });
    lent.fill(0xee);
    return true;
  }
}

async function unused(): Promise<never> {
  throw new ConsoleError('UNSUPPORTED', 'not part of this runner');
}
