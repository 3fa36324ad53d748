/** What the application layer needs from git. Every failure is a ConsoleError: GIT_FAILED with git's own words in details.stderr, or the code named. */

export interface RepositoryFacts {
  /** Real path of the main checkout's top level. */
  path: string;
  /** Real path of the common git directory; two checkouts of one repository share it. */
  commonDir: string;
  /** Fetch URL of `origin` without credentials, or null. */
  url: string | null;
  /** Branch new work starts from: origin/HEAD's, else the checked out one, else main or master. */
  defaultBranch: string;
}

/** A checkout that the console works in: the main one or a worktree. */
export interface Checkout {
  path: string;
  /** The common git directory as it was registered: what the checkout itself says of that is not believed. */
  commonDir: string;
}

export interface WorktreeEntry {
  path: string;
  /** Branch without `refs/heads/`, or null when detached. */
  branch: string | null;
  head: string;
  /** The main checkout. */
  main: boolean;
  /** git's reason when the folder is gone. */
  prunable: boolean;
  locked: boolean;
}

export interface ResolvedBase {
  sha: string;
  /** The ref the caller's words were resolved to, e.g. `refs/remotes/origin/main` or `refs/agent-console/fetched/pull/123/head`. */
  ref: string;
  /** Said when a fetch was asked for and did not work, so that a local ref was used. */
  warning?: string;
}

export interface FileDiff {
  path: string;
  oldPath: string | null;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged' | 'untracked';
  binary: boolean;
  additions: number;
  deletions: number;
  /** `header` is the whole `@@` line; each of `lines` begins with a space, `+`, `-` or `\`. */
  hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; header: string; lines: string[] }[];
  /** True when hunks were left out because the file or the whole diff is too large. */
  truncated: boolean;
}

/** One entry of git's index; a link's own target is not looked at. */
export interface TrackedFile {
  path: string;
  kind: 'file' | 'link' | 'submodule';
}

export interface RemovalRisk {
  /** Tracked files with changes, staged or not, and submodules that are checked out: nobody looks into those. */
  uncommitted: string[];
  untracked: string[];
  /** Commits reachable from the branch and from no other branch or remote: `<sha> <subject>`. */
  unpushed: string[];
  /** Ignored files, and folders that are ignored as a whole; `saved` says which of them a recovery holds. */
  ignored: { path: string; bytes: number; saved: boolean }[];
  /** What no recovery holds of `uncommitted` and `untracked`. */
  leftOut: string[];
  /** What was begun and not brought to an end; `saved` when a recovery holds it. */
  inProgress: { operation: 'merge' | 'cherry-pick' | 'revert' | 'rebase' | 'bisect'; saved: boolean } | null;
  /** Entries left out of the lists above because they are longer than RISK_LIST_MAX. */
  more: number;
}

