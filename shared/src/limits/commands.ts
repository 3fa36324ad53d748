import { KIB, MINUTE, SECOND } from './units.ts';

/** Timeout of a check command, long enough for the tests of a large project. */
export const CHECK_LIMIT_MS = 60 * MINUTE;
/** Timeout of a commit or of a hook, which people wait for. */
export const HOOK_LIMIT_MS = 10 * MINUTE;
/**
 * Timeout of a push, including its hooks and the transfer over a slow line, and of the command that creates a pull
 * request.
 */
export const PUSH_LIMIT_MS = 20 * MINUTE;
/** Maximum bytes read from the end of a command's output. */
export const COMMAND_TAIL_BYTES = 32 * KIB;
/** Maximum characters from the end of a command's output in the result or error of its job. */
export const COMMAND_TAIL_CHARS = 4_000;
/**
 * Maximum ended terminals that a session keeps when a command starts in it. Older terminals are removed with their
 * output.
 */
export const ENDED_TERMINALS_MAX = 10;
/** Size of a command's terminal; wide, so that few lines are wrapped. */
export const COMMAND_SIZE = { cols: 160, rows: 40 };
/**
 * Maximum characters of each text of a pull request, such as its title. People outside the console write these texts.
 */
export const PULL_REQUEST_TEXT_CHARS = 2_000;
/** Timeout for reading the state of a pull request, which needs the network. */
export const PULL_REQUEST_READ_MS = 20 * SECOND;
/**
 * Minimum time between two reads of a pull request's state. The state is read:
 * - when a person gets the worktree (`worktrees.get`);
 * - when a task in the worktree ends;
 * - at this interval while the dashboard shows the worktree, or while a session in the worktree is live.
 */
export const PULL_REQUEST_FRESH_MS = 30 * SECOND;
/**
 * Maximum pause between reads of a pull request's state if reads fail or find no change. The pause starts at
 * PULL_REQUEST_FRESH_MS and doubles. For a merged or closed pull request, this is always the pause.
 */
export const PULL_REQUEST_PAUSE_MAX_MS = 15 * MINUTE;
/**
 * Time after which the program that opens an editor counts as started. Some editors return at once, others stay open
 * until they are closed.
 */
export const EDITOR_START_MS = 3 * SECOND;
