import fs from 'node:fs';
import { PROCESS_LOG_MAX_BYTES } from '@agent-console/shared/limits/runner';

/**
 * Limits the size of a log to which other processes append through their own descriptors: copies its content to
 * `<file>.1`, then truncates the file in place. Lines written between the two steps are lost, so the output logs of
 * workers are never rotated.
 */
export function rotateLog(file: string): void {
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < PROCESS_LOG_MAX_BYTES) return;
    fs.copyFileSync(file, `${file}.1`);
    fs.truncateSync(file);
  } catch {
    // The error is ignored: if the copy fails, for example on a full disk, the next call tries again.
  }
}