export interface Git {
  /** VALIDATION when the path is not a git checkout; a path inside one is answered with its top level. */
  inspect(path: string): Promise<RepositoryFacts>;
  /** Clones into `target` (which must not exist); nothing remains on failure. `onProgress` gets 0..1 and git's phase. */
  clone(
    url: string,
    target: string,
    onProgress: (fraction: number, phase: string) => void,
    signal?: AbortSignal,
  ): Promise<RepositoryFacts>;
  /** Deletes what a clone to `target` left that was killed with the server; `target` itself is not touched. */
  discardClone(target: string): Promise<void>;
  branches(
    repositoryPath: string,
  ): Promise<{ name: string; sha: string; remote: boolean; worktreePath: string | null }[]>;
  /** Whether git takes this as a branch name (git-check-ref-format), without touching the repository. */
  validBranchName(name: string): boolean;
  branchExists(repositoryPath: string, branch: string): Promise<boolean>;
  /**
   * Turns a commit-ish into a commit. With `useRemote` the words name a branch or ref of `origin` (`main`,
   * `pull/123/head`), fetched first. NOT_FOUND when nothing has that name.
   */
  resolveBase(repositoryPath: string, base: string, useRemote: boolean): Promise<ResolvedBase>;
  listWorktrees(repositoryPath: string): Promise<WorktreeEntry[]>;
  /**
   * Registers a worktree under the repository's queue without checking it out (parallel registrations race inside git),
   * then checks it out outside the queue. `branch` is created at `startPoint`, or checked out as it is when `startPoint`
   * is null. CONFLICT when the branch exists (or is checked out elsewhere) or the path is taken. Nothing remains on failure.
   */
  addWorktree(spec: {
    repositoryPath: string;
    path: string;
    branch: string;
    startPoint: string | null;
    signal?: AbortSignal;
  }): Promise<{ sha: string }>;
  /** Whether addWorktree was cut off in the worktree at this path before all of its files were there. */
  isHalfMade(path: string): Promise<boolean>;
  /** Undoes addWorktree: folder, registration and (when `deleteBranch`) the branch. Succeeds when parts are already gone. */
  discardWorktree(spec: {
    repositoryPath: string;
    path: string;
    branch: string | null;
    deleteBranch: boolean;
  }): Promise<void>;
  removalRisk(checkout: Checkout): Promise<RemovalRisk>;
  /**
   * Writes `refs/agent-console/recovery/<name>/<time>`: HEAD, index and tracked changes, untracked files and nested
   * repositories up to the limit, small ignored files, and a merge, cherry-pick or revert in progress.
   * Commits with an identity of its own where git has none. The ref is hidden from pushes.
   */
  saveRecovery(checkout: Checkout, name: string): Promise<{ ref: string; sha: string; leftOut: string[] }>;
  /**
   * Writes a recovery of the commit at which a worktree stands whose folder is gone, and answers its ref. Null where
   * nothing is lost without: it is on a branch, or not on git's record any more.
   */
  saveHead(spec: { repositoryPath: string; path: string; name: string }): Promise<string | null>;
  /** Removes the worktree's folder and registration; the branch stays. */
  removeWorktree(repositoryPath: string, path: string): Promise<void>;
  /** Branch that a recovery was written on, null when HEAD was detached. NOT_FOUND when there is no such recovery. */
  recoveryBranch(repositoryPath: string, recoveryRef: string): Promise<string | null>;
  /**
   * Recreates a removed worktree at `path`, on the branch that it was on, and puts the recovered changes back as
   * uncommitted ones. `warnings` says what could not be put back because the branch has moved on.
   */
  restoreWorktree(spec: {
    repositoryPath: string;
    path: string;
    recoveryRef: string;
  }): Promise<{ sha: string; warnings: string[] }>;
  /** Deletes recovery refs older than `before`, and the oldest beyond `keep`; answers with how many. */
  pruneRecoveries(repositoryPath: string, before: Date, keep: number): Promise<number>;
  /**
   * The checkout's own git directory: the common one for the main checkout, else the one in it that git made for this
   * worktree, whatever its name. NOT_FOUND when the checkout is gone, CONFLICT when it leads elsewhere.
   */
  gitDir(checkout: Checkout): Promise<string>;
  state(checkout: Checkout): Promise<{ currentSha: string; branch: string | null; hasChanges: boolean }>;
  /**
   * Everything between the merge base with `base` and the working tree, untracked files included. `moreFiles` counts
   * files beyond DIFF_FILES_MAX, which are left out.
   */
  diff(checkout: Checkout, base: string): Promise<{ baseSha: string; files: FileDiff[]; moreFiles: number }>;
  /** Deletes what a server that was ended left of its looks at checkouts; once, before the first of this one. */
  sweep(): Promise<void>;
  /**
   * One page of what git tracks below `under` (empty: everywhere), and how many there are. PERMISSION_DENIED when `under`
   * leads out of the worktree, NOT_FOUND when nothing is there.
   */
  files(
    checkout: Checkout,
    page: { under: string; skip: number; limit: number },
  ): Promise<{ total: number; files: TrackedFile[] }>;
}
