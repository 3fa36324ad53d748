import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { listSessions } from '../sessions/list.ts';

/** The sessions of a board are those of its worktrees, as the list of all sessions shows them to the same caller. */
export function listBoardSessions(kit: Kit): Implementation<'boards.sessions'> {
  const list = listSessions(kit);
  return ({ boardId, limit, skip }, call) => list({ boardId, limit, skip, archived: false }, call);
}
