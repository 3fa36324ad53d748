import { authorOf } from '../../engine/author.ts';
import { recordBoard, refuseUnlessOwner, shownBoard } from '../../engine/boards/rows.ts';
import { boardRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { OFF_BOARD, recordPlacement } from '../worktrees/placement.ts';

type Needs = Pick<OperationContext, 'storage' | 'ownerId' | 'now'>;

export function removeBoard({ storage, ownerId, now }: Needs): Implementation<'boards.remove'> {
  return ({ boardId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await boardRow(tx.boards, boardId);
      refuseUnlessOwner(call, row, ownerId);
      const board = await shownBoard(tx, row);
      // Removed worktrees too: when one is restored, it must not lie on a board that is gone.
      for (const worktree of await tx.worktrees.find({ boardId })) {
        await tx.worktrees.update(worktree.id, OFF_BOARD);
        await recordPlacement(tx, worktree.id, OFF_BOARD);
      }
      await tx.zones.remove({ boardId });
      await tx.boards.update(boardId, { removedAt: now().toISOString() });
      await recordBoard(tx, 'board.removed', boardId, { name: row.name });
      return board;
    });
}
