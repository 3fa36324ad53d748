import fs from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { GitOutput, RunOptions } from './command.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { errorCode, readLine } from './files.ts';
import { gitDirOf, recordedPath } from './layout.ts';

/**
 * Names of the entries that the private git directory of a `CheckoutView` contains as links to the same entries of the
 * worktree's git directory. Without the link to `logs`, for example, `HEAD@{1}` would fail.
 */
const LINKED_ENTRIES = /^(?:logs|refs|reftable|sharedindex\..+|[A-Z_]+_HEAD)$/;

/** A checkout that git reads through a private copy of its git directory. */
export interface CheckoutView {
  /** Path of the checkout's top folder. */
  path: string;
  /** A private folder for temporary files, deleted when the view is closed. */
  folder: string;
  /**
   * Runs git in the checkout. The command uses a copy of the checkout's index, and may change the copy. Throws the
   * errors of `RunGit`.
   */
  run(args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<GitOutput>;
}

/**
 * Runs `work` on a checkout without trusting its git directory: an agent that may commit can write to that directory,
 * and `commondir` or `config.worktree` could name programs that git runs. Therefore HEAD and the index are copied into
 * a private folder that refers to the registered common directory, which contains the user's settings. Of the
 * worktree's own settings, only `core.sparseCheckout` applies. The main checkout's git directory is the common
 * directory, so it is used directly, with a copy of its index.
 * @throws NOT_FOUND when the checkout is gone, CONFLICT when it belongs to another repository.
 */
export async function withView<T>(
  context: GitContext,
  checkout: CheckoutLocation,
  work: (view: CheckoutView) => Promise<T>,
): Promise<T> {
  const gitDir = await registeredGitDir(checkout);
  const main = gitDir === checkout.commonDir;
  const folder = await makeFolder(context.viewsDir, 'view-');
  try {
    await copyIndex(gitDir, path.join(folder, 'index'));
    if (!main) await copyGitDir(gitDir, checkout.commonDir, folder);
    const env = {
      GIT_DIR: main ? gitDir : folder,
      GIT_WORK_TREE: checkout.path,
      GIT_INDEX_FILE: path.join(folder, 'index'),
    };
    const sparse = main ? [] : await sparseSettings(context, gitDir);
    return await work({
      path: checkout.path,
      folder,
      run: (args, options = {}) =>
        context.run(args, {
          ...options,
          cwd: checkout.path,
          env: { ...options.env, ...env },
          settings: [...sparse, ...(options.settings ?? [])],
        }),
    });
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates a private folder in the folder for views. Does not create parent folders, because a deleted data directory
 * must not reappear.
 */
export async function makeFolder(viewsDir: string, prefix: string): Promise<string> {
  await fs.mkdir(viewsDir, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  return fs.mkdtemp(path.join(viewsDir, prefix));
}

/**
 * Returns the git directory of a checkout: the common directory for the main checkout, otherwise the folder that git
 * created in it for this worktree.
 * @throws NOT_FOUND when the checkout is gone, CONFLICT when its `.git` points elsewhere.
 */
export async function registeredGitDir({ path: at, commonDir }: CheckoutLocation): Promise<string> {
  const gitDir = await gitDirOf(at);
  if (gitDir === commonDir) return gitDir;
  if (path.dirname(gitDir) === path.join(commonDir, 'worktrees') && (await isRecordedAt(gitDir, at))) return gitDir;
  const advice = `Find out what changed ${path.join(at, '.git')} before you run git there.`;
  const message = `${at} now points to the git directory ${gitDir}, which is not registered for it in ${commonDir}. ${advice}`;
  throw new ConsoleError('CONFLICT', message, { path: at, gitDir, commonDir });
}

async function isRecordedAt(adminDir: string, at: string): Promise<boolean> {
  const recorded = await recordedPath(adminDir);
  if (recorded === null) return false;
  const [expected, actual] = await Promise.all([recorded, at].map((each) => fs.realpath(each).catch(() => each)));
  return expected === actual;
}

async function copyGitDir(gitDir: string, commonDir: string, folder: string): Promise<void> {
  const head = await readLine(path.join(gitDir, 'HEAD'));
  if (head === null) {
    const message = `${gitDir} has no readable HEAD file. Restore the file with content such as: ref: refs/heads/<branch>`;
    throw new ConsoleError('GIT_FAILED', message, { path: gitDir, stderr: '' });
  }
  await fs.writeFile(path.join(folder, 'HEAD'), `${head}\n`);
  await fs.writeFile(path.join(folder, 'commondir'), `${commonDir}\n`);
  const names = (await fs.readdir(gitDir)).filter((name) => LINKED_ENTRIES.test(name));
  await Promise.all(names.map((name) => fs.symlink(path.join(gitDir, name), path.join(folder, name))));
  await linkSparsePatterns(gitDir, folder);
}

/**
 * Links the patterns of the checkout's sparse checkout into `folder`, so that a git command that writes files leaves
 * out the same files.
 */
async function linkSparsePatterns(gitDir: string, folder: string): Promise<void> {
  const patterns = path.join(gitDir, 'info', 'sparse-checkout');
  if (!(await fs.lstat(patterns).catch(() => null))?.isFile()) return;
  await fs.mkdir(path.join(folder, 'info'));
  await fs.symlink(patterns, path.join(folder, 'info', 'sparse-checkout'));
}

/**
 * Returns the worktree's setting `core.sparseCheckout` if it is true. Without the setting, git would overlook changes
 * of files that exist although the sparse checkout leaves them out.
 */
async function sparseSettings(context: GitContext, gitDir: string): Promise<string[]> {
  const file = path.join(gitDir, 'config.worktree');
  if (!(await fs.lstat(file).catch(() => null))?.isFile()) return [];
  const args = ['config', '--file', file, '--no-includes', '--type=bool', '--get', 'core.sparseCheckout'];
  const { stdout } = await context.run(args, { cwd: '/', okCodes: [0, 1, 3, 128] });
  return stdout.toString().trim() === 'true' ? ['core.sparseCheckout=true'] : [];
}

/**
 * Copies the index of a checkout, if it has one. git only ever replaces an index as a whole, so the copy is consistent.
 * The copy keeps the modification time, because git rechecks files that are as new as the index.
 */
async function copyIndex(gitDir: string, target: string): Promise<void> {
  const source = path.join(gitDir, 'index');
  try {
    const found = await fs.stat(source);
    // Reading something other than a regular file, such as a pipe, could block forever.
    if (!found.isFile()) return;
    await fs.copyFile(source, target);
    // The copy gets the modification time of the index, rounded down. With an earlier time, git compares a few more
    // files; with a later time, git would miss edits.
    const seconds = Math.floor(found.mtimeMs) / 1000;
    await fs.utimes(target, seconds, seconds);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
