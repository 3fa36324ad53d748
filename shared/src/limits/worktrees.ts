/** Worktrees, and the setup, cleanup and check commands that run in them. */
import { KIB, MINUTE } from './units.ts';

/** Worktrees that one session may make by hand (delegations have their own limit); each is a folder on the disk. */
export const SESSION_WORKTREES_MAX = 50;
/** A setup, cleanup or check command is ended after this time unless a delegation's own limit ends it first. */
export const COMMAND_LIMIT_MS = 10 * MINUTE;
/** Output kept of a setup or cleanup command for its warning. */
export const COMMAND_OUTPUT_MAX_BYTES = 8 * KIB;
