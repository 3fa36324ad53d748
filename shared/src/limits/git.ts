/** Git commands, diffs, and what is saved of a removed worktree. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Bytes of a repository's configuration that are scanned for programs; for a larger one, git is args. */
export const GIT_CONFIG_READ_MAX_BYTES = 1 * MIB;
/** Timeout of a git command without a remote. */
export const GIT_LOCAL_LIMIT_MS = 60 * SECOND;
/** Timeout of a clone or fetch, which may take long on a slow line. */
export const GIT_REMOTE_LIMIT_MS = 10 * MINUTE;
/** Bytes of one git command's output in memory; the listings of very large repositories stay far below. */
export const GIT_OUTPUT_MAX_BYTES = 64 * MIB;
/** Bytes retained of git's error output, from its end, which has the reason. */
export const GIT_STDERR_MAX_BYTES = 16 * KIB;
/** Bytes read of a file that only names a directory or a ref: a path has at most 4 096, after a few words. */
export const GIT_POINTER_MAX_BYTES = 8 * KIB;
/** Attempts of a git command that met another git's lock; with doubling waits about 1.3 s. */
export const GIT_ATTEMPTS_MAX = 8;
/** Changes of one repository waiting in its queue. */
export const GIT_QUEUE_MAX = 1_000;
/** Processes that write one checkout: more did not help on 2 cores, fewer took three times as long on 10 000 files. */
export const CHECKOUT_WORKERS = 4;
/** Smaller checkouts are written by one process: starting the others costs about 4 ms. */
export const CHECKOUT_WORKERS_FROM_FILES = 1_000;

/** Files of a diff; the others are counted. */
export const DIFF_FILES_MAX = 2_000;
/** Bytes of hunks of one file in a diff; nobody reads more line by line. */
export const DIFF_FILE_MAX_BYTES = 256 * KIB;
/** Bytes of hunks of a whole diff, so that a browser can handle its JSON. */
export const DIFF_MAX_BYTES = 4 * MIB;
/** Bytes of patch text read for one diff; git is stopped there. */
export const DIFF_READ_MAX_BYTES = 256 * MIB;
/** Larger files are shown as binary, since git holds both sides in memory to compare them. */
export const DIFF_BLOB_MAX_BYTES = 16 * MIB;

/** Entries of each list of losses of a removal; the others are counted. */
export const RISK_LIST_MAX = 1_000;
/** Entries visited to measure ignored directories such as `node_modules`; beyond, sizes are lower bounds. */
export const RISK_WALK_MAX_ENTRIES = 100_000;
/** Untracked files and nested repositories saved by the recovery ref of a removed worktree. */
export const RECOVERY_UNTRACKED_MAX_BYTES = 100 * MIB;
/** Untracked files saved by one recovery: each becomes an object file of its own. */
export const RECOVERY_UNTRACKED_MAX_FILES = 50_000;
/** Bytes of ignored files saved by one recovery: settings and small databases, not build output. */
export const RECOVERY_IGNORED_MAX_BYTES = 32 * MIB;
/** Ignored files saved by one recovery; those nearest to the top come first. */
export const RECOVERY_IGNORED_MAX_FILES = 5_000;
/** Files of a directory that is ignored as a whole, for it to be saved: a larger one is the output of some program. */
export const RECOVERY_IGNORED_FOLDER_MAX_FILES = 100;
/** Lifetime of recovery refs. */
export const RECOVERY_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** Recovery refs of one repository; beyond, the oldest are removed. Every git that lists refs reads all of them. */
export const RECOVERIES_KEPT_MAX = 1_000;
