import type { Checkout } from '../ports/checkout.ts';
import type { Git } from '../ports/git.ts';
import { registeredGitDir } from './checkout-view.ts';
import { clone, discardClone } from './clone.ts';
import { combine, isAncestor } from './combine.ts';
import { createGitLine, createRunGit } from './command.ts';
import { commit, commitCommand, committed, finishCommit, movedError, planCommit, prepareCommit } from './commit.ts';
import { committedFiles } from './committed-files.ts';
import { createBaseComparisons } from './compare-base.ts';
import type { CheckoutLocation, GitContext, GitLog } from './context.ts';
import { createRepository } from './create-repository.ts';
import { deleteTree } from './delete-folder.ts';
import { diff } from './diff.ts';
import { discard } from './discard.ts';
import { fetchUpstream, resolveRemote } from './fetch.ts';
import { filesBetween } from './files-between.ts';
import { dropPrepared, hookCommand, hooksFolder, preparedMessage, prepareHooks } from './hooks.ts';
import { inspect } from './inspect.ts';
import { contains, deleteBranch, keepCommits, pruneKeptCommits } from './kept-commits.ts';
import { endLeftovers } from './leftover.ts';
import { listFiles } from './list-files.ts';
import { moveBranch, requireMovable, settleMove, tipOf } from './move-branch.ts';
import { requireCommitish, validBranchName } from './names.ts';
import { type RunProcess, runProcess as runAsChild } from './process.ts';
import { pushCommand, pushedCommit, pushTarget, unpushed } from './push.ts';
import { createQueues } from './queue.ts';
import { pruneRecoveries, readRecovery } from './recovery-ref.ts';
import { restoreWorktree } from './recovery-restore.ts';
import { listLeftOut, saveHead, saveRecovery } from './recovery-save.ts';
import { branchExists, branches, resolveLocal } from './refs.ts';
import { removalRisk } from './removal-risk.ts';
import { createSnapshots } from './snapshots.ts';
import { changedFiles, readHead, readState } from './status.ts';
import { emptySubmodules } from './submodules.ts';
import { removeTemporaryFiles } from './temporary-files.ts';
import { undoDiscard } from './undo-discard.ts';
import { checkGitVersion } from './version.ts';
import { addWorktree, isEmpty, isIncomplete } from './worktree-add.ts';
import { discardWorktree, removeWorktree } from './worktree-discard.ts';
import { listWorktrees } from './worktree-list.ts';

export interface GitOptions {
  /**
   * Absolute path of the folder for the private copies of git directories through which git reads checkouts (see
   * `CheckoutView`). Its parent must exist. Agents' sandboxes must not be able to write to it, so it must not be in the
   * folder for temporary files, to which sandboxes usually can write.
   */
  viewsDir: string;
  /** Clock in milliseconds since 1970, used in the names of recovery refs. Default: the system clock. */
  clock?: () => number;
  /** Log for failed clean-ups. Default: none. */
  log?: GitLog;
  /** Environment to select git's variables from. Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Function that starts git. Default: git is a child of this process. */
  runProcess?: RunProcess;
}

/**
 * Creates the adapter for the installed `git`. Create only one per process, because its queues order all operations on
 * a repository.
 */
