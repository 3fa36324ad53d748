/** Worktrees, and the setup, cleanup and check commands that run in them. */
import { KIB, MINUTE } from './units.ts';

/** Maximum worktrees that a session may create directly; delegations have their own limit. */
export const SESSION_WORKTREES_MAX = 50;
/** Timeout of a setup, cleanup or check command, unless a delegation's own limit ends it first. */
export const COMMAND_LIMIT_MS = 10 * MINUTE;
/** Bytes of a setup or cleanup command's output retained for its warning. */
export const COMMAND_OUTPUT_MAX_BYTES = 8 * KIB;
