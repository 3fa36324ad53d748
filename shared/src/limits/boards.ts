/** Boards, their zones, and copies of boards. */
import { SECOND } from './units.ts';

/** Maximum number of boards; nobody arranges more. */
export const BOARDS_MAX = 1_000;
/** Boards that one session may create: more than an agent needs, and too few to exhaust BOARDS_MAX. */
export const BOARDS_PER_SESSION_MAX = 20;
/** Zones of one board; more would be indistinguishable. */
export const BOARD_ZONES_MAX = 100;
/** Worktrees on one board: its answer lists all of them. */
export const BOARD_WORKTREES_MAX = 500;
/** Largest distance from a board's middle, and largest size of a zone, in board units. */
export const BOARD_EXTENT = 1_000_000;
/** Worktrees copied with a board in one call, which must end before CALL_MAX_MS. */
export const BOARD_COPY_WORKTREES_MAX = 20;
/** Worktrees checked out in parallel while a board is copied; each checkout has several processes. */
export const BOARD_COPY_PARALLEL = 2;
/** A copy that is incomplete after this time is undone; the undo ends before CALL_MAX_MS. */
export const BOARD_COPY_MS = 35 * SECOND;
