import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/**
 * Maximum bytes of a git configuration file in which the console searches for settings that run programs. The console
 * does not read a larger file, and assumes that it contains such settings.
 */
export const GIT_CONFIG_READ_MAX_BYTES = 1 * MIB;
/** Timeout of a git command that contacts no remote. */
export const GIT_LOCAL_LIMIT_MS = 60 * SECOND;
/** Timeout of a clone or fetch over a slow line. */
export const GIT_REMOTE_LIMIT_MS = 10 * MINUTE;
/** Maximum bytes of one git command's output in memory; listings of very large repositories are far smaller. */
export const GIT_OUTPUT_MAX_BYTES = 64 * MIB;
/** Bytes retained from the end of git's error output, which states why the command failed. */
export const GIT_STDERR_MAX_BYTES = 16 * KIB;
/** Maximum bytes to read of a file such as `.git` or `HEAD`. It names a directory or ref of at most 4 096 bytes. */
export const GIT_POINTER_MAX_BYTES = 8 * KIB;
/** Maximum bytes of the file `.gitmodules` that are read to list submodules. One submodule takes about 100 bytes. */
export const GITMODULES_MAX_BYTES = 1 * MIB;
/**
 * Maximum attempts of a git command that is blocked by a lock of another git process. The pauses double, are partly
 * random, and take 1.3 to 2.5 s in total.
 */
export const GIT_ATTEMPTS_MAX = 8;
/** Maximum git operations that wait in the queue of one repository. */
export const GIT_QUEUE_MAX = 1_000;
/**
 * Number of processes that write one checkout. Measured on 2 cores with 10 000 files: with fewer processes, the
 * checkout takes three times as long; more processes are not faster.
 */
export const CHECKOUT_WORKERS = 4;
/**
 * Minimum number of files for which several processes write a checkout. For fewer files, starting the processes takes
 * longer (about 4 ms) than the time that they save.
 */
export const CHECKOUT_WORKERS_FROM_FILES = 1_000;

/** Maximum files listed in a diff. Further files are only counted. */
export const DIFF_FILES_MAX = 2_000;
/** Maximum bytes of hunks of one file in a diff; nobody reads more line by line. */
export const DIFF_FILE_MAX_BYTES = 256 * KIB;
/** Maximum bytes of hunks in a whole diff, so that a browser can handle its JSON. */
export const DIFF_MAX_BYTES = 4 * MIB;
/** Maximum bytes of patch text read for one diff. git is stopped when it prints more. */
export const DIFF_READ_MAX_BYTES = 256 * MIB;
/**
 * Size from which git treats a file as binary, because git loads both versions of a text file into memory to compare
 * them.
 */
export const DIFF_BLOB_MAX_BYTES = 16 * MIB;

/** Maximum entries of each list that shows what removing a worktree would lose. Further entries are only counted. */
export const RISK_LIST_MAX = 1_000;
/** Maximum entries visited to measure ignored directories. If there are more, the reported sizes are too small. */
export const RISK_WALK_MAX_ENTRIES = 100_000;
/** Maximum bytes of untracked files and nested repositories saved by one recovery ref. */
export const RECOVERY_UNTRACKED_MAX_BYTES = 100 * MIB;
/** Maximum untracked files saved by one recovery ref. git stores each of them in an object file of its own. */
export const RECOVERY_UNTRACKED_MAX_FILES = 50_000;
/**
 * Maximum bytes of ignored files saved by one recovery ref: enough for settings and small databases, but not for build
 * output.
 */
export const RECOVERY_IGNORED_MAX_BYTES = 32 * MIB;
/**
 * Maximum ignored files saved by one recovery ref. Files are saved before ignored directories, those nearest to the top
 * first.
 */
export const RECOVERY_IGNORED_MAX_FILES = 5_000;
/**
 * A directory that is ignored as a whole is saved only if it contains at most this number of files. A larger directory
 * is probably generated.
 */
export const RECOVERY_IGNORED_FOLDER_MAX_FILES = 100;
/** Lifetime of recovery refs. */
export const RECOVERY_KEPT_MS = 30 * 24 * 60 * MINUTE;
/**
 * Maximum recovery refs of a repository. Above this number, the oldest are removed, because git reads all recovery refs
 * to list any refs.
 */
export const RECOVERIES_KEPT_MAX = 1_000;
/**
 * Maximum bytes on disk of the objects that only recovery refs of a repository refer to. Above this size, the oldest
 * recovery refs are removed, but never the newest one.
 */
export const RECOVERIES_KEPT_MAX_BYTES = 2_048 * MIB;
/** Maximum files or hunks named by one call that discards or commits changes. */
export const DISCARD_PATHS_MAX = 10_000;
/** Maximum commits listed by the dry run of a push. */
export const PUSH_COMMITS_LISTED_MAX = 100;
/** Maximum files in conflict that an integration lists. */
export const CONFLICTS_LISTED_MAX = 1_000;
/** Time within which an integration can be undone. For this time, a ref retains the integration's commits. */
export const INTEGRATION_UNDO_MS = 30 * 24 * 60 * MINUTE;
/**
 * If a base has more new commits than this, the console does not search them for a branch that was squashed or rebased
 * into the base. Comparing the patches of so many commits would take too long.
 */
export const SQUASH_SEARCH_COMMITS = 200;
/**
 * If a branch has more changed files than this, the console does not search the base for a commit that squashed the
 * branch. Comparing such a large patch would take too long.
 */
export const SQUASH_SEARCH_FILES = 500;
/** Maximum cached comparisons of two commits. The cache avoids comparing an unchanged worktree again. */
export const COMPARISONS_CACHED_MAX = 1_000;
/** Maximum bytes of an untracked file that is compared with files of other worktrees. */
export const SNAPSHOT_FILE_MAX_BYTES = 1 * MIB;
/** Maximum untracked files of a worktree that are compared with other worktrees. */
export const SNAPSHOT_FILES_MAX = 2_000;
/**
 * Maximum snapshots of worktrees, for comparison with other worktrees, in one private git object store. A full store is
 * replaced by an empty one, so that its size is limited.
 */
export const SNAPSHOTS_PER_STORE = 2_000;
/** Maximum branches in the instructions for an agent that resolves conflicts, and maximum prompts of each branch. */
export const CONFLICT_PROMPTS_MAX = 5;
/**
 * Maximum characters of one prompt in the instructions for an agent that resolves conflicts. All prompts together stay
 * far below PROMPT_MAX_BYTES.
 */
export const CONFLICT_PROMPT_MAX = 2_000;
