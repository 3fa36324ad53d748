import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { listSessions } from '../sessions/list.ts';

/** The sessions of a board are those of its worktrees, as the list of all sessions shows them to the same caller. */
export function listBoardSessions(context: OperationContext): Implementation<'boards.sessions'> {
  const list = listSessions(context);
  return ({ boardId, limit, skip }, call) => list({ boardId, limit, skip, archived: false }, call);
}
