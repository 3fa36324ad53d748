import { SECOND } from './units.ts';

/** Maximum number of boards, far more than people arrange. */
export const BOARDS_MAX = 1_000;
/** Maximum boards that one session may create: more than an agent needs, but too few to use up BOARDS_MAX. */
export const BOARDS_PER_SESSION_MAX = 20;
/** Maximum zones of one board. People could not distinguish more zones on a screen. */
export const BOARD_ZONES_MAX = 100;
/** Maximum worktrees on one board, because a response lists all of them. */
export const BOARD_WORKTREES_MAX = 500;
/** Maximum distance from a board's centre, and maximum size of a zone, in board units. */
export const BOARD_EXTENT = 1_000_000;
/** Maximum worktrees copied with a board. One call copies them all and must end before CALL_MAX_MS. */
export const BOARD_COPY_WORKTREES_MAX = 20;
/** Maximum worktrees checked out in parallel while a board is copied; each checkout starts several processes. */
export const BOARD_COPY_PARALLEL = 2;
/** Time limit for copying a board. After this time, the copy is undone; the undo also ends before CALL_MAX_MS. */
export const BOARD_COPY_MS = 35 * SECOND;
