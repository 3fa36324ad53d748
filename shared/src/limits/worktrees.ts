import { KIB, MINUTE, SECOND } from './units.ts';

/** Maximum worktrees that a session may create directly; delegations have their own limit. */
export const SESSION_WORKTREES_MAX = 50;
/**
 * Timeout of a cleanup command, and of a checkout together with its setup command. For a delegation,
 * DELEGATION_LIMIT_MS may end the checkout and the setup command earlier.
 */
export const COMMAND_LIMIT_MS = 10 * MINUTE;
/**
 * Maximum bytes that are read from the end of a setup or cleanup command's output. The warning that the command failed
 * contains the last 500 characters.
 */
export const COMMAND_OUTPUT_MAX_BYTES = 8 * KIB;
/** Maximum worktrees that one call removes. */
export const PRUNE_MAX = 500;
/**
 * Maximum worktrees of one repository that a call checks or removes at the same time. Several run in parallel, because
 * each check or removal mostly waits for git and the disk.
 */
export const PRUNE_AT_ONCE = 4;
/**
 * Default number of days after which a worktree is listed as prunable if all its sessions have been archived for that
 * long.
 */
export const PRUNABLE_ARCHIVED_DAYS = 14;
export const PRUNABLE_ARCHIVED_DAYS_MAX = 3_650;
/**
 * Time limit for updating the git status of worktrees when prunable worktrees are listed. The stored status is used for
 * worktrees that are not updated in this time.
 */
export const PRUNABLE_REFRESH_LIMIT_MS = 15 * SECOND;
/**
 * Maximum time that a list of prunable worktrees waits for their disk usage to be measured. Later results appear in the
 * next list.
 */
export const DISK_USAGE_WAIT_MS = 5 * SECOND;
/** Timeout for measuring the disk usage of one worktree. A million files take about 10 s from a warm cache. */
export const DISK_USAGE_LIMIT_MS = 30 * SECOND;
/** Time for which the measured disk usage of a worktree is reused. */
export const DISK_USAGE_KEPT_MS = 10 * MINUTE;
/** Maximum worktrees whose disk usage is measured at the same time, so that the disk stays usable for agents. */
export const DISK_USAGE_AT_ONCE = 2;
/** Minimum interval between comparisons of one worktree's files with those of other worktrees. */
export const OVERLAP_INTERVAL_MS = 10 * SECOND;
/**
 * Maximum worktrees that are read, or pairs of worktrees that are compared, at the same time to find overlapping
 * changes. Several run in parallel, because each mostly waits for a git process.
 */
export const OVERLAPS_AT_ONCE = 4;
/** Interval at which the files of worktrees with a working agent are compared with those of other worktrees. */
export const OVERLAP_SWEEP_MS = 30 * SECOND;
/** Maximum files listed for a pair of worktrees that change the same files. */
export const OVERLAP_FILES_MAX = 500;
