import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_ATTEMPTS_MAX } from '@agent-console/shared/limits/git';
import type { GitContext } from './context.ts';
import { gitFailed } from './failure.ts';
import { errorCode, kindOfEntry, readLine } from './files.ts';

/** Replaces the index of a checkout while no other git process can change it. */
export interface IndexLock {
  /**
   * Records in the lock file that files are about to change. After a crash, the console then knows that it must reset
   * them.
   */
  startWriting(): Promise<void>;
  /** Replaces the index with a copy of a file, in one step. */
  install(file: string): Promise<void>;
}

/** Returns the texts of a lock file before and after `startWriting`. */
const marksOf = ({ viewsDir }: Pick<GitContext, 'viewsDir'>) => ({
  held: `agent-console holds ${viewsDir}`,
  writing: `agent-console ${viewsDir}`,
});

/**
 * Runs `work` while holding `index.lock`, git's own lock, so that other git processes fail instead of changing the
 * index or committing. The lock file contains the path of this console's folder of views, so that the console
 * recognizes its own lock after a crash. Must be called in the queue of the repository, so that this console holds no
 * other lock in that repository.
 * @throws GIT_FAILED if another process has the lock or the lock file cannot be written, CONFLICT if a crash left files
 * of the checkout changed.
 */
export async function withIndexLock<T>(
  context: GitContext,
  gitDir: string,
  work: (lock: IndexLock) => Promise<T>,
): Promise<T> {
  const file = path.join(gitDir, 'index.lock');
  const marks = marksOf(context);
  await create(file, marks);
  try {
    return await work({
      startWriting: () => overwrite(file, marks.writing),
      install: (source) => replace(path.join(gitDir, 'index'), source),
    });
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Runs `reset`, which undoes the changes of files that a crash after `startWriting` left behind. Then deletes the lock.
 * If `reset` fails, the lock remains, so that nothing else changes the files before a later call or a person has
 * restored them. Must be called in the queue of the repository.
 */
export async function finishWriting(
  gitDir: string,
  reset: (lock: Pick<IndexLock, 'install'>) => Promise<unknown>,
): Promise<void> {
  await reset({ install: (source) => replace(path.join(gitDir, 'index'), source) });
  await rm(path.join(gitDir, 'index.lock'), { force: true });
}

/**
 * Whether the console crashed after `startWriting`, while it held the index lock. Must be called in the queue of the
 * repository.
 */
export async function wasWriting(context: GitContext, gitDir: string): Promise<boolean> {
  return (await readLine(path.join(gitDir, 'index.lock'))) === marksOf(context).writing;
}

/**
 * Deletes the index lock if the console crashed while it held the lock. Must be called in the queue of the repository.
 */
export async function releaseOwnLock(context: GitContext, gitDir: string): Promise<void> {
  const file = path.join(gitDir, 'index.lock');
  const text = await readLine(file);
  if (Object.values(marksOf(context)).some((mark) => mark === text)) await rm(file, { force: true });
}

/**
 * Waits until no other process has the lock of the index. Must be called in the queue of the repository.
 * @throws GIT_FAILED if another process keeps the lock, CONFLICT if a crash left files of the checkout changed.
 */
export async function requireUnlocked(context: GitContext, gitDir: string): Promise<void> {
  const file = path.join(gitDir, 'index.lock');
  if (await wasWriting(context, gitDir)) throw unfinished(file);
  await releaseOwnLock(context, gitDir);
  for (let attempt = 1; (await kindOfEntry(file)) !== 'nothing'; attempt += 1) {
    if (attempt === GIT_ATTEMPTS_MAX) throw lockedByGit(file);
    await pause(attempt);
  }
}

/** Half of each delay is random, so that two colliding processes do not retry at the same time. */
function pause(attempt: number): Promise<void> {
  return delay(2 ** attempt * (5 + 5 * Math.random()));
}

async function create(file: string, { held, writing }: ReturnType<typeof marksOf>): Promise<void> {
  // The lock is written under another name first, so that no lock ever exists without its content.
  const unique = uniqueName(file);
  try {
    await writeFile(unique, `${held}\n`, { flag: 'wx' });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await link(unique, file);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      // A lock that the console left behind in a crash is reused. If it were deleted first, another process could take
      // the lock.
      const text = await readLine(file);
      if (text === held) return;
      if (text === writing) throw unfinished(file);
      if (attempt < GIT_ATTEMPTS_MAX) await pause(attempt);
      else throw lockedByGit(file);
    }
  } catch (error) {
    throw notWritten(file, error);
  } finally {
    await rm(unique, { force: true });
  }
}

/** Replaces the text of a lock file in one step. */
async function overwrite(file: string, mark: string): Promise<void> {
  const unique = uniqueName(file);
  try {
    await writeFile(unique, `${mark}\n`, { flag: 'wx' });
    await rename(unique, file);
  } catch (error) {
    throw notWritten(file, error);
  } finally {
    await rm(unique, { force: true });
  }
}

/**
 * Returns an unused name. A checkout's git directory is not trusted: an agent could create a link under a predictable
 * name.
 */
function uniqueName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`;
}

async function replace(index: string, source: string): Promise<void> {
  const copy = uniqueName(index);
  try {
    const { mtimeMs } = await stat(source);
    await copyFile(source, copy, constants.COPYFILE_EXCL);
    // The copy keeps the modification time of its source. git compares this time with those of the files to find files
    // that changed right after they were read.
    const seconds = Math.floor(mtimeMs) / 1000;
    await utimes(copy, seconds, seconds);
    await rename(copy, index);
  } catch (error) {
    throw notWritten(index, error);
  } finally {
    await rm(copy, { force: true });
  }
}

function lockedByGit(file: string): ConsoleError {
  return gitFailed({ command: 'read-tree', exitCode: 128, stderr: `fatal: Unable to create '${file}': File exists.` });
}

function unfinished(file: string): ConsoleError {
  const advice = `Try again in a moment. If this error remains, the files could not be restored: check them with git status, save what you want to keep, delete ${file}, and run git reset --hard.`;
  const message = `The console was stopped while it changed files of this checkout, and has not restored them. ${advice}`;
  return new ConsoleError('CONFLICT', message, { path: file });
}

function notWritten(file: string, error: unknown): unknown {
  if (error instanceof ConsoleError) return error;
  if (errorCode(error) === undefined) return error;
  const why = errorCode(error) === 'ENOSPC' ? 'the disk is full' : (error as Error).message;
  const message = `${file} could not be written: ${why}. Make sure that the file can be written, then try again.`;
  return new ConsoleError('GIT_FAILED', message, { path: file, stderr: '' }, { cause: error });
}
