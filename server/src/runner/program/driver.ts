import fs from 'node:fs';
import { RUNNER_DRAIN_MAX_BYTES } from '@agent-console/shared/limits/runner';
import type { Output } from './output.ts';

/** How a process ended, as the kernel tells it: `signal` 0 means that it ended by itself. */
export interface DriverExit {
  code: number;
  signal: number;
}

/** A process with the ends of its streams, whichever kind they are. */
export interface Driver {
  readonly pid: number;
  /** Gives bytes to the process without waiting and answers how many it took. @throws when it takes no input at all. */
  write(data: Buffer): number;
  pause(): void;
  resume(): void;
  resize(cols: number, rows: number): void;
  /**
   * Fetches what the ended process left in the kernel. False: the log got blocked on the way, call again later.
   * A child that it left behind may go on writing; that is not waited for.
   */
  drain(): boolean;
  close(): void;
}

/** Writes to a descriptor that does not block: 0 when it is full. */
export function writeNow(file: number, data: Buffer): number {
  try {
    return fs.writeSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Reads from a descriptor that does not block: 0 when there is nothing, at its end, and when it hung up. */
export function readNow(file: number, target: Buffer): number {
  try {
    return fs.readSync(file, target, 0, target.length, null);
  } catch {
    // EAGAIN: empty. EIO: hung up. Both mean that there is nothing more.
    return 0;
  }
}

/** Reads a descriptor that does not block until it is empty. */
export function drainInto(file: number, output: Output): boolean {
  for (let left = RUNNER_DRAIN_MAX_BYTES; left > 0; ) {
    if (output.isBlocked) return false;
    const bytes = readNow(file, output.space());
    if (bytes === 0) return true;
    output.took(bytes);
    left -= bytes;
  }
  return true;
}
