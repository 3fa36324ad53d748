import fs from 'node:fs';
import { PROCESS_LOG_MAX_BYTES } from '@agent-console/shared/limits/runner';

/**
 * Limits a log to which other processes append through their own descriptors: its content is copied to `<file>.1`, then
 * it is truncated in place. Lines written in between are lost; worker output is never logged this way.
 */
export function rotateLog(file: string): void {
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < PROCESS_LOG_MAX_BYTES) return;
    fs.copyFileSync(file, `${file}.1`);
    fs.truncateSync(file);
  } catch {
    // A full disk: truncation is retried at the next check.
  }
}
