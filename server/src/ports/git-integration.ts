import type { IntegrationStrategy, MergeConflict } from '@agent-console/shared/models/integration';
import type { Checkout, Repository } from './checkout.ts';

/** Two commits to combine, and how to combine them. */
export interface CombineSpec {
  strategy: IntegrationStrategy;
  /** Commit of the target branch. */
  into: string;
  /** Commit to integrate. */
  from: string;
  /** Message of the merge or squash commit. A rebase keeps the messages of the commits. */
  message: string;
}

/** The combined commit, or at least one conflict. The commit is `into` if there is nothing to integrate. */
export type Combination = { commit: string; conflicts: [] } | { commit: null; conflicts: MergeConflict[] };

export interface BranchMove {
  branch: string;
  from: string;
  to: string;
  /** The reason for the move, as one line in the branch's reflog. */
  reason: string;
}

/**
 * The upstream of a branch, such as `origin/main`, and its commit after a fetch, or the reason why the fetch failed.
 */
export type FetchedUpstream = { name: string; commit: string } | { name: string; commit: null; reason: string };

/**
 * State of a branch whose move was interrupted: `before` or `after` the move, or moved or deleted by somebody
 * else (`elsewhere`).
 */
export type MoveState = 'before' | 'after' | 'elsewhere';

/** The git functions that integrate branches into each other. */
export interface GitIntegration {
  /** Returns the commit of a local branch. NOT_FOUND if the branch does not exist or has no commits. */
  tipOf(repository: Repository, branch: string): Promise<string>;
  /**
   * Combines commits without touching a checkout or a ref.
   * @throws UNSUPPORTED before git 2.38, CONFLICT for unrelated histories, GIT_FAILED.
   */
  combine(repository: Repository, spec: CombineSpec): Promise<Combination>;
  /** Fetches the upstream of a branch. Returns null if the branch tracks no remote branch. */
  fetchUpstream(repository: Repository, branch: string): Promise<FetchedUpstream | null>;
  /**
   * Moves a branch and, if it is checked out, the index and files of that checkout.
   * @throws NOT_FOUND if the branch does not exist. GIT_FAILED, for example if a filter of a file fails. CONFLICT, with
   * nothing changed, if the branch is not at `from`, is being rebased or is checked out more than once, if the path of
   * its ref contains a symbolic link, or if its checkout has uncommitted changes, untracked files that the move would
   * overwrite, or an operation in progress.
   */
  moveBranch(repository: Repository, move: BranchMove): Promise<void>;
  /** Throws the errors that `moveBranch` would throw because of the branch and its checkout. */
  requireMovable(repository: Repository, move: BranchMove): Promise<void>;
  /**
   * Makes branch, index and files agree again after a crash interrupted a move. If the branch has not moved yet, the
   * files that the move has changed are reset. Returns the resulting state of the branch.
   */
  settleMove(repository: Repository, move: BranchMove): Promise<MoveState>;
  /** Creates refs that keep the commits of an integration reachable, even after the branch was deleted or moved. */
  keepCommits(repository: Repository, kept: { integrationId: string; source: string; target: string }): Promise<void>;
  /**
   * Deletes the refs that `keepCommits` created for integrations that began before `before`. Returns the number of
   * deleted refs.
   */
  pruneKeptCommits(repository: Repository, before: Date): Promise<number>;
  /**
   * Deletes a branch that is still at `commit`. Does nothing if the branch does not exist.
   * @throws CONFLICT if the branch has moved or is checked out, or if the path of its ref contains a symbolic link.
   */
  deleteBranch(repository: Repository, branch: string, commit: string): Promise<void>;
  /** Whether `commit` contains `ancestor`. False if one of them does not exist any more. */
  contains(repository: Repository, commit: string, ancestor: string): Promise<boolean>;
  /** Returns the number of files with uncommitted changes, including untracked files, and the names of at most `max`. */
  changedFiles(checkout: Checkout, max: number): Promise<{ files: string[]; count: number }>;
}
