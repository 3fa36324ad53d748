import { expect } from 'vitest';
import type { OutputStreams, OutputView, OutputViewer } from '../../src/ports/terminals.ts';
import { bytesAt } from './file-runner.ts';

/** Waits for a condition, which is checked in each tick of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** A viewer that checks each byte on arrival and tracks its position. */
export class Recorder implements OutputViewer {
  readonly #streams: OutputStreams;
  readonly #workerId: string;
  #view: OutputView | undefined;
  #fromOffset: number | undefined;
  /** Offset of the next byte; undefined before the first snapshot. */
  next: number | undefined;
  /** Highest offset acknowledged in this view. */
  acked = 0;
  size: { cols: number; rows: number } | undefined;
  snapshots: number[] = [];
  /** Number of views that began without an offset, and therefore skipped earlier output. */
  tailStarts = 0;
  largestUnacked = 0;
  exit: { offset: number; exitCode: number | null; signal: string | null } | undefined;
  failure: unknown;
  takes = true;

  constructor(streams: OutputStreams, workerId: string) {
    this.#streams = streams;
    this.#workerId = workerId;
  }

  get open(): boolean {
    return this.#view !== undefined;
  }

  /** Starts a view at `fromOffset`. `next` continues where the last view ended, and undefined skips earlier output. */
  start(fromOffset: number | undefined | 'next'): void {
    this.close();
    this.#fromOffset = fromOffset === 'next' ? this.next : fromOffset;
    if (this.#fromOffset === undefined) this.tailStarts += 1;
    this.next = this.#fromOffset;
    this.acked = this.#fromOffset ?? 0;
    this.exit = undefined;
    this.#view = this.#streams.view(this.#workerId, this.#fromOffset, this);
  }

  ack(offset = this.next ?? 0): void {
    this.acked = Math.max(this.acked, offset);
    this.#view?.acked(offset);
  }

  drained(): void {
    this.takes = true;
    this.#view?.drained();
  }

  close(): void {
    this.#view?.close();
    this.#view = undefined;
  }

  onData(offset: number, data: Buffer): boolean {
    expect(this.open).toBe(true);
    expect(offset).toBe(this.next);
    expect(data.equals(bytesAt(offset, data.length))).toBe(true);
    this.next = offset + data.length;
    this.largestUnacked = Math.max(this.largestUnacked, this.next - this.acked);
    return this.takes;
  }

  onSnapshot(snapshot: { offset: number; cols: number; rows: number }): void {
    if (this.next !== undefined) expect(snapshot.offset).toBeGreaterThanOrEqual(this.next);
    this.next = snapshot.offset;
    this.acked = snapshot.offset;
    this.size = { cols: snapshot.cols, rows: snapshot.rows };
    this.snapshots.push(snapshot.offset);
  }

  onResized(event: { offset: number; cols: number; rows: number }): void {
    expect(event.offset).toBe(this.next);
    this.size = { cols: event.cols, rows: event.rows };
  }

  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void {
    expect(this.exit).toBeUndefined();
    expect(exit.offset).toBe(this.next);
    this.exit = exit;
  }

  onFailed(error: unknown): void {
    this.failure = error;
  }
}
