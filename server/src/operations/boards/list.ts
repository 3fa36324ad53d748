import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import type { BoardRow } from '../ports/rows.ts';
import { countOn } from './rows.ts';

export function listBoards({ storage: { read } }: Pick<Kit, 'storage'>): Implementation<'boards.list'> {
  const present = async ({ id, name, description, ownerId, createdAt }: BoardRow) => {
    const zoneCount = await read.zones.count({ boardId: id });
    return { id, name, description, ownerId, zoneCount, worktreeCount: await countOn(read, id), createdAt };
  };
  return ({ limit, skip, ownerId }) =>
    pageOf(read.boards, { removedAt: null, ...given({ ownerId }) }, { limit, skip }, present, ['-id']);
}
