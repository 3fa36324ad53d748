import type { Session } from '@agent-console/shared/models/session';
import type { InputOf } from '@agent-console/shared/operations/table';
import { worktreesOn } from '../boards/rows.ts';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { slicePage } from '../paging.ts';
import type { SessionRow } from '../ports/rows.ts';
import type { Where } from '../ports/storage.ts';

type Needs = Pick<Kit, 'storage' | 'views'>;

/** Where sessions live that are asked for: in one worktree, or in those of a board; undefined asks for all. */
async function worktreesAsked(
  { storage }: Pick<Kit, 'storage'>,
  { worktreeId, boardId }: Pick<InputOf<'sessions.list'>, 'worktreeId' | 'boardId'>,
): Promise<string | string[] | undefined> {
  if (boardId === undefined) return worktreeId;
  const onBoard = (await worktreesOn(storage.read, boardId)).map(({ id }) => id);
  return worktreeId === undefined ? onBoard : onBoard.filter((id) => id === worktreeId);
}

function whereOf(input: InputOf<'sessions.list'>, worktreeId: string | string[] | undefined): Where<SessionRow> {
  const { agentId, repositoryId, archived } = input;
  return {
    removedAt: null,
    ...(archived ? { archivedAt: { not: null } } : { archivedAt: null }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(worktreeId === undefined ? {} : { worktreeId }),
    ...(repositoryId === undefined ? {} : { repositoryId }),
  };
}

export function listSessions({ storage, views }: Needs): Implementation<'sessions.list'> {
  return async (input) => {
    const { limit, skip, status, live, agentId, repositoryId, archived } = input;
    const worktreeId = await worktreesAsked({ storage }, input);
    const plain = agentId === undefined && worktreeId === undefined && repositoryId === undefined && !archived;
    if (live === true && plain && status === undefined) {
      const { data, ...page } = slicePage(await views.liveSessionIds(), { limit, skip });
      return { ...page, data: await views.sessions(data) };
    }
    const where = whereOf(input, worktreeId);
    if (live === undefined && status === undefined) {
      const rows = await storage.read.sessions.find(where, { order: ['-id'], limit, skip });
      const total = await storage.read.sessions.count(where);
      return { total, limit, skip, data: await views.sessions(rows.map((row) => row.id)) };
    }
    const rows = await storage.read.sessions.find(where, { order: ['-id'] });
    const liveIds = new Set(await views.liveSessionIds());
    const fits = (session: Session) =>
      (status === undefined || session.status === status) && (live === undefined || liveIds.has(session.id) === live);
    return slicePage((await views.sessions(rows.map((row) => row.id))).filter(fits), { limit, skip });
  };
}
