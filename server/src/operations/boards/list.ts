import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import type { BoardRow } from '../ports/rows/boards.ts';
import { boardInList } from './rows.ts';

export function listBoards({ storage: { read } }: Pick<Kit, 'storage'>): Implementation<'boards.list'> {
  const present = (row: BoardRow) => boardInList(read, row);
  return ({ limit, skip, ownerId }) =>
    pageOf(read.boards, { removedAt: null, ...given({ ownerId }) }, { limit, skip }, present, ['-id']);
}
