import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { errorCode, readLine } from './files.ts';

/**
 * Returns the git directory of a checkout: its `.git` folder, or the folder named by its `.git` file (linked worktrees,
 * submodules). Reads the path from disk, since a git process would take as long as the command that needs the path.
 * @throws NOT_FOUND when the checkout is gone.
 */
export async function gitDirOf(checkout: string): Promise<string> {
  const dotGit = path.join(checkout, '.git');
  let missing: string | undefined;
  try {
    if ((await lstat(dotGit)).isFile()) {
      const target = /^gitdir: (.+)$/s.exec((await readLine(dotGit)) ?? '')?.[1];
      if (target !== undefined) {
        const gitDir = path.resolve(checkout, target);
        missing = `its git directory ${gitDir}`;
        return await realpath(gitDir);
      }
    }
    return await realpath(dotGit);
  } catch (error) {
    throw checkoutError(error, checkout, missing);
  }
}

/**
 * Returns the error to throw when the folder of a checkout, or the `.git` in it, could not be read: NOT_FOUND when it
 * is gone or not accessible, otherwise `error` itself.
 */
export function checkoutError(error: unknown, checkout: string, missing = 'the folder, or the .git in it,'): unknown {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errorCode(error) ?? '')) return error;
  const advice = 'Restore it, or force the removal of the worktree, which keeps files that cannot be saved.';
  const message = `${checkout} is no longer a readable git checkout: ${missing} is gone. ${advice}`;
  return new ConsoleError('NOT_FOUND', message, { path: checkout }, { cause: error });
}

/** Returns the git directory shared by all worktrees of a repository. It is also the key of the repository's queue. */
export async function commonDirOf(checkout: string): Promise<string> {
  const gitDir = await gitDirOf(checkout);
  const common = await readLine(path.join(gitDir, 'commondir'));
  return common === null ? gitDir : await realpath(path.resolve(gitDir, common));
}

/** A linked worktree, as registered in the repository's common directory. */
export interface Registration {
  /** The worktree's folder inside the common directory. */
  adminDir: string;
  /** The path of the worktree, or null when git was killed before it wrote the path. */
  path: string | null;
}

/** Lists all linked worktrees recorded in the common directory, including incomplete ones. */
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

/**
 * Returns the path of a worktree, as recorded in its folder in the common directory; null if git has not written it
 * yet.
 */
export async function recordedPath(adminDir: string): Promise<string | null> {
  const dotGit = await readLine(path.join(adminDir, 'gitdir'));
  // git 2.48 and newer may store this path relative to the worktree's folder in the common directory.
  return dotGit === null ? null : path.dirname(path.resolve(adminDir, dotGit));
}

/**
 * Whether the folder is a linked worktree of this repository: its `.git` file names a folder in the common directory.
 */
export async function pointsInto(commonDir: string, folder: string): Promise<boolean> {
  const target = /^gitdir: (.+)$/s.exec((await readLine(path.join(folder, '.git'))) ?? '')?.[1];
  if (target === undefined) return false;
  const parent = path.dirname(path.resolve(folder, target));
  // The path of the common directory is resolved, not the path of its `worktrees` folder, because git deletes that
  // folder together with the last registered worktree.
  const resolved = await realpath(path.dirname(parent)).catch(() => path.dirname(parent));
  return path.basename(parent) === 'worktrees' && resolved === commonDir;
}
