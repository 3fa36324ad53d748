import path from 'node:path';
import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { listNames } from '@agent-console/shared/words';
import type { BranchMove, MoveState } from '../ports/git-integration.ts';
import { linkInBranch } from './branch-links.ts';
import { type CheckoutView, registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { stderrOf } from './failure.ts';
import { inProgress, rebasedBranch } from './in-progress.ts';
import { finishWriting, type IndexLock, releaseOwnLock, wasWriting, withIndexLock } from './index-lock.ts';
import { contains } from './kept-commits.ts';
import { registrations } from './layout.ts';
import {
  type ChangedPath,
  changedPaths,
  filesInTheWay,
  isRefusal,
  requireFilters,
  resetFiles,
  writeFiles,
} from './move-files.ts';
import { requireBranchName } from './names.ts';
import { saveRecovery } from './recovery-save.ts';
import { branchCommit } from './refs.ts';
import { type Change, displayPath, trackedChanges } from './status.ts';
import { worktreesOf } from './worktree-list.ts';

interface Repository {
  path: string;
  commonDir: string;
}

/** Returns the commit of a local branch. @throws NOT_FOUND. */
export async function tipOf(context: GitContext, { path: cwd }: Repository, branch: string): Promise<string> {
  requireBranchName(branch);
  const commit = await branchCommit(context, cwd, branch);
  if (commit === null) throw notFound('Branch', branch);
  return commit;
}

/**
 * Moves a branch by compare-and-set. If the branch is checked out, the files are changed first, then the index, then
 * the ref. If the checkout is not clean, nothing is changed.
 * @throws NOT_FOUND if the branch does not exist; GIT_FAILED if git fails, for example because of a filter of the files
 * or a locked index; CONFLICT if the state of the branch or of its checkout does not allow the move.
 */
export async function moveBranch(context: GitContext, repository: Repository, move: BranchMove): Promise<void> {
  requireBranchName(move.branch);
  await context.queues.run(repository.commonDir, async () => {
    const checkout = await movableCheckout(context, repository, move);
    if (checkout === null) return setRef(context, repository.path, move);
    const gitDir = await registeredGitDir(checkout);
    await withIndexLock(context, gitDir, (lock) => moveCheckedOut(context, repository, { checkout, lock, move }));
  });
}

/** Throws the errors that `moveBranch` would throw because of the branch and its checkout. */
export async function requireMovable(context: GitContext, repository: Repository, move: BranchMove): Promise<void> {
  requireBranchName(move.branch);
  await context.queues.run(repository.commonDir, async () => {
    const checkout = await movableCheckout(context, repository, move);
    if (checkout === null) return;
    await withView(context, checkout, async (view) => {
      const [paths, changes] = await Promise.all([changedPaths(view, move.from, move.to), trackedChanges(view)]);
      await requireClean(view, move, { paths, changes });
    });
  });
}

/**
 * Returns the checkout of the branch, if there is one.
 * @throws CONFLICT if the state of the branch or the checkout does not allow the move.
 */
async function movableCheckout(
  context: GitContext,
  repository: Repository,
  move: BranchMove,
): Promise<CheckoutLocation | null> {
  const [checkout] = await Promise.all([
    checkoutOf(context, repository, move.branch),
    requireTip(context, repository, move),
    requireNoLink(repository.commonDir, move.branch),
    requireNoRebase(repository, move.branch),
  ]);
  if (checkout !== null) await requireNoOperation(await registeredGitDir(checkout), checkout, move);
  return checkout;
}

interface CheckedOutMove {
  checkout: CheckoutLocation;
  lock: IndexLock;
  move: BranchMove;
}

async function moveCheckedOut(context: GitContext, repository: Repository, spec: CheckedOutMove): Promise<void> {
  const { checkout, lock, move } = spec;
  await withView(context, checkout, async (view) => {
    const [paths, changes] = await Promise.all([changedPaths(view, move.from, move.to), trackedChanges(view)]);
    await requireClean(view, move, { paths, changes });
    await requireFilters(view, move.from, paths);
    await lock.startWriting();
    try {
      await writeFiles(view, move);
      await lock.install(path.join(view.folder, 'index'));
      await setRef(context, repository.path, move);
    } catch (error) {
      // Nothing is reset, because git has changed no file. A reset would overwrite what somebody has just written.
      if (isRefusal(error)) throw error;
      const recoveryRef = await resetCheckout(context, spec).catch((cause: unknown) => {
        throw partlyMoved(checkout, move, error, cause);
      });
      throw recoveryRef === null ? error : withRecoveryRef(error, recoveryRef);
    }
  });
}

/**
 * Resets the index and the files of a checkout to the commit before the move. Returns the recovery ref with the files
 * before the reset; null if no file had to be saved. If the disk is too full to save files, they are reset only if
 * their content comes from `from` or `to`.
 */
async function resetCheckout(
  context: GitContext,
  { checkout, lock, move: { from, to } }: Omit<CheckedOutMove, 'lock'> & { lock: Pick<IndexLock, 'install'> },
): Promise<string | null> {
  let recoveryRef: string | null = null;
  const save = async () => {
    const saved = await saveRecovery(context, checkout, path.basename(checkout.path));
    recoveryRef = saved.ref;
    return saved;
  };
  await withView(context, checkout, (view) => resetFiles(view, { from, to, lock, save }));
  return recoveryRef;
}

/** Adds to the error of an undone move the name of the recovery ref that contains the overwritten files. */
function withRecoveryRef(error: unknown, recoveryRef: string): unknown {
  if (!(error instanceof ConsoleError)) return error;
  const message = `${error.message} The files were reset. Their contents before the reset, including changes by other programs, are saved in ${recoveryRef}.`;
  return new ConsoleError(error.code, message, { ...error.details, recoveryRef }, { cause: error });
}

function partlyMoved({ path: at }: CheckoutLocation, { branch, from }: BranchMove, error: unknown, cause: unknown) {
  const reasons = [error, cause].map((each) => (each instanceof Error ? each.message : String(each)));
  const message = `The files of ${at} were partly changed (${reasons[0]}), and could not be restored (${reasons[1]}). Branch ${branch} was not moved. Solve the problem, then restore the files with: git -C '${at}' reset --hard ${from.slice(0, 12)}`;
  return new ConsoleError('GIT_FAILED', message, { path: at, branch, stderr: stderrOf(error) }, { cause });
}

function notSettled(
  { path: at }: CheckoutLocation,
  { branch }: BranchMove,
  gitDir: string,
  error: unknown,
): ConsoleError {
  const reason = error instanceof Error ? error.message : String(error);
  const advice = `Solve the problem, then delete ${path.join(gitDir, 'index.lock')} and restore the files with: git -C '${at}' reset --hard`;
  const message = `The console was stopped while it moved branch ${branch}. The files of ${at} were partly changed, and could not be restored (${reason}). ${advice}`;
  return new ConsoleError('GIT_FAILED', message, { path: at, branch, stderr: stderrOf(error) }, { cause: error });
}

/**
 * Returns the checkout of a branch; null if the branch is not checked out.
 * @throws CONFLICT if the branch is checked out several times, because a move would change all of these checkouts.
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
      `Branch ${branch} is checked out in ${found.length} worktrees (${paths.join(', ')}), so it cannot be moved. Check out another branch in all but one of them.`,
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

/**
 * Moves the ref of a branch by compare-and-set. Reads the branch to find out whether the move succeeded, because the
 * command can move the branch and still fail, for example at its time limit.
 * @throws CONFLICT if somebody else moved the branch, GIT_FAILED.
 */
async function setRef(context: GitContext, cwd: string, { branch, from, to, reason }: BranchMove): Promise<void> {
  const args = ['update-ref', '--create-reflog', '-m', reason, '--', `refs/heads/${branch}`, to, from];
  await context.run(args, { cwd }).catch(async (error: unknown) => {
    const tip = await branchCommit(context, cwd, branch).catch(() => null);
    if (tip === to) return;
    throw tip === null || tip === from ? error : moved(branch, from, tip);
  });
}

/**
 * @throws CONFLICT if the path of the branch's ref contains a symbolic link, because git would write to the link's
 * target.
 */
async function requireNoLink(commonDir: string, branch: string): Promise<void> {
  const link = await linkInBranch(commonDir, branch);
  if (link === null) return;
  const message = `${link} is a symbolic link, and git would write the branch ${branch} to its target. Check the target of the link, then delete the link.`;
  throw new ConsoleError('CONFLICT', message, { branch, path: link });
}

/** @throws CONFLICT while the branch is being rebased in any checkout, because the rebase would later undo the move. */
async function requireNoRebase({ path: main, commonDir }: Repository, branch: string): Promise<void> {
  const linked = await registrations(commonDir);
  for (const { adminDir, path: at } of [{ adminDir: commonDir, path: main }, ...linked]) {
    if ((await rebasedBranch(adminDir)) !== branch) continue;
    const message = `Branch ${branch} is being rebased at ${at}. Finish or abort the rebase first.`;
    throw new ConsoleError('CONFLICT', message, { branch, path: at, operation: 'rebase' });
  }
}

async function requireNoOperation(gitDir: string, { path: at }: CheckoutLocation, { branch }: BranchMove) {
  const operation = await inProgress(gitDir);
  if (operation === null) return;
  throw new ConsoleError(
    'CONFLICT',
    `Branch ${branch} is checked out at ${at}, where a ${operation.operation} is in progress. Finish or abort it first.`,
    { branch, path: at, operation: operation.operation },
  );
}

/** @throws CONFLICT naming files that the move would overwrite or that have uncommitted changes. */
async function requireClean(
  view: CheckoutView,
  { branch }: BranchMove,
  { paths, changes }: { paths: readonly ChangedPath[]; changes: readonly Change[] },
): Promise<void> {
  // Unstaged changes in submodules are allowed, because a move changes no files inside submodules.
  const changed = changes.filter((change) => change.staged || !change.submodule).map((change) => change.path);
  const inTheWay = await filesInTheWay(view.path, paths);
  const files = [...new Set([...changed, ...inTheWay])].map(displayPath);
  if (files.length === 0) return;
  throw new ConsoleError(
    'CONFLICT',
    `Branch ${branch} is checked out at ${view.path}, where these files would be overwritten or have uncommitted changes: ${listNames(files)}. Commit or move them first.`,
    { branch, path: view.path, files: files.slice(0, RISK_LIST_MAX) },
  );
}

/**
 * Makes branch, index and files agree after a crash during `moveBranch`. Files are reset only if the lock of the move
 * shows that it had begun to change them. Before the reset, files that differ from the commit `from` are saved in a
 * recovery ref. If the branch is at a third commit, files are reset only if that commit was not made on top of this
 * move. Files are also reset if the branch no longer exists.
 */
export async function settleMove(context: GitContext, repository: Repository, move: BranchMove): Promise<MoveState> {
  requireBranchName(move.branch);
  return context.queues.run(repository.commonDir, async () => {
    const tip = await branchCommit(context, repository.path, move.branch);
    const checkout = await checkoutOf(context, repository, move.branch);
    const state = tip === move.to ? 'after' : tip === move.from ? 'before' : 'elsewhere';
    if (checkout === null) return state;
    const gitDir = await registeredGitDir(checkout);
    const isUnfinished =
      state !== 'after' &&
      (await wasWriting(context, gitDir)) &&
      (state === 'before' || tip === null || !(await isBuiltOnMove(context, repository, tip, move)));
    if (isUnfinished) {
      await finishWriting(gitDir, (lock) => resetCheckout(context, { checkout, lock, move })).catch(
        (error: unknown) => {
          throw notSettled(checkout, move, gitDir, error);
        },
      );
    } else {
      await releaseOwnLock(context, gitDir);
    }
    return state;
  });
}

/**
 * Whether the branch had already been moved to `to` when somebody committed `tip`. False if somebody moved the branch
 * from `from` to `tip` before this move reached it.
 */
async function isBuiltOnMove(
  context: GitContext,
  { path: cwd }: Repository,
  tip: string,
  { from, to }: BranchMove,
): Promise<boolean> {
  if (!(await contains(context, cwd, tip, to))) return false;
  // A move can go back to an earlier commit, for example to undo an integration. `from` then contains `to`, so a tip
  // that contains `from` contains `to` too, although it was not made on top of the move.
  return (await contains(context, cwd, to, from)) || !(await contains(context, cwd, tip, from));
}
