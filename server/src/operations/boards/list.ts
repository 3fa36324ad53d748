import { boardInList } from '../../engine/boards/rows.ts';
import type { BoardRow } from '../../ports/rows/boards.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listBoards({ storage: { read } }: Pick<OperationContext, 'storage'>): Implementation<'boards.list'> {
  const present = (row: BoardRow) => boardInList(read, row);
  return ({ limit, skip, ownerId }) =>
    pageOf(read.boards, { removedAt: null, ...omitUndefined({ ownerId }) }, { limit, skip }, present, ['-id']);
}
