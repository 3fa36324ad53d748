/** Git commands, diffs, and what is kept of a removed worktree. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Bytes of a repository's configuration that are looked through for programs; of a larger one git is asked. */
export const GIT_CONFIG_READ_MAX_BYTES = 1 * MIB;
/** A git command that talks to nobody is stuck after this time. */
export const GIT_LOCAL_LIMIT_MS = 60 * SECOND;
/** A clone or fetch may take long on a slow line. */
export const GIT_REMOTE_LIMIT_MS = 10 * MINUTE;
/** Bytes of one git command's answer held in memory; the listings of very large repositories stay far below. */
export const GIT_OUTPUT_MAX_BYTES = 64 * MIB;
/** Bytes kept of git's error output, from its end: the reason stands there. */
export const GIT_STDERR_MAX_BYTES = 16 * KIB;
/** Bytes read of a file that only names a folder or a ref: a path has at most 4 096, and words stand before it. */
export const GIT_POINTER_MAX_BYTES = 8 * KIB;
/** Attempts of a git command that met another git's lock; with doubling waits this is about 1.3 s. */
export const GIT_ATTEMPTS_MAX = 8;
/** Changes of one repository that wait for their turn. */
export const GIT_QUEUE_MAX = 1_000;
/** Processes that write one checkout: more did not help on 2 cores, fewer took three times as long on 10 000 files. */
export const CHECKOUT_WORKERS = 4;
/** Files below which a checkout is written by one process: starting the others costs about 4 ms. */
export const CHECKOUT_WORKERS_FROM_FILES = 1_000;

/** Files of a diff; the others are counted. */
export const DIFF_FILES_MAX = 2_000;
/** Bytes of hunks of one file in a diff: more is not read by anybody line by line. */
export const DIFF_FILE_MAX_BYTES = 256 * KIB;
/** Bytes of hunks of a whole diff, so that its JSON stays digestible for a browser. */
export const DIFF_MAX_BYTES = 4 * MIB;
/** Bytes of patch text read for one diff; git is stopped there. */
export const DIFF_READ_MAX_BYTES = 256 * MIB;
/** Files larger than this are shown as binary, since git holds both sides in memory to compare them. */
export const DIFF_BLOB_MAX_BYTES = 16 * MIB;

/** Entries of each list that says what a removal would lose; the others are counted. */
export const RISK_LIST_MAX = 1_000;
/** Entries visited to measure ignored folders such as `node_modules`; sizes are lower bounds beyond. */
export const RISK_WALK_MAX_ENTRIES = 100_000;
/** Untracked files and nested repositories saved by the recovery ref of a removed worktree. */
export const RECOVERY_UNTRACKED_MAX_BYTES = 100 * MIB;
/** Untracked files saved by one recovery: each becomes an object file of its own. */
export const RECOVERY_UNTRACKED_MAX_FILES = 50_000;
/** Bytes of ignored files saved by one recovery: settings and small databases, not what a build makes. */
export const RECOVERY_IGNORED_MAX_BYTES = 32 * MIB;
/** Ignored files saved by one recovery; the ones nearest to the top come first. */
export const RECOVERY_IGNORED_MAX_FILES = 5_000;
/** Files of a folder that is ignored as a whole, for it to be saved: one of more is the output of some program. */
export const RECOVERY_IGNORED_FOLDER_MAX_FILES = 100;
/** Recovery refs are kept this long. */
export const RECOVERY_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** Recovery refs of one repository; beyond, the oldest go. Every git that lists refs reads them all. */
export const RECOVERIES_KEPT_MAX = 1_000;
