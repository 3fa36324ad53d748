import type { InputOf } from '@agent-console/shared/operations/table';
import { worktreesOn } from '../boards/rows.ts';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { slicePage } from '../paging.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { Where } from '../ports/storage.ts';
import { standing } from './standing.ts';

type Needs = Pick<Kit, 'storage' | 'views'>;

/** Where sessions live that are asked for: in one worktree, or in those of a board; undefined asks for all. */
export async function worktreesAsked(
  { storage }: Pick<Kit, 'storage'>,
  { worktreeId, boardId }: Pick<InputOf<'sessions.list'>, 'worktreeId' | 'boardId'>,
): Promise<string | string[] | undefined> {
  if (boardId === undefined) return worktreeId;
  const onBoard = (await worktreesOn(storage.read, boardId)).map(({ id }) => id);
  return worktreeId === undefined ? onBoard : onBoard.filter((id) => id === worktreeId);
}

async function whereOf(
  { storage }: Pick<Kit, 'storage'>,
  input: InputOf<'sessions.list'>,
  worktreeId: string | string[] | undefined,
): Promise<Where<SessionRow>> {
  const { agentId, repositoryId, archived, status } = input;
  return {
    removedAt: null,
    ...(status === undefined ? {} : await standing(storage.read, status)),
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
    const where = await whereOf({ storage }, input, worktreeId);
    if (live === undefined) {
      const rows = await storage.read.sessions.find(where, { order: ['-id'], limit, skip });
      const total = await storage.read.sessions.count(where);
      return { total, limit, skip, data: await views.sessions(rows.map((row) => row.id)) };
    }
    const rows = await storage.read.sessions.find(where, { order: ['-id'] });
    const liveIds = new Set(await views.liveSessionIds());
    const fitting = rows.map((row) => row.id).filter((id) => liveIds.has(id) === live);
    const { data, ...page } = slicePage(fitting, { limit, skip });
    return { ...page, data: await views.sessions(data) };
  };
}
