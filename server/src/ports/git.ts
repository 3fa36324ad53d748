import type { Checkout, Repository } from './checkout.ts';
import type { GitChanges } from './git-changes.ts';
import type { GitComparison } from './git-comparison.ts';
import type { GitIntegration } from './git-integration.ts';

/**
 * The git functions that the rest of the server needs. Most methods take rows of repositories and worktrees instead of
 * paths, so that another implementation can serve other machines. Every failure is a ConsoleError: GIT_FAILED with
 * git's output in details.stderr, or the documented code.
 */

export interface RepositoryFacts {
  /** Real path of the main checkout's top level. */
  path: string;
  /** Real path of the common git directory, which all checkouts of a repository share. */
  commonDir: string;
  /** Fetch URL of `origin` without credentials, or null. */
  url: string | null;
  /**
   * Branch that new work starts from. The first of these that exists: the branch of origin/HEAD, the checked out
   * branch, main, master, any other branch.
   */
  defaultBranch: string;
}

export interface WorktreeEntry {
  path: string;
  /** Branch without `refs/heads/`, or null if HEAD is detached. */
  branch: string | null;
  head: string;
  /** Whether this is the main checkout. */
  main: boolean;
  /** Whether the worktree's folder is gone. */
  prunable: boolean;
  locked: boolean;
}

export interface ResolvedBase {
  sha: string;
  /** The resolved ref, for example `refs/remotes/origin/main` or `refs/agent-console/fetched/pull/123/head`. */
  ref: string;
  /** Warning that `ref` is a local ref, because the requested ref could not be fetched. */
  warning?: string;
}

export interface FileDiff {
  path: string;
  oldPath: string | null;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged' | 'untracked';
  /** Modes as git writes them. null if the base or the worktree does not contain the file. */
  oldMode: string | null;
  newMode: string | null;
  binary: boolean;
  additions: number;
  deletions: number;
  /** `header` is the complete `@@` line. Each of `lines` begins with a space, `+`, `-` or `\`. */
  hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; header: string; lines: string[] }[];
  /** Whether hunks are missing because the file or the whole diff is too large. */
  truncated: boolean;
  /** Whether paths or lines contain bytes that are not UTF-8, and therefore U+FFFD. */
  invalidUtf8: boolean;
}

/** One file of a worktree. A symbolic link has the kind `link`, whatever its target is. */
export interface WorktreeFile {
  path: string;
  kind: 'file' | 'link' | 'submodule';
  tracked: boolean;
}

export interface CommittedFile {
  path: string;
  bytes: number;
  /** Text of the file; null if the file is larger than the requested limit or not valid UTF-8. */
  text: string | null;
}

export interface RemovalRisk {
  /**
   * Tracked files with changes, and every checked out submodule, because the console does not check submodules for
   * changes.
   */
  uncommitted: string[];
  untracked: string[];
  /** Commits that no other branch or remote contains: `<sha> <subject>`. */
  unpushed: string[];
  /** Ignored files and completely ignored folders. `saved`: whether a recovery ref would contain the entry. */
  ignored: { path: string; bytes: number; saved: boolean }[];
  /** The entries of `uncommitted` and `untracked` that a recovery ref would not contain. */
  leftOut: string[];
  /** A git operation that is still in progress in the checkout. `saved`: whether a recovery ref would contain it. */
  inProgress: { operation: 'merge' | 'cherry-pick' | 'revert' | 'rebase' | 'bisect'; saved: boolean } | null;
  /** Number of entries that are missing from the lists above, because each list has at most RISK_LIST_MAX entries. */
  more: number;
}

/** `counts`: how many entries the lists would have without a maximum, and how many ignored entries are not saved. */
export interface CountedRisk extends RemovalRisk {
  counts: Record<'uncommitted' | 'untracked' | 'unpushed' | 'unsavedIgnored' | 'leftOut', number>;
}

