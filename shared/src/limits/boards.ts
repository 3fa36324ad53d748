/** Boards, their zones, and copies of them. */
import { SECOND } from './units.ts';

/** Boards in all; a list of more is nothing that a person arranges. */
export const BOARDS_MAX = 1_000;
/** Boards that one session may have made, as more than an agent lays its work out on; so none takes all of them. */
export const BOARDS_PER_SESSION_MAX = 20;
/** Zones of one board; more could not be told apart. */
export const BOARD_ZONES_MAX = 100;
/** Worktrees on one board: its answer names them all. */
export const BOARD_WORKTREES_MAX = 500;
/** How far from a board's middle something may lie, and how large a zone may be, in the board's own units. */
export const BOARD_EXTENT = 1_000_000;
/** Worktrees that are copied with a board in one call, which must end before CALL_MAX_MS. */
export const BOARD_COPY_WORKTREES_MAX = 20;
/** Worktrees that are checked out side by side while a board is copied: each checkout has workers of its own. */
export const BOARD_COPY_PARALLEL = 2;
/** A copy that is not whole after this time is undone; undoing it ends before CALL_MAX_MS. */
export const BOARD_COPY_MS = 35 * SECOND;
