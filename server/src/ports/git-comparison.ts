import type { ChangeSize } from '@agent-console/shared/models/git-status';
import type { Checkout, Repository } from './checkout.ts';

/** Comparison of the work in a checkout with the branch into which the work would be integrated. */
export interface BaseComparison {
  /** Commit of HEAD; empty if the branch has no commits. */
  head: string;
  /** Branch of the checkout; null if HEAD is detached. */
  branch: string | null;
  /** Commit of the base branch; null if the branch does not exist. */
  baseHead: string | null;
  dirtyFiles: number;
  ahead: number;
  behind: number;
  upstream: { ahead: number; behind: number } | null;
  /**
   * Whether there are commits since `work.start` and the base branch contains all of them, even squashed or rebased.
   * Null if the base branch does not exist, or if a search for squashed or rebased commits would take too long.
   */
  merged: boolean | null;
  /**
   * Whether a merge with the base branch would have conflicts. Null if git is too old to determine this, if the
   * histories are unrelated, or if HEAD or the base branch has no commit.
   */
  conflictsWithBase: boolean | null;
  /**
   * Changes since the merge base, committed or not. Null if HEAD or the base branch has no commit, or if git could not
   * compare the files.
   */
  changes: ChangeSize | null;
}

/** The files of a checkout, committed or not, as a commit in a private object store. */
export interface Snapshot {
  commit: string;
  /** Paths changed since the merge base with the base branch. */
  files: string[];
  /** Text that changes with each change of HEAD, and with each change of a file that differs from HEAD. */
  fingerprint: string;
  /** Commit of the base branch, or null if it does not exist. */
  baseHead: string | null;
  /**
   * The commit with which files are compared: the merge base with the base branch, or HEAD if there is no merge base.
   */
  start: string;
  /**
   * Identifies the object store that contains `commit`. A store that has grown too large is replaced by a store with
   * another number.
   */
  store: number;
}

/** The git functions that compare the work of worktrees with their base and with each other. */
export interface GitComparison {
  /** @param work `base`: branch to compare with; `start`: commit at which the work started, or null if unknown */
  compareWithBase(checkout: Checkout, work: { base: string; start: string | null }): Promise<BaseComparison>;
  /**
   * Takes a snapshot of a checkout, without large files and with at most SNAPSHOT_FILES_MAX untracked files. Returns
   * `last` if nothing has changed since that snapshot, and null if there are no commits.
   */
  snapshot(checkout: Checkout, base: string, last: Snapshot | null): Promise<Snapshot | null>;
  /**
   * Returns the paths in conflict between two snapshots, or null if the object store of a snapshot was replaced. An
   * empty list means that a merge would be clean, or impossible because there is no common commit.
   * @throws UNSUPPORTED before git 2.38.
   */
  conflictsBetween(repository: Repository, one: Snapshot, other: Snapshot): Promise<string[] | null>;
}
