/** Worktrees, and the setup, cleanup and check commands that run in them. */
import { KIB, MINUTE, SECOND } from './units.ts';

/** Maximum worktrees that a session may create directly; delegations have their own limit. */
export const SESSION_WORKTREES_MAX = 50;
/** Timeout of a setup, cleanup or check command. A delegation's setup may end earlier, at DELEGATION_LIMIT_MS. */
export const COMMAND_LIMIT_MS = 10 * MINUTE;
/** Maximum bytes of a setup or cleanup command's last output in the warning that the command failed. */
export const COMMAND_OUTPUT_MAX_BYTES = 8 * KIB;
/** Maximum worktrees that one call removes. */
export const PRUNE_MAX = 500;
/** Minimum interval between comparisons of one worktree’s files with those of other worktrees. */
export const OVERLAP_INTERVAL_MS = 10 * SECOND;
/** Interval at which worktrees with a working agent are compared with others. */
export const OVERLAP_SWEEP_MS = 30 * SECOND;
/** Maximum files listed for a pair of worktrees that change the same files. */
export const OVERLAP_FILES_MAX = 500;
