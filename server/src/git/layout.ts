import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { errorCode, readLine } from './files.ts';

/**
 * The git directory of a checkout: its `.git` folder, or the one that its `.git` file names (linked worktrees,
 * submodules). Read from disk, since a git process for it would take as long as the command it precedes.
 * @throws NOT_FOUND when the checkout is gone.
 */
export async function gitDirOf(checkout: string): Promise<string> {
  const dotGit = path.join(checkout, '.git');
  try {
    if ((await lstat(dotGit)).isFile()) {
      const target = /^gitdir: (.+)$/s.exec((await readLine(dotGit)) ?? '')?.[1];
      if (target !== undefined) return await realpath(path.resolve(checkout, target));
    }
    return await realpath(dotGit);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    const advice = 'Restore it; a worktree whose folder is gone can also be removed here.';
    const message = `${checkout} is no longer a readable git checkout: the folder, or the .git in it, is gone. ${advice}`;
    throw new ConsoleError('NOT_FOUND', message, { path: checkout }, { cause: error });
  }
}

/** The git directory that all worktrees of a repository share; the key of the repository's queue. */
export async function commonDirOf(checkout: string): Promise<string> {
  const gitDir = await gitDirOf(checkout);
  const common = await readLine(path.join(gitDir, 'commondir'));
  return common === null ? gitDir : await realpath(path.resolve(gitDir, common));
}

/** git's record of one linked worktree. */
export interface Registration {
  /** The worktree's folder in the common directory. */
  adminDir: string;
  /** The path of the worktree, or null when git was killed before it wrote the path. */
  path: string | null;
}

/** All linked worktrees on record in the common directory, including incomplete ones. */
export async function registrations(commonDir: string): Promise<Registration[]> {
  const folder = path.join(commonDir, 'worktrees');
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return Promise.all(
    names.map(async (name) => {
      const adminDir = path.join(folder, name);
      return { adminDir, path: await recordedPath(adminDir) };
    }),
  );
}

/** The path of a worktree according to its folder in the common directory; null if not written yet. */
export async function recordedPath(adminDir: string): Promise<string | null> {
  const dotGit = await readLine(path.join(adminDir, 'gitdir'));
  // git 2.48 and newer can store it relative to the admin folder.
  return dotGit === null ? null : path.dirname(path.resolve(adminDir, dotGit));
}

/** Whether the folder's `.git` file points into this common directory, as that of a linked worktree does. */
export async function pointsInto(commonDir: string, folder: string): Promise<boolean> {
  const target = /^gitdir: (.+)$/s.exec((await readLine(path.join(folder, '.git'))) ?? '')?.[1];
  if (target === undefined) return false;
  const parent = path.dirname(path.resolve(folder, target));
  // The folder may have been deleted with the last registration.
  const resolved = await realpath(path.dirname(parent)).catch(() => path.dirname(parent));
  return path.basename(parent) === 'worktrees' && resolved === commonDir;
}
