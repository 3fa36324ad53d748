import { authorOf } from '../../engine/author.ts';
import { recordBoard, refuseUnlessOwner, shownBoard } from '../../engine/boards/rows.ts';
import { boardRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';

export function updateBoard({
  storage,
  ownerId,
}: Pick<OperationContext, 'storage' | 'ownerId'>): Implementation<'boards.update'> {
  return ({ boardId, ...changes }, call) =>
    storage.write(authorOf(call), async (tx) => {
      refuseUnlessOwner(call, await boardRow(tx.boards, boardId), ownerId);
      const patch = omitUndefined(changes);
      await tx.boards.update(boardId, patch);
      await recordBoard(tx, 'board.updated', boardId, { changed: Object.keys(patch) });
      return shownBoard(tx, await boardRow(tx.boards, boardId));
    });
}
