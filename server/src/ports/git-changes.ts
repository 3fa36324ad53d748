import type { ConsoleError } from '@agent-console/shared/errors';
import type { Checkout, Repository } from './checkout.ts';

/** What is known about a commit before git creates it. */
export interface CommitPlan {
  /** Commit of HEAD, or null if the branch has no commits. */
  before: string | null;
  /** Number of changed files that the commit will contain. */
  files: number;
  /** Untracked repositories inside the worktree, which are not committed. */
  leftOut: string[];
}

/** A git command line that a worker's process runs, instead of the console itself. */
export interface GitCommand {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** Identifies a hunk of the diff against HEAD by the file, and by the line numbers at which the hunk begins. */
export interface HunkName {
  path: string;
  oldStart: number;
  newStart: number;
  /** Expected lines of the hunk. If the hunk now has other lines, it is not discarded. Undefined skips this check. */
  lines?: readonly string[] | undefined;
}

/** The remote branch to which a push sends the commits of a branch. */
export interface PushTarget {
  remote: string;
  branch: string;
  /** Whether the branch has no upstream yet, so that the push sets it. */
  setsUpstream: boolean;
  /** Commit of the local branch at the time when this target was read. */
  commit: string;
  /** URL of the remote without credentials. */
  url: string;
}

/** Comparison of a branch with its remote branch as last fetched. */
export interface UnpushedCommits {
  /** Commit of the remote branch; null if the remote is not known to have the branch. */
  before: string | null;
  /**
   * Number of commits to push: those that the remote branch lacks or, without a remote branch, those that no branch of
   * the remote has.
   */
  ahead: number;
  /** Number of commits that only the remote branch has. */
  behind: number;
  /** The commits counted in `ahead`, newest first, at most PUSH_COMMITS_LISTED_MAX. */
  commits: { commit: string; subject: string }[];
}

/** The git functions that change one worktree: they commit, discard changes, run hooks and push. */
export interface GitChanges {
  /**
   * Prepares the index of a commit in a separate file, which is identified by `id`. The index of the worktree is not
   * changed.
   * @param paths files and directories; undefined for all changes.
   * @throws CONFLICT if there is nothing to commit, if one of `paths` has no changes, if files are unmerged, if a
   * rebase, cherry-pick or revert is in progress, or if `paths` is given during a merge, which can only be committed as
   * a whole. GIT_FAILED, for example if another process keeps the lock of the index.
   */
  prepareCommit(checkout: Checkout, id: string, paths: readonly string[] | undefined): Promise<CommitPlan>;
  /**
   * Returns the plan that `prepareCommit` would return, and up to RISK_LIST_MAX of the paths to commit.
   * @throws the errors that `prepareCommit` would throw because of the worktree's state, except for a locked index.
   */
  planCommit(checkout: Checkout, paths: readonly string[] | undefined): Promise<CommitPlan & { paths: string[] }>;
  /**
   * Commits the index that `prepareCommit` prepared, without hooks.
   * @throws CONFLICT if HEAD is no longer at `before`; GIT_FAILED, for example if no identity is configured.
   */
  commit(checkout: Checkout, id: string, commit: { message: string; before: string | null }): Promise<void>;
  /** Returns the command that commits the prepared index, with hooks. git reads the message from a file. */
  commitCommand(
    checkout: Checkout,
    id: string,
    commit: { messageFile: string; before: string | null },
  ): Promise<GitCommand>;
  /** Returns the error of a commit command that created no commit because HEAD was not at `before`; otherwise null. */
  movedError(checkout: Checkout, exitCode: number | null): ConsoleError | null;
  /**
   * Sets the committed files in the worktree's index to the new commit, and deletes what `prepareCommit` prepared.
   * Idempotent. Returns the commit.
   */
  finishCommit(checkout: Checkout, id: string, before: string | null): Promise<string>;
  /** Deletes the files that `prepareCommit` or `prepareHooks` created. */
  dropPrepared(checkout: Checkout, id: string): Promise<void>;
  /**
   * Returns the commit of HEAD if it is the commit that was to be made; otherwise null. Its parent must be
   * `made.before`, and it must have the message `made.message` or the files of the prepared index `id`.
   */
  committed(checkout: Checkout, id: string, made: { message: string; before: string | null }): Promise<string | null>;
  /**
   * Discards uncommitted changes after saving the whole worktree in a recovery ref.
   * @throws CONFLICT, with nothing changed, if there is nothing to discard, if one of `paths` has no changes, if a
   * named hunk no longer exists or its file can only be discarded as a whole, if one of the files changes in the
   * meantime, or if a merge, rebase, cherry-pick or revert is in progress.
   */
  discard(
    checkout: Checkout,
    name: string,
    what: {
      paths?: readonly string[] | undefined;
      hunks?: readonly HunkName[] | undefined;
      /** Called after the worktree was saved and before a file changes. If it throws, no file is changed. */
      onSaved(recoveryRef: string): Promise<void>;
      /** Called before the refusal if a file changed during `onSaved`, so that nothing is discarded. */
      onRefused(recoveryRef: string): Promise<void>;
    },
  ): Promise<{ recoveryRef: string; files: number; leftOut: string[] }>;
  /**
   * Restores the changes that `discard` saved as `recoveryRef`, after saving the worktree in another recovery ref. A
   * repetition after a crash restores the changes that are still missing.
   * @param onSaved called before a file changes. If it throws, nothing changes.
   * @throws NOT_FOUND if `recoveryRef` is not a recovery ref of this worktree, or was written before the first commit.
   * UNSUPPORTED before git 2.38. CONFLICT, with nothing changed, if the same parts of files have changed since, if an
   * unsaved file is in the way, if nothing is left to restore, or if a merge, rebase, cherry-pick or revert is in
   * progress.
   */
  undoDiscard(
    checkout: Checkout,
    name: string,
    recoveryRef: string,
    onSaved: () => Promise<void>,
  ): Promise<{ recoveryRef: string; files: number }>;
  /** Whether `ancestor` is an ancestor of `descendant`, or the same commit. */
  isAncestor(repository: Repository, ancestor: string, descendant: string): Promise<boolean>;
  /** Returns the folder of the repository's hooks, or null if it contains no hooks. */
  hooksFolder(checkout: Checkout): Promise<string | null>;
  /**
   * Creates an index and a message file for the hooks of a commit that is not checked out. `dropPrepared` deletes both.
   * Returns the path of the message.
   */
  prepareHooks(checkout: Checkout, id: string, commit: string): Promise<string>;
  /**
   * Returns the command that runs the hook named `hook`, which reads the index that `prepareHooks` created. Null if the
   * repository has no such hook.
   */
  hookCommand(checkout: Checkout, id: string, hook: string, args: readonly string[]): Promise<GitCommand | null>;
  /** Returns the message that `prepareHooks` wrote and that a hook may have changed. */
  preparedMessage(checkout: Checkout, id: string): Promise<string>;
  /**
   * Returns the remote branch to which a branch is pushed.
   * @throws CONFLICT if there is no remote, if the upstream has another name than the branch, or if the branch has no
   * commits.
   */
  pushTarget(checkout: Checkout, branch: string): Promise<PushTarget>;
  /** Returns the commits that a push would send, according to the last fetch. */
  unpushed(checkout: Checkout, target: PushTarget): Promise<UnpushedCommits>;
  /** Returns the commit that a push has just sent to its target. */
  pushedCommit(checkout: Checkout, target: PushTarget): Promise<string>;
  /** Returns the command that pushes a branch and runs the repository's hooks. */
  pushCommand(checkout: Checkout, target: PushTarget, force: boolean): Promise<GitCommand>;
}
