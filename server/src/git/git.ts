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
   * Folder, as an absolute path, for what is needed while git looks at a checkout; the one above it must be there. No
   * agent's sandbox may let it write there, as most do in the folder for temporary files.
   */
  viewsDir: string;
  /** Milliseconds since 1970; the system's clock unless told. It names recovery refs. */
  clock?: () => number;
  /** Where failed clean-ups are told; nowhere unless told. */
  log?: GitLog;
  /** The environment that git's own is picked from; the process's unless told. */
  env?: NodeJS.ProcessEnv;
}

/** The git adapter over the installed `git`. Its queues live in it, so a process makes one. */
export function createGit(options: GitOptions): Git {
  const context: GitContext = {
    run: createRunGit(options.env ?? process.env),
    queues: createQueues(),
    log: options.log ?? { warn: () => {} },
    clock: options.clock ?? Date.now,
    viewsDir: options.viewsDir,
  };
  let supported: Promise<unknown> | undefined;
  /** Asked once, where work with a repository begins; a failure is asked again, since git may have been installed. */
  const requireGit = () => {
    supported ??= readGitVersion(context.run).catch((error: unknown) => {
      supported = undefined;
      throw error;
    });
    return supported;
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
