import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { errorCode, readLine } from './files.ts';

/**
 * The git directory of a checkout: its `.git` folder, or the one that its `.git` file names (linked worktrees,
 * submodules). Read from the disk, since a process for it would cost as much as the command it serves.
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
    const advice = 'Put it back; a worktree whose folder is gone can also be removed here.';
    const message = `${checkout} is no longer a git checkout that can be read: it, or the .git in it, is gone. ${advice}`;
    throw new ConsoleError('NOT_FOUND', message, { path: checkout }, { cause: error });
  }
}

/** The directory that all worktrees of a repository share; the key of its queue. */
export async function commonDirOf(checkout: string): Promise<string> {
  const gitDir = await gitDirOf(checkout);
  const common = await readLine(path.join(gitDir, 'commondir'));
  return common === null ? gitDir : await realpath(path.resolve(gitDir, common));
}

/** What git stores about one linked worktree. */
export interface Registration {
  /** Folder in the common directory. */
  adminDir: string;
  /** Where the worktree is, or null when git was killed before it wrote that down. */
  path: string | null;
}

/** Every linked worktree that the common directory knows, half-made ones included. */
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

/** Where git keeps on record, in a worktree's folder in the common directory, that the worktree is; null: nowhere yet. */
export async function recordedPath(adminDir: string): Promise<string | null> {
  const dotGit = await readLine(path.join(adminDir, 'gitdir'));
  // Newer gits can be told to store it relative to the admin folder.
  return dotGit === null ? null : path.dirname(path.resolve(adminDir, dotGit));
}

/** Whether the folder's `.git` file says that it is a linked worktree of this common directory. */
export async function pointsInto(commonDir: string, folder: string): Promise<boolean> {
  const target = /^gitdir: (.+)$/s.exec((await readLine(path.join(folder, '.git'))) ?? '')?.[1];
  if (target === undefined) return false;
  const parent = path.dirname(path.resolve(folder, target));
  // The folder that it names may be gone with the last registration.
  const resolved = await realpath(path.dirname(parent)).catch(() => path.dirname(parent));
  return path.basename(parent) === 'worktrees' && resolved === commonDir;
}
