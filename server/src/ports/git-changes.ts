import type { ConsoleError } from '@agent-console/shared/errors';
import type { Checkout, Repository } from './checkout.ts';

/** What a commit starts from. */
export interface CommitPlan {
  /** Commit of HEAD, or null if the branch has none. */
  before: string | null;
  /** Number of files to commit. */
  files: number;
  /** Untracked repositories inside the worktree, which are not committed. */
  leftOut: string[];
}

/** A git command line for a process that the console does not start itself. */
export interface GitCommand {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** A hunk of the diff against HEAD, by its first lines. */
export interface HunkName {
  path: string;
  oldStart: number;
  newStart: number;
}

/** Where a push goes. */
export interface PushTarget {
  remote: string;
  branch: string;
  /** Whether the branch has no upstream yet, so that the push sets it. */
  setsUpstream: boolean;
  /** Commit that is pushed. */
  commit: string;
  /** URL of the remote without credentials. */
  url: string;
}

/** The part of git that changes one worktree: commits, discarded changes, hooks and pushes. */
export interface GitChanges {
  /**
   * Prepares the index of a commit in a file of its own, which `id` names. The index of the worktree is not changed.
   * @param paths files and directories; undefined for all changes.
   * @throws CONFLICT if there is nothing to commit, files are unmerged, or an operation other than a merge is in
   * progress; a merge can only be committed as a whole.
   */
  prepareCommit(checkout: Checkout, id: string, paths: readonly string[] | undefined): Promise<CommitPlan>;
  /** Throws what `prepareCommit` would throw about the state of the worktree. */
  requireCommittable(checkout: Checkout, paths: readonly string[] | undefined): Promise<void>;
  /**
   * Commits what `prepareCommit` prepared, without hooks.
   * @throws CONFLICT if HEAD is not at `before` any more, GIT_FAILED, for example without an identity.
   */
  commit(checkout: Checkout, id: string, commit: { message: string; before: string | null }): Promise<void>;
  /** Returns the command that commits what was prepared, with hooks. The message is in a file. */
  commitCommand(
    checkout: Checkout,
    id: string,
    commit: { messageFile: string; before: string | null },
  ): Promise<GitCommand>;
  /** Returns the error of a commit command that made nothing because HEAD was not at `before`; else null. */
  movedError(checkout: Checkout, exitCode: number | null): ConsoleError | null;
  /** Makes the worktree's index agree with the new commit and deletes the prepared one. Can be repeated. */
  finishCommit(checkout: Checkout, id: string, before: string | null): Promise<string>;
  /** Deletes what was prepared. */
  dropPrepared(checkout: Checkout, id: string): Promise<void>;
  /** Returns the commit of HEAD if it directly follows `before` and has this message; otherwise null. */
  committed(checkout: Checkout, before: string | null, message: string): Promise<string | null>;
  /**
   * Discards uncommitted changes after saving the whole worktree in a recovery.
   * @throws CONFLICT if there is nothing to discard, a named hunk no longer exists, or an operation is in progress.
   */
  discard(
    checkout: Checkout,
    name: string,
    what: { paths?: readonly string[] | undefined; hunks?: readonly HunkName[] | undefined },
  ): Promise<{ recoveryRef: string; files: number; leftOut: string[] }>;
  /** Whether one commit is an ancestor of the other, or the same. */
  isAncestor(repository: Repository, ancestor: string, descendant: string): Promise<boolean>;
  /** Folder of the repository's hooks if it contains any, else null. */
  hooksFolder(checkout: Checkout): Promise<string | null>;
  /**
   * Prepares what hooks read for a commit that is not checked out: an index with its files, and a file with its message.
   * `dropPrepared` deletes both. Returns the path of the message.
   */
  prepareHooks(checkout: Checkout, id: string, commit: string): Promise<string>;
  /** Returns the command that runs a hook on what is prepared; null if the repository has no such hook. */
  hookCommand(checkout: Checkout, id: string, hook: string, args: readonly string[]): Promise<GitCommand | null>;
  /** Returns the prepared message, which a hook may have changed. */
  preparedMessage(checkout: Checkout, id: string): Promise<string>;
  /** @throws CONFLICT without a remote, or if the upstream has another name. */
  pushTarget(checkout: Checkout, branch: string): Promise<PushTarget>;
  /** Returns the command that pushes a branch, with hooks. */
  pushCommand(checkout: Checkout, target: PushTarget, force: boolean): Promise<GitCommand>;
}
