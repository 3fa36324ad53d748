import type { Checkout, Repository } from './checkout.ts';

/** How the work in a checkout compares with the branch into which it would be integrated. */
export interface BaseComparison {
  /** Commit of HEAD, or an empty string without commits. */
  head: string;
  /** Null when detached. */
  branch: string | null;
  /** Commit of the base branch; null if the branch does not exist. */
  baseHead: string | null;
  dirtyFiles: number;
  ahead: number;
  behind: number;
  upstream: { ahead: number; behind: number } | null;
  /** Whether there is committed work since `start`, and the base contains all of it, also squashed or rebased. */
  merged: boolean;
  /** Null if git is too old to find out, or the base does not exist. */
  conflictsWithBase: boolean | null;
}

/** The files of a checkout, committed or not, as a commit in a private object store. */
export interface Snapshot {
  commit: string;
  /** Paths changed since the merge base with the base branch. */
  files: string[];
  /** Differs if HEAD or a changed file differs. */
  fingerprint: string;
  /** Commit of the base branch, or null if it does not exist. */
  baseHead: string | null;
  /** The commit with which files are compared: the merge base with the base branch, or HEAD if there is none. */
  start: string;
  /** Number of the object store, which is replaced when it has grown too large. */
  store: number;
}

/** The part of git that compares the work of worktrees with their base and with each other. */
export interface GitComparison {
  /** @param work `base`: branch to compare with; `start`: commit at which the work started, or null if unknown */
  compareWithBase(checkout: Checkout, work: { base: string; start: string | null }): Promise<BaseComparison>;
  /**
   * Takes a snapshot of a checkout. Large and very many untracked files are left out. Returns `last` if nothing changed
   * since, and null without commits.
   */
  snapshot(checkout: Checkout, base: string, last: Snapshot | null): Promise<Snapshot | null>;
  /** Returns the paths in conflict between two snapshots, or null if one of them is in a replaced object store. */
  conflictsBetween(repository: Repository, one: Snapshot, other: Snapshot): Promise<string[] | null>;
}
