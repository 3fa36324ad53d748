import fs from 'node:fs';
import { RUNNER_DRAIN_MAX_BYTES } from '@agent-console/shared/limits/runner';
import type { Output } from './output.ts';

/** The end of a process, as reported by the kernel. `signal` 0 means that the process exited by itself. */
export interface DriverExit {
  code: number;
  signal: number;
}

/** A process and its streams, which are a terminal or pipes. */
export interface Driver {
  readonly pid: number;
  /**
   * Writes without waiting and returns the number of bytes accepted. @throws if the process no longer accepts input.
   */
  write(data: Buffer): number;
  pause(): void;
  resume(): void;
  resize(cols: number, rows: number): void;
  /**
   * Reads the remaining output of an ended process. Does not wait for output of its child processes. Returns false if
   * the log cannot be written.
   */
  drain(): boolean;
  close(): void;
}

/** Opens the slave side of the terminal in which a process was just started. Calls `undo` before it throws. */
export function openSlave(path: string, undo: () => void): number {
  try {
    return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  } catch (error) {
    undo();
    throw error;
  }
}

/** Writes to a non-blocking descriptor. Returns the number of bytes written; 0 if the descriptor accepts none now. */
export function writeNow(file: number, data: Buffer): number {
  try {
    return fs.writeSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Reads from a non-blocking descriptor. Returns 0 if it is empty, at its end, or hung up. */
export function readNow(file: number, target: Buffer): number {
  try {
    return fs.readSync(file, target, 0, target.length, null);
  } catch {
    // EAGAIN means that the descriptor is empty, and EIO that the other side hung up. In both cases there is nothing to
    // read.
    return 0;
  }
}

/**
 * Reads a non-blocking descriptor until it is empty, at most RUNNER_DRAIN_MAX_BYTES. Returns false if the log cannot be
 * written.
 */
export function drainInto(file: number, output: Output): boolean {
  for (let remaining = RUNNER_DRAIN_MAX_BYTES; remaining > 0; ) {
    if (output.isBlocked) return false;
    const bytes = readNow(file, output.space());
    if (bytes === 0) return true;
    output.received(bytes);
    remaining -= bytes;
  }
  return true;
}
