import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import type { BranchMove, MoveState } from '../ports/git-integration.ts';
import { registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { stderrOf } from './failure.ts';
import { inProgress } from './in-progress.ts';
import { requireBranchName } from './names.ts';
import { saveRecovery } from './recovery-save.ts';
import { type BytePath, displayPath, readStatus } from './status.ts';
import { worktreesOf } from './worktree-list.ts';

interface Repository {
  path: string;
  commonDir: string;
}

/** Returns the commit of a local branch. @throws NOT_FOUND. */
export async function tipOf(context: GitContext, { path: cwd }: Repository, branch: string): Promise<string> {
  requireBranchName(branch);
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`];
  const { exitCode, stdout } = await context.run(args, { cwd, okCodes: [0, 1, 128] });
  if (exitCode !== 0) throw notFound('Branch', branch);
  return stdout.toString().trim();
}

/**
 * Moves a branch by compare-and-set. If it is checked out, the index and files of that checkout are moved first, so that
 * the ref is the last thing to change. Nothing is changed unless the checkout is clean.
 * @throws CONFLICT naming the files in the way.
 */
export async function moveBranch(context: GitContext, repository: Repository, move: BranchMove): Promise<void> {
  requireBranchName(move.branch);
  await context.queues.run(repository.commonDir, async () => {
    await requireTip(context, repository, move);
    const checkout = await checkoutOf(context, repository, move.branch);
    if (checkout === null) return setRef(context, repository.path, move);
    const gitDir = await registeredGitDir(checkout);
    await requireClean(context, checkout, gitDir, move);
    await moveFiles(context, checkout, gitDir, move.from, move.to);
    await setRef(context, repository.path, move).catch(async (error) => {
      await moveFiles(context, checkout, gitDir, move.to, move.from);
      throw error;
    });
  });
}

/**
 * Returns the checkout of a branch, or null if it is not checked out.
 * @throws CONFLICT if several checkouts have it, because moving it would change all of them.
 */
async function checkoutOf(
  context: GitContext,
  { path: cwd, commonDir }: Repository,
  branch: string,
): Promise<CheckoutLocation | null> {
  const entries = await worktreesOf(context, cwd, commonDir);
  const found = entries.filter((entry) => entry.branch === branch && !entry.prunable);
  if (found.length > 1) {
    const paths = found.map((entry) => entry.path);
    throw new ConsoleError(
      'CONFLICT',
      `Branch ${branch} is checked out in ${found.length} places (${paths.join(', ')}), so it cannot be moved. Check out another branch in all but one.`,
      { branch, paths },
    );
  }
  const [entry] = found;
  return entry === undefined ? null : { path: entry.path, commonDir };
}

async function requireTip(context: GitContext, repository: Repository, { branch, from }: BranchMove): Promise<void> {
  const tip = await tipOf(context, repository, branch);
  if (tip !== from) throw moved(branch, from, tip);
}

function moved(branch: string, from: string, tip: string): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Branch ${branch} has moved from ${from.slice(0, 12)} to ${tip.slice(0, 12)} in the meantime, so nothing was changed. Try again.`,
    { branch, expected: from, actual: tip },
  );
}

async function setRef(context: GitContext, cwd: string, { branch, from, to, reason }: BranchMove): Promise<void> {
  await context.run(['update-ref', '--create-reflog', '-m', reason, '--', `refs/heads/${branch}`, to, from], { cwd });
}

async function requireClean(
  context: GitContext,
  checkout: CheckoutLocation,
  gitDir: string,
  { branch, from, to }: BranchMove,
): Promise<void> {
  const operation = await inProgress(gitDir);
  if (operation !== null) {
    throw new ConsoleError(
      'CONFLICT',
      `Branch ${branch} is checked out at ${checkout.path}, where a ${operation.operation} is in progress. Finish or abort it first.`,
      { branch, path: checkout.path, operation: operation.operation },
    );
  }
  const status = await withView(context, checkout, (view) => readStatus(view, false));
  const changed = status.changes.map((change) => change.path);
  const inTheWay = await presentPaths(checkout.path, await addedPaths(context, checkout.path, from, to));
  const files = [...new Set([...changed, ...inTheWay])].map(displayPath);
  if (files.length === 0) return;
  throw new ConsoleError(
    'CONFLICT',
    `Branch ${branch} is checked out at ${checkout.path}, where these files would be overwritten or have uncommitted changes: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}. Commit or move them first.`,
    { branch, path: checkout.path, files: files.slice(0, RISK_LIST_MAX) },
  );
}

