import type { Implementation } from '../call.ts';
import { boardRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { shownBoard } from './rows.ts';

export function getBoard({ storage }: Pick<Kit, 'storage'>): Implementation<'boards.get'> {
  return async ({ boardId }) => shownBoard(storage.read, await boardRow(storage.read.boards, boardId));
}
