import { shownBoard } from '../../engine/boards/rows.ts';
import { boardRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function getBoard({ storage }: Pick<OperationContext, 'storage'>): Implementation<'boards.get'> {
  return async ({ boardId }) => shownBoard(storage.read, await boardRow(storage.read.boards, boardId));
}