async function changedPaths(
  context: GitContext,
  cwd: string,
  from: string,
  to: string,
  filter: string,
): Promise<BytePath[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-commit-id', filter, from, to, '--'];
  const { stdout } = await context.run(args, { cwd });
  return stdout.toString('latin1').split('\0').filter(Boolean);
}

/** Paths that only the new commit has. Files of these names are untracked, so git would overwrite them. */
function addedPaths(context: GitContext, cwd: string, from: string, to: string): Promise<BytePath[]> {
  return changedPaths(context, cwd, from, to, '--diff-filter=A');
}

async function presentPaths(root: string, paths: readonly BytePath[]): Promise<BytePath[]> {
  const present = await Promise.all(
    paths.map((each) =>
      lstat(Buffer.concat([Buffer.from(root + path.sep), Buffer.from(each, 'latin1')])).then(
        // A folder is no obstacle here: git refuses by itself if it contains untracked files.
        (stat) => !stat.isDirectory(),
        () => false,
      ),
    ),
  );
  return paths.filter((_, at) => present[at]);
}

/** Moves the index and the files of a checkout from one commit to another, keeping untracked files. */
async function moveFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  gitDir: string,
  from: string,
  to: string,
): Promise<void> {
  const env = { GIT_DIR: gitDir, GIT_COMMON_DIR: checkout.commonDir, GIT_WORK_TREE: checkout.path };
  const options = { cwd: checkout.path, env, filters: 'write' as const };
  await context.run(['update-index', '-q', '--refresh'], { ...options, okCodes: [0, 1] });
  await context.run(['read-tree', '-m', '-u', from, to], options).catch((error: unknown) => {
    const file = /(?:file|Entry) '(.+)' (?:would be|not uptodate)/.exec(stderrOf(error))?.[1];
    if (file === undefined) throw error;
    throw new ConsoleError(
      'CONFLICT',
      `The file ${file} in ${checkout.path} would be overwritten. Commit or move it first.`,
      { path: checkout.path, files: [file] },
      { cause: error },
    );
  });
}

/**
 * Makes branch, index and files agree after a crash during `moveBranch`. The files of the checkout were clean when the
 * move began, so files that differ now are those of the new commit, or were changed since. They are saved in a recovery
 * ref before they are set back.
 */
export async function settleMove(context: GitContext, repository: Repository, move: BranchMove): Promise<MoveState> {
  return context.queues.run(repository.commonDir, async () => {
    const tip = await tipOf(context, repository, move.branch);
    if (tip === move.to) return 'after';
    if (tip !== move.from) return 'elsewhere';
    const checkout = await checkoutOf(context, repository, move.branch);
    if (checkout === null) return 'before';
    const gitDir = await registeredGitDir(checkout);
    const status = await withView(context, checkout, (view) => readStatus(view, false));
    const touched = new Set(await changedPaths(context, checkout.path, move.from, move.to, '--diff-filter=ACDMRT'));
    const changed = status.changes.map((change) => change.path);
    // An untracked folder is listed by its own name, which ends in a slash.
    const isUntracked = (each: BytePath) => status.untracked.some((name) => each === name || each.startsWith(name));
    if (!changed.some((each) => touched.has(each)) && ![...touched].some(isUntracked)) return 'before';
    await saveRecovery(context, checkout, path.basename(checkout.path));
    await resetFiles(context, checkout, gitDir, move, [...touched]);
    return 'before';
  });
}

/** Sets the paths back to the commit `from`, in the index and in the files. */
async function resetFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  gitDir: string,
  { from }: BranchMove,
  paths: readonly BytePath[],
): Promise<void> {
  const env = {
    GIT_DIR: gitDir,
    GIT_COMMON_DIR: checkout.commonDir,
    GIT_WORK_TREE: checkout.path,
    GIT_LITERAL_PATHSPECS: '1',
  };
  const input = Buffer.from(paths.map((each) => `${each}\0`).join(''), 'latin1');
  const args = ['restore', `--source=${from}`, '--staged', '--worktree', '--no-overlay'];
  await context.run([...args, '--pathspec-from-file=-', '--pathspec-file-nul'], {
    cwd: checkout.path,
    env,
    filters: 'write',
    input,
  });
}
