import { SessionStatus } from '@agent-console/shared/models/session';
import { TaskOutcome } from '@agent-console/shared/models/task';
import type { InputOf } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import { worktreesOn } from '../../engine/boards/rows.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Where } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { slicePage } from '../paging.ts';
import { statusFilter } from './status-filter.ts';

type Needs = Pick<OperationContext, 'storage' | 'views'>;

/** Where sessions live that are asked for: in one worktree, or in those of a board; undefined asks for all. */
export async function worktreesAsked(
  { storage }: Pick<OperationContext, 'storage'>,
  { worktreeId, boardId }: Pick<InputOf<'sessions.list'>, 'worktreeId' | 'boardId'>,
): Promise<string | string[] | undefined> {
  if (boardId === undefined) return worktreeId;
  const onBoard = (await worktreesOn(storage.read, boardId)).map(({ id }) => id);
  return worktreeId === undefined ? onBoard : onBoard.filter((id) => id === worktreeId);
}

async function whereOf(
  { storage }: Pick<OperationContext, 'storage'>,
  input: InputOf<'sessions.list'>,
  worktreeId: string | string[] | undefined,
): Promise<Where<SessionRow>> {
  const { agentId, repositoryId, archived, status } = input;
  return {
    removedAt: null,
    ...(status === undefined ? {} : await statusFilter(storage.read, status)),
    ...(archived ? { archivedAt: { not: null } } : { archivedAt: null }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(worktreeId === undefined ? {} : { worktreeId }),
    ...(repositoryId === undefined ? {} : { repositoryId }),
  };
}

/** Ids of the sessions that `agor_*` tools show with this status, newest first: by outcome where a session has one. */
async function shownWith(
  { storage, views }: Needs,
  where: Where<SessionRow>,
  { status, shownStatus }: Pick<InputOf<'sessions.list'>, 'status' | 'shownStatus'>,
): Promise<string[]> {
  const find = async (more: Where<SessionRow>) =>
    (await storage.read.sessions.find({ ...where, ...more })).map(({ id }) => id);
  const begun = { mark: 'open' } as const;
  const ids = new Set([
    ...(v.is(SessionStatus, shownStatus) ? await find(await statusFilter(storage.read, shownStatus)) : []),
    ...(v.is(TaskOutcome, shownStatus) ? await find({ ...begun, parentSessionId: { not: null } }) : []),
    ...(v.is(TaskOutcome, shownStatus) ? await find({ ...begun, forkedFromSessionId: { not: null } }) : []),
  ]);
  const sessions = await views.sessions([...ids]);
  return sessions
    .filter((session) => (session.outcome ?? session.status) === shownStatus)
    .filter((session) => status === undefined || session.status === status)
    .map(({ id }) => id)
    .sort()
    .reverse();
}

export function listSessions({ storage, views }: Needs): Implementation<'sessions.list'> {
  return async (input) => {
    const { limit, skip, status, shownStatus, live, agentId, repositoryId, archived } = input;
    const worktreeId = await worktreesAsked({ storage }, input);
    const plain = agentId === undefined && worktreeId === undefined && repositoryId === undefined && !archived;
    if (live === true && plain && status === undefined && shownStatus === undefined) {
      const { data, ...page } = slicePage(await views.liveSessionIds(), { limit, skip });
      return { ...page, data: await views.sessions(data) };
    }
    if (shownStatus !== undefined) {
      const anyStatus = await whereOf({ storage }, { ...input, status: undefined }, worktreeId);
      const ids = await shownWith({ storage, views }, anyStatus, { status, shownStatus });
      const liveIds = live === undefined ? undefined : new Set(await views.liveSessionIds());
      const { data, ...page } = slicePage(
        ids.filter((id) => liveIds === undefined || liveIds.has(id) === live),
        { limit, skip },
      );
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
