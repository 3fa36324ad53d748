import { copyFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './files.ts';

/**
 * Copies a checkout's index, which git only ever replaces as a whole. A checkout before its first one has none, and
 * none is then made. The copy keeps the time of the original: git compares it with each file's to know which entries it
 * cannot trust, and a newer one would hide edits made in the same instant as the last `git add`.
 */
export async function copyIndex(gitDir: string, target: string): Promise<void> {
  const source = path.join(gitDir, 'index');
  try {
    const found = await stat(source);
    // Reading anything else, such as a pipe, might never end.
    if (!found.isFile()) return;
    await copyFile(source, target);
    // Rounded down: an earlier time costs a comparison more, a later one would be wrong.
    const seconds = Math.floor(found.mtimeMs) / 1000;
    await utimes(target, seconds, seconds);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
