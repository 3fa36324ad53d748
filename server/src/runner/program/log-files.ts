import fs from 'node:fs';
import { PROCESS_LOG_MAX_BYTES } from '@agent-console/shared/limits/runner';

/**
 * Bounds a log that other processes append to through descriptors of their own: what it holds is copied to `<file>.1`,
 * then it is emptied in place. Lines written between the two steps are lost; output of workers never goes this way.
 */
export function putAside(file: string): void {
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < PROCESS_LOG_MAX_BYTES) return;
    fs.copyFileSync(file, `${file}.1`);
    fs.truncateSync(file);
  } catch {
    // A full disk: emptying is tried again at the next look.
  }
}