export function createGit(options: GitOptions): Git {
  const { env = process.env, runProcess = runAsChild } = options;
  const context: GitContext = {
    runProcess,
    run: createRunGit(env, runProcess, options.viewsDir),
    line: createGitLine(env, runProcess),
    queues: createQueues(),
    log: options.log ?? { warn: () => {} },
    clock: options.clock ?? Date.now,
    viewsDir: options.viewsDir,
  };
  const comparisons = createBaseComparisons(context);
  const snapshots = createSnapshots(context, comparisons);
  let version: Promise<unknown> | undefined;
  /**
   * Checks git's version before the first `inspect` or `clone`. Every repository is registered with one of these calls.
   * Repeats a failed check, since git may have been installed meanwhile.
   */
  const requireGit = () => {
    version ??= checkGitVersion(context.run).catch((error: unknown) => {
      version = undefined;
      throw error;
    });
    return version;
  };
  return {
    inspect: (path) => requireGit().then(() => inspect(context, path)),
    clone: (...args) => requireGit().then(() => clone(context, ...args)),
    discardClone: (target) => discardClone(context, target),
    branches: ({ path }) => branches(context, path),
    validBranchName,
    branchExists: ({ path }, branch) => branchExists(context, path, branch),
    async resolveBase({ path }, base, useRemote) {
      requireCommitish(base);
      return useRemote ? resolveRemote(context, path, base) : resolveLocal(context, path, base);
    },
    committedFiles: ({ path }, ...args) => committedFiles(context, path, ...args),
    createRepository: (path) => createRepository(context, path),
    filesBetween: ({ path }, from, to) => filesBetween(context, path, from, to),
    listWorktrees: ({ path }) => listWorktrees(context, path),
    addWorktree: (checkout, options) => addWorktree(context, { ...specOf(checkout), ...options }),
    isIncomplete: ({ worktree }) => isIncomplete(worktree.path),
    isEmpty: ({ worktree }) => isEmpty(worktree.path),
    emptySubmodules: ({ worktree }) => emptySubmodules(worktree.path),
    discardWorktree: (checkout, options) => discardWorktree(context, { ...specOf(checkout), ...options }),
    removalRisk: (checkout) => removalRisk(context, locationOf(checkout)),
    async saveRecovery(checkout, name) {
      const saved = await saveRecovery(context, locationOf(checkout), name);
      return { ...saved, leftOut: listLeftOut(saved.leftOut) };
    },
    saveHead: (checkout, name) => saveHead(context, { ...specOf(checkout), name }),
    removeWorktree: ({ repository, worktree }) => removeWorktree(context, repository.path, worktree.path),
    recoveryBranch: async ({ path }, ref) => (await readRecovery(context, path, ref)).branch,
    restoreWorktree: (checkout, recoveryRef) => restoreWorktree(context, { ...specOf(checkout), recoveryRef }),
    pruneRecoveries: ({ path }, limits) => pruneRecoveries(context, path, limits),
    gitDir: (checkout) => registeredGitDir(locationOf(checkout)),
    head: (checkout) => readHead(context, locationOf(checkout)),
    state: (checkout) => readState(context, locationOf(checkout)),
    diff: (checkout, base) => diff(context, locationOf(checkout), base),
    // `endLeftovers` ends only the git processes of an earlier server that may write files of a checkout. Other git
    // processes of that server fail when their view is deleted.
    async sweep() {
      await endLeftovers(context.viewsDir);
      await removeTemporaryFiles(context.viewsDir);
      await deleteTree(context, context.viewsDir);
    },
    files: (checkout, page) => listFiles(context, locationOf(checkout), page),
    tipOf: (repository, branch) => tipOf(context, repository, branch),
    combine: ({ path }, spec) => combine(context, path, spec),
    fetchUpstream: ({ path }, branch) => fetchUpstream(context, path, branch),
    moveBranch: (repository, move) => moveBranch(context, repository, move),
    requireMovable: (repository, move) => requireMovable(context, repository, move),
    settleMove: (repository, move) => settleMove(context, repository, move),
    keepCommits: ({ path }, kept) => keepCommits(context, path, kept),
    pruneKeptCommits: ({ path }, before) => pruneKeptCommits(context, path, before),
    deleteBranch: (repository, branch, commit) => deleteBranch(context, repository, branch, commit),
    contains: ({ path }, commit, ancestor) => contains(context, path, commit, ancestor),
    compareWithBase: (checkout, work) => comparisons.compare(checkout.repository.path, locationOf(checkout), work),
    snapshot: (checkout, base, last) => snapshots.take(checkout.repository.path, locationOf(checkout), base, last),
    conflictsBetween: (repository, one, other) => snapshots.conflicts(repository, one, other),
    prepareCommit: (checkout, id, paths) => prepareCommit(context, locationOf(checkout), id, paths),
    planCommit: (checkout, paths) => planCommit(context, locationOf(checkout), paths),
    commit: (checkout, id, made) => commit(context, locationOf(checkout), id, made),
    commitCommand: (checkout, id, made) => commitCommand(context, locationOf(checkout), id, made),
    movedError: (checkout, exitCode) => movedError(locationOf(checkout), exitCode),
    finishCommit: (checkout, id, before) => finishCommit(context, locationOf(checkout), id, before),
    dropPrepared: (checkout, id) => dropPrepared(locationOf(checkout), id),
    committed: (checkout, id, made) => committed(context, locationOf(checkout), id, made),
    discard: (checkout, name, what) => discard(context, locationOf(checkout), name, what),
    undoDiscard: (checkout, name, recoveryRef, onSaved) =>
      undoDiscard(context, checkout.repository.path, locationOf(checkout), { name, recoveryRef, onSaved }),
    isAncestor: ({ path }, ancestor, descendant) => isAncestor(context, path, ancestor, descendant),
    hooksFolder: (checkout) => hooksFolder(context, locationOf(checkout)),
    prepareHooks: (checkout, id, commit) => prepareHooks(context, locationOf(checkout), id, commit),
    hookCommand: (checkout, id, hook, args) => hookCommand(context, locationOf(checkout), id, hook, args),
    preparedMessage: (checkout, id) => preparedMessage(locationOf(checkout), id),
    pushTarget: (checkout, branch) => pushTarget(context, locationOf(checkout), branch),
    unpushed: (checkout, target) => unpushed(context, locationOf(checkout), target),
    pushedCommit: (checkout, target) => pushedCommit(context, locationOf(checkout), target),
    pushCommand: (checkout, target, force) => pushCommand(context, locationOf(checkout), target, force),
    changedFiles: (checkout, max) => changedFiles(context, locationOf(checkout), max),
  };
}

function locationOf({ repository, worktree }: Checkout): CheckoutLocation {
  return { path: worktree.path, commonDir: repository.commonDir };
}

function specOf({ repository, worktree }: Checkout): { repositoryPath: string; path: string; branch: string | null } {
  return { repositoryPath: repository.path, path: worktree.path, branch: worktree.branch };
}
