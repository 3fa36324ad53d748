import { chmod, lstat, readdir, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { GitContext } from './context.ts';
import { gitEnvironment } from './environment.ts';
import { errorCode, kindOfEntry } from './files.ts';

/**
 * Returns the path to which a folder is moved before its deletion. The path is in the same parent folder, so the move
 * is atomic.
 */
export function trashOf(folder: string): string {
  return path.join(path.dirname(folder), `.${path.basename(folder)}.agent-console-trash`);
}

/** Moves a folder to its trash path, after deleting any older folder there. */
export async function moveToTrash(context: GitContext, folder: string): Promise<void> {
  await deleteTree(context, trashOf(folder));
  try {
    await rename(folder, trashOf(folder));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/**
 * Maximum number of attempts to delete a folder to which another process still writes. The delays add up to about 10 s.
 */
const DELETE_ATTEMPTS = 20;

/**
 * Deletes a folder, even a read-only one, with `rm`, which deletes a `node_modules` many times faster than Node. Does
 * not follow links. Retries, because a git process that outlived its server may still write to the folder.
 * @throws GIT_FAILED naming the path that could not be deleted.
 */
export async function deleteTree({ runProcess }: GitContext, folder: string): Promise<void> {
  if ((await kindOfEntry(folder)) === 'nothing') return;
  let stderr = '';
  for (let attempt = 1; attempt <= DELETE_ATTEMPTS; attempt += 1) {
    const end = await runProcess({
      file: 'rm',
      args: ['-rf', '--', folder],
      cwd: '/',
      env: gitEnvironment(process.env),
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      onStdout: () => {},
    });
    if (end.exitCode === 0) return;
    stderr = end.stderr;
    if (attempt > 1 && !stderr.includes('not empty')) break;
    await makeFoldersWritable(folder);
    await delay(50 * attempt);
  }
  const message = `Could not delete ${folder}: ${stderr.split('\n')[0]}. Delete it by hand.`;
  throw new ConsoleError('GIT_FAILED', message, { path: folder, stderr });
}

/**
 * Makes a folder and all folders in it writable. Does not change the modes of files: deleting a file needs no write
 * permission on the file, and a changed mode would also apply to hard links of the file elsewhere.
 */
async function makeFoldersWritable(folder: string): Promise<void> {
  try {
    if (!(await lstat(folder)).isDirectory()) return;
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await makeFoldersWritable(path.join(folder, entry.name));
    }
  } catch {
    // This error is ignored, because the next attempt to delete the folder reports the problem.
  }
}

export async function deleteEmptyFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}
