import { lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Checkout } from '../ports/git.ts';
import type { GitOutput, RunOptions } from './command.ts';
import type { GitContext } from './context.ts';
import { deleteTree, errorCode, readLine } from './files.ts';
import { copyIndex } from './index-copy.ts';
import { gitDirOf, recordedPath } from './layout.ts';

/** What is shown of a worktree's git directory beside HEAD and the index: data that words such as `HEAD@{1}` lead to. */
const SHOWN = /^(?:logs|refs|reftable|sharedindex\..+|[A-Z_]+_HEAD)$/;

/** A checkout as git sees it through a git directory of ours. */
export interface CheckoutView {
  /** The checkout's top level. */
  path: string;
  /** Private, deleted with the view; for whatever else a command needs a file for. */
  folder: string;
  /** Runs git in the checkout, with a copy of its index that may be changed. Errors as for `RunGit`. */
  run(args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<GitOutput>;
}

/**
 * Lets `work` look at a checkout without any git believing what an agent may have written there. An agent that may
 * commit may write its worktree's git directory, and a `commondir` or `config.worktree` in it names programs that git
 * runs. So HEAD and the index are copied into a folder of our own, which leads to the common directory that was
 * registered. The settings of that one are the person's and hold; those of a worktree alone do not, save for its being
 * sparse. The main checkout's git directory is the common one itself; it is used as it is, with a copy of its index.
 * @throws NOT_FOUND when the checkout is gone, CONFLICT when it leads to another repository.
 */
export async function withView<T>(
  context: GitContext,
  checkout: Checkout,
  work: (view: CheckoutView) => Promise<T>,
): Promise<T> {
  const gitDir = await registeredGitDir(checkout);
  const main = gitDir === checkout.commonDir;
  const folder = await makeFolder(context.viewsDir);
  try {
    await copyIndex(gitDir, path.join(folder, 'index'));
    if (!main) await imitate(gitDir, checkout.commonDir, folder);
    const ofView = {
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
          env: { ...options.env, ...ofView },
          settings: [...sparse, ...(options.settings ?? [])],
        }),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Not with the folders above it: a data directory that was deleted stays so. */
async function makeFolder(viewsDir: string): Promise<string> {
  await mkdir(viewsDir, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  return mkdtemp(path.join(viewsDir, 'view-'));
}

/** Deletes the views that a server left open when it was ended. A git that still looks through one fails. */
export function sweepViews(context: GitContext): Promise<void> {
  return deleteTree(context.viewsDir);
}

/**
 * The checkout's git directory, which must be the registered repository's own or the one that git made in it for this
 * checkout: not always of the same name, and not another worktree's.
 * @throws NOT_FOUND when the checkout is gone, CONFLICT when it leads elsewhere.
 */
export async function registeredGitDir({ path: at, commonDir }: Checkout): Promise<string> {
  const gitDir = await gitDirOf(at);
  if (gitDir === commonDir) return gitDir;
  if (path.dirname(gitDir) === path.join(commonDir, 'worktrees') && (await isRecordedAt(gitDir, at))) return gitDir;
  const advice = `Find out what changed ${path.join(at, '.git')} before you run git there.`;
  const message = `${at} now leads to the git directory ${gitDir}, which ${commonDir} does not have for it. ${advice}`;
  throw new ConsoleError('CONFLICT', message, { path: at, gitDir, commonDir });
}

async function isRecordedAt(adminDir: string, at: string): Promise<boolean> {
  const recorded = await recordedPath(adminDir);
  if (recorded === null) return false;
  const [there, here] = await Promise.all([recorded, at].map((each) => realpath(each).catch(() => each)));
  return there === here;
}

async function imitate(gitDir: string, commonDir: string, folder: string): Promise<void> {
  const head = await readLine(path.join(gitDir, 'HEAD'));
  if (head === null) {
    const message = `${gitDir} has no HEAD that can be read. Write it again, for example: ref: refs/heads/<branch>`;
    throw new ConsoleError('GIT_FAILED', message, { path: gitDir, stderr: '' });
  }
  await writeFile(path.join(folder, 'HEAD'), `${head}\n`);
  await writeFile(path.join(folder, 'commondir'), `${commonDir}\n`);
  const names = (await readdir(gitDir)).filter((name) => SHOWN.test(name));
  await Promise.all(names.map((name) => symlink(path.join(gitDir, name), path.join(folder, name))));
}

/** Without it git would not look at files of a sparse checkout that lie outside of what it checked out. */
async function sparseSettings(context: GitContext, gitDir: string): Promise<string[]> {
  const file = path.join(gitDir, 'config.worktree');
  if (!(await lstat(file).catch(() => null))?.isFile()) return [];
  const args = ['config', '--file', file, '--no-includes', '--type=bool', '--get', 'core.sparseCheckout'];
  const { stdout } = await context.run(args, { cwd: '/', okCodes: [0, 1, 3, 128] });
  return stdout.toString().trim() === 'true' ? ['core.sparseCheckout=true'] : [];
}