export interface Git extends GitIntegration, GitComparison, GitChanges {
  /** Returns the repository of a folder in a checkout. VALIDATION if the path is not in a git checkout. */
  inspect(path: string): Promise<RepositoryFacts>;
  /**
   * Clones into `target`, which must not exist. `onProgress` receives the completed fraction (0 to 1) and git's phase.
   */
  clone(
    url: string,
    target: string,
    onProgress: (fraction: number, phase: string) => void,
    signal?: AbortSignal,
  ): Promise<RepositoryFacts>;
  /** Deletes the remains of a killed clone to `target`. `target` itself is not touched. */
  discardClone(target: string): Promise<void>;
  branches(
    repository: Repository,
  ): Promise<{ name: string; sha: string; remote: boolean; worktreePath: string | null }[]>;
  /** Whether git would accept this branch name, by the rules of git-check-ref-format. Does not run git. */
  validBranchName(name: string): boolean;
  branchExists(repository: Repository, branch: string): Promise<boolean>;
  /**
   * Resolves a commit-ish, or with `useRemote` a ref that is fetched from `origin`. NOT_FOUND if nothing has that name;
   * VALIDATION for an invalid name; CONFLICT without `useRemote` if the repository has no commits.
   */
  resolveBase(repository: Repository, base: string, useRemote: boolean): Promise<ResolvedBase>;
  /**
   * Returns the regular files directly in a folder of a commit, without links and subfolders; empty if there is no such
   * folder.
   * @param limits `files`: maximum number of files; `bytes`: maximum size of a file whose text is returned
   */
  committedFiles(
    repository: Repository,
    commit: string,
    folder: string,
    limits: { files: number; bytes: number },
  ): Promise<CommittedFile[]>;
  /** Makes an empty folder a repository with one empty commit on `main`, without the user's templates and hooks. */
  createRepository(path: string): Promise<void>;
  /** Returns the paths of the files that differ between two commits. A renamed file has two paths. */
  filesBetween(repository: Repository, from: string, to: string): Promise<string[]>;
  listWorktrees(repository: Repository): Promise<WorktreeEntry[]>;
  /**
   * Registers a worktree, then writes its files. Registrations in one repository are queued, because parallel
   * registrations race inside git. If `startPoint` is null, the branch must exist. NOT_FOUND if the branch or the start
   * point does not exist, CONFLICT if the branch or path is taken. After a failure, nothing of the worktree remains.
   */
  addWorktree(
    checkout: Checkout,
    options: { startPoint: string | null; signal?: AbortSignal },
  ): Promise<{ sha: string }>;
  /** Whether `addWorktree` was interrupted before it had written all files of this worktree. */
  isIncomplete(checkout: Checkout): Promise<boolean>;
  /** Whether the checkout's folder is missing or contains nothing but its `.git`. */
  isEmpty(checkout: Checkout): Promise<boolean>;
  /** Returns the paths of the submodules whose folders in the checkout are empty. */
  emptySubmodules(checkout: Checkout): Promise<string[]>;
  /**
   * Undoes `addWorktree`, even if it was interrupted: removes the folder and the registration. With `deleteBranch`,
   * also deletes the branch, but only if `addWorktree` created it.
   */
  discardWorktree(checkout: Checkout, options: { deleteBranch: boolean }): Promise<void>;
  removalRisk(checkout: Checkout): Promise<CountedRisk>;
  /**
   * Saves the checkout as the ref `refs/agent-console/recovery/<name>/<time>`: HEAD, index, tracked changes, untracked
   * and small ignored files, nested repositories, a merge, cherry-pick or revert in progress. The only push that sends
   * the ref is `git push --mirror`.
   */
  saveRecovery(checkout: Checkout, name: string): Promise<{ ref: string; sha: string; leftOut: string[] }>;
  /**
   * Writes a recovery ref with the HEAD commit of a worktree whose folder no longer exists. Returns null if the
   * worktree is on a branch or not registered, or if the commit does not exist.
   */
  saveHead(checkout: Checkout, name: string): Promise<string | null>;
  /** Removes the worktree's folder and registration. The branch is kept. */
  removeWorktree(checkout: Checkout): Promise<void>;
  /**
   * Returns the branch that was checked out when the recovery ref was written; null if HEAD was detached. NOT_FOUND if
   * the ref does not exist.
   */
  recoveryBranch(repository: Repository, recoveryRef: string): Promise<string | null>;
  /**
   * Recreates a removed worktree. `warnings` lists what was not restored, because the branch has moved or because the
   * recovery ref does not contain the git operation that was in progress.
   */
  restoreWorktree(checkout: Checkout, recoveryRef: string): Promise<{ sha: string; warnings: string[] }>;
  /**
   * Deletes recovery refs older than `before`. If more than `keep` refs remain, or the objects that only recovery refs
   * contain use more than `bytes` on disk, also deletes the oldest refs. The limit `bytes` never deletes the newest
   * ref. Returns the number of deleted refs.
   */
  pruneRecoveries(repository: Repository, limits: { before: Date; keep: number; bytes: number }): Promise<number>;
  /**
   * Returns the checkout's git directory. NOT_FOUND if the directory is gone, CONFLICT if the checkout's `.git` names
   * another directory.
   */
  gitDir(checkout: Checkout): Promise<string>;
  /** Returns the commit of HEAD; an empty string if the branch has no commits. Throws the errors of `gitDir`. */
  head(checkout: Checkout): Promise<string>;
  state(checkout: Checkout): Promise<{ currentSha: string; branch: string | null; hasChanges: boolean }>;
  /** Returns the diff against the merge base with `base`. `moreFiles` counts files beyond DIFF_FILES_MAX. */
  diff(checkout: Checkout, base: string): Promise<{ baseSha: string; files: FileDiff[]; moreFiles: number }>;
  /**
   * Ends git processes that earlier servers left running, and deletes the temporary files of those servers. Called
   * once, before any other method that reads a checkout.
   */
  sweep(): Promise<void>;
  /**
   * Returns a page of the tracked files below `under`. With `untracked`, also includes files that are neither tracked
   * nor ignored. A non-empty `query` selects the files whose paths match it, best match first. PERMISSION_DENIED if
   * `under` is outside the checkout, NOT_FOUND if it is missing.
   */
  files(
    checkout: Checkout,
    page: { under: string; query: string; untracked: boolean; skip: number; limit: number },
  ): Promise<{ total: number; files: WorktreeFile[] }>;
}
