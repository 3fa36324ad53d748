import { ConsoleError } from '@agent-console/shared/errors';
import { BOARD_WORKTREES_MAX } from '@agent-console/shared/limits/boards';
import { countOn, recordBoard } from '../engine/boards/rows.ts';
import { boardRow, zoneRow } from '../engine/rows.ts';
import type { WorktreeRow } from '../ports/rows/worktrees.ts';
import type { Transaction } from '../ports/storage.ts';

/** Where a worktree lies. */
export type Placement = Pick<WorktreeRow, 'boardId' | 'zoneId' | 'x' | 'y'>;

/** On no board. */
export const OFF_BOARD: Placement = { boardId: null, zoneId: null, x: null, y: null };

type Wanted = { [K in keyof Placement]?: Placement[K] | undefined };

/**
 * Where a worktree lies after a change. Another board forgets zone and place; null takes it off. VALIDATION when a zone
 * is not of its board, or a zone or place is given without a board.
 */
export async function placementAfter(tx: Transaction, now: Placement, wanted: Wanted): Promise<Placement> {
  const boardId = wanted.boardId === undefined ? now.boardId : wanted.boardId;
  if (boardId === null) {
    const needless = (['zoneId', 'x', 'y'] as const).find((field) => wanted[field] != null);
    if (needless === undefined) return OFF_BOARD;
    throw new ConsoleError('VALIDATION', `${needless}: the worktree lies on no board; give boardId too`, {
      field: needless,
    });
  }
  const before = boardId === now.boardId ? now : OFF_BOARD;
  const zoneId = wanted.zoneId === undefined ? before.zoneId : wanted.zoneId;
  if (before === OFF_BOARD) await refuseFull(tx, boardId);
  if (zoneId !== null && (await zoneRow(tx.zones, zoneId)).boardId !== boardId) {
    throw new ConsoleError('VALIDATION', 'zoneId: this zone is of another board; choose one of the same board', {
      field: 'zoneId',
      zoneId,
      boardId,
    });
  }
  const { x = before.x, y = before.y } = wanted;
  return { boardId, zoneId, x, y };
}

async function refuseFull(tx: Transaction, boardId: string): Promise<void> {
  await boardRow(tx.boards, boardId);
  if ((await countOn(tx, boardId)) < BOARD_WORKTREES_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `There are ${BOARD_WORKTREES_MAX} worktrees on this board already. Use another one.`,
    { boardId, limit: BOARD_WORKTREES_MAX },
    { retryable: false },
  );
}

/** Tells followers of a worktree where it lies now. */
export function recordPlacement(tx: Transaction, worktreeId: string, placement: Placement): Promise<void> {
  return tx.record({
    type: 'worktree.updated',
    subject: { kind: 'worktree', id: worktreeId },
    data: { worktreeId, ...placement },
  });
}

/** Tells followers of the boards that a worktree left and came to. */
export async function recordMove(
  tx: Transaction,
  worktreeId: string,
  from: string | null,
  to: string | null,
): Promise<void> {
  if (from !== null) await recordBoard(tx, 'board.updated', from, { worktreeId });
  if (to !== null && to !== from) await recordBoard(tx, 'board.updated', to, { worktreeId });
}
