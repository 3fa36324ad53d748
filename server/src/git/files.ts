import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { GIT_POINTER_MAX_BYTES } from '@agent-console/shared/limits/git';

/** Returns the error code of a failed file system call, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/**
 * Resolves links in the existing parent folders of a path, because git records the paths of worktrees without links.
 */
export async function canonicalPath(at: string): Promise<string> {
  const absolute = path.resolve(at);
  const missing = [path.basename(absolute)];
  let folder = path.dirname(absolute);
  for (;;) {
    try {
      return path.join(await realpath(folder), ...missing);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || folder === path.dirname(folder)) throw error;
      missing.unshift(path.basename(folder));
      folder = path.dirname(folder);
    }
  }
}

/** Returns whether a path is unused, an empty folder, or anything else. */
export async function kindOfEntry(at: string): Promise<'nothing' | 'emptyFolder' | 'something'> {
  try {
    const stat = await lstat(at);
    if (!stat.isDirectory()) return 'something';
    return (await readdir(at)).length === 0 ? 'emptyFolder' : 'something';
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return 'nothing';
    throw error;
  }
}

/**
 * Returns the text of a small file without its last newline, or null if it does not exist or is not a regular file.
 * Does not block on a pipe. Larger files are cut at `maxBytes`.
 */
export async function readLine(file: string, maxBytes = GIT_POINTER_MAX_BYTES): Promise<string | null> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return null;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0);
      return buffer.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
