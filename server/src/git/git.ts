import type { Git } from '../ports/git.ts';
import { registeredGitDir, sweepViews } from './checkout-view.ts';
import { clone, discardClone } from './clone.ts';
import { createRunGit } from './command.ts';
import type { GitContext, GitLog } from './context.ts';
import { diff } from './diff.ts';
import { resolveRemote } from './fetch.ts';
import { inspect } from './inspect.ts';
import { requireCommitish, validBranchName } from './names.ts';
import { createQueues } from './queue.ts';
import { pruneRecoveries, recoveryBranch } from './recovery-ref.ts';
import { restoreWorktree } from './recovery-restore.ts';
import { saveHead, saveRecovery } from './recovery-save.ts';
import { branchExists, branches, resolveLocal } from './refs.ts';
import { removalRisk } from './removal-risk.ts';
import { readState } from './status.ts';
import { trackedFiles } from './tracked-files.ts';
import { readGitVersion } from './version.ts';
import { addWorktree, isHalfMade } from './worktree-add.ts';
import { discardWorktree, removeWorktree } from './worktree-discard.ts';
import { listWorktrees } from './worktree-list.ts';

export { checkGitVersion } from './version.ts';

export interface GitOptions {
  /**
   * Absolute path of the folder for views of checkouts, whose parent must exist. It must not be writable in any agent's
   * sandbox, as the folder for temporary files usually is.
   */
  viewsDir: string;
  /** Milliseconds since 1970, for the names of recovery refs. Default: the system's clock. */
  clock?: () => number;
  /** Log for failed clean-ups. Default: none. */
  log?: GitLog;
  /** The environment from which git's is selected. Default: that of the process. */
  env?: NodeJS.ProcessEnv;
}

/** The git adapter over the installed `git`. A process creates only one, since it contains the queues. */
export function createGit(options: GitOptions): Git {
  const context: GitContext = {
    run: createRunGit(options.env ?? process.env),
    queues: createQueues(),
    log: options.log ?? { warn: () => {} },
    clock: options.clock ?? Date.now,
    viewsDir: options.viewsDir,
  };
  let version: Promise<unknown> | undefined;
  /** Checks the version once, when work with a repository begins. A failure is checked again: git may have been installed. */
  const requireGit = () => {
    version ??= readGitVersion(context.run).catch((error: unknown) => {
      version = undefined;
      throw error;
    });
    return version;
  };
  return {
    async inspect(path) {
      await requireGit();
      return inspect(context, path);
    },
    async clone(url, target, onProgress, signal) {
      await requireGit();
      return clone(context, url, target, onProgress, signal);
    },
    discardClone,
    branches: (repositoryPath) => branches(context, repositoryPath),
    validBranchName,
    branchExists: (repositoryPath, branch) => branchExists(context, repositoryPath, branch),
    async resolveBase(repositoryPath, base, useRemote) {
      requireCommitish(base);
      return useRemote ? resolveRemote(context, repositoryPath, base) : resolveLocal(context, repositoryPath, base);
    },
    listWorktrees: (repositoryPath) => listWorktrees(context, repositoryPath),
    addWorktree: (spec) => addWorktree(context, spec),
    isHalfMade,
    discardWorktree: (spec) => discardWorktree(context, spec),
    removalRisk: (checkout) => removalRisk(context, checkout),
    saveRecovery: (checkout, name) => saveRecovery(context, checkout, name),
    saveHead: (spec) => saveHead(context, spec),
    removeWorktree: (repositoryPath, path) => removeWorktree(context, repositoryPath, path),
    recoveryBranch: (repositoryPath, ref) => recoveryBranch(context, repositoryPath, ref),
    restoreWorktree: (spec) => restoreWorktree(context, spec),
    pruneRecoveries: (repositoryPath, before, keep) => pruneRecoveries(context, repositoryPath, before, keep),
    gitDir: registeredGitDir,
    state: (checkout) => readState(context, checkout),
    diff: (checkout, base) => diff(context, checkout, base),
    sweep: () => sweepViews(context),
    files: (checkout, page) => trackedFiles(context, checkout, page),
  };
}
