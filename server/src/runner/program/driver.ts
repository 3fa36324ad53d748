import fs from 'node:fs';
import { RUNNER_DRAIN_MAX_BYTES } from '@agent-console/shared/limits/runner';
import type { Output } from './output.ts';

/** How a process ended, as the kernel reports it. `signal` 0 means that it exited by itself. */
export interface DriverExit {
  code: number;
  signal: number;
}

/** A process and its streams, a terminal or pipes. */
export interface Driver {
  readonly pid: number;
  /**
   * Writes without waiting and returns how many bytes the process accepted. @throws when it accepts no input at all.
   */
  write(data: Buffer): number;
  pause(): void;
  resume(): void;
  resize(cols: number, rows: number): void;
  /**
   * Reads what the ended process left in the kernel. False when the log was blocked: call again later.
   * A child that it left behind may continue to write; that is not waited for.
   */
  drain(): boolean;
  close(): void;
}

/** Writes to a non-blocking descriptor; 0 when it is full. */
export function writeNow(file: number, data: Buffer): number {
  try {
    return fs.writeSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Reads from a non-blocking descriptor; 0 when it is empty, at its end, and after a hang-up. */
export function readNow(file: number, target: Buffer): number {
  try {
    return fs.readSync(file, target, 0, target.length, null);
  } catch {
    // EAGAIN: empty. EIO: hung up. Both mean that there is nothing more to read.
    return 0;
  }
}

/** Reads a non-blocking descriptor until it is empty. */
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
