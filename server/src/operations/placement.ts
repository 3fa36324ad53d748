import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { BOARD_WORKTREES_MAX } from '@agent-console/shared/limits/boards';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import { countOn, recordBoard } from '../engine/boards/rows.ts';
import { boardRow, zoneRow } from '../engine/rows.ts';
import type { WorktreeRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';

/** Position of a worktree on a board; all fields are null when it is on no board. */
export type Placement = Pick<WorktreeRow, 'boardId' | 'zoneId' | 'x' | 'y'>;

export const OFF_BOARD: Placement = { boardId: null, zoneId: null, x: null, y: null };

type PlacementChange = { [K in keyof Placement]?: Placement[K] | undefined };

/**
 * Returns the placement of a worktree after `change`. Moving the worktree to another board clears its zone and
 * coordinates; `boardId: null` removes it from its board.
 * @throws VALIDATION for a zone of another board, and for a zone or coordinates without a board; NOT_FOUND for an
 * unknown board or zone; LIMIT_EXCEEDED if the board is full.
 */
export async function placementAfter(tx: Transaction, current: Placement, change: PlacementChange): Promise<Placement> {
  const boardId = change.boardId === undefined ? current.boardId : change.boardId;
  if (boardId === null) {
    const extraneous = (['zoneId', 'x', 'y'] as const).find((field) => change[field] != null);
    if (extraneous === undefined) return OFF_BOARD;
    throw fieldError(extraneous, 'can be set only for a worktree on a board; pass the id of a board as `boardId`');
  }
  const before = boardId === current.boardId ? current : OFF_BOARD;
  const zoneId = change.zoneId === undefined ? before.zoneId : change.zoneId;
  if (before === OFF_BOARD) await refuseFullBoard(tx, boardId);
  if (zoneId !== null && (await zoneRow(tx.zones, zoneId)).boardId !== boardId) {
    throw fieldError('zoneId', 'this zone is not on the board of the worktree; choose a zone of that board', {
      zoneId,
      boardId,
    });
  }
  const { x = before.x, y = before.y } = change;
  return { boardId, zoneId, x, y };
}

async function refuseFullBoard(tx: Transaction, boardId: string): Promise<void> {
  await boardRow(tx.boards, boardId);
  if ((await countOn(tx, boardId)) < BOARD_WORKTREES_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `This board has reached its limit of ${BOARD_WORKTREES_MAX} worktrees. Use another board.`,
    { boardId, limit: BOARD_WORKTREES_MAX },
    { retryable: false },
  );
}

/** Records an event about a changed worktree. `changes` are the fields that have changed, such as `boardId`. */
export function recordWorktree(tx: Transaction, worktreeId: string, changes: EventDataOf<'worktree.updated'> = {}) {
  const subject = { kind: 'worktree', id: worktreeId } as const;
  return tx.record({ type: 'worktree.updated', subject, data: { worktreeId, ...changes } });
}

/**
 * Records the move of a worktree as an event of its old board and an event of its new board. `from` is null if the
 * worktree was on no board, and `to` is null if it is on none after the move.
 */
export async function recordMove(
  tx: Transaction,
  worktreeId: string,
  from: string | null,
  to: string | null,
): Promise<void> {
  if (from !== null) await recordBoard(tx, 'board.updated', from, { worktreeId });
  if (to !== null && to !== from) await recordBoard(tx, 'board.updated', to, { worktreeId });
}
