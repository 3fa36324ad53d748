import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { boardRow } from '../found.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { recordBoard, refuseUnlessOwner, shownBoard } from './rows.ts';

export function updateBoard({ storage, ownerId }: Pick<Kit, 'storage' | 'ownerId'>): Implementation<'boards.update'> {
  return ({ boardId, ...changes }, call) =>
    storage.write(authorOf(call), async (tx) => {
      refuseUnlessOwner(call, await boardRow(tx.boards, boardId), ownerId);
      const patch = given(changes);
      await tx.boards.update(boardId, patch);
      await recordBoard(tx, 'board.updated', boardId, { changed: Object.keys(patch) });
      return shownBoard(tx, await boardRow(tx.boards, boardId));
    });
}
