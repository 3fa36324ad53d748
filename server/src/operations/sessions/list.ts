import { SessionStatus } from '@agent-console/shared/models/session';
import { TaskOutcome } from '@agent-console/shared/models/task';
import type { SessionMatch } from '@agent-console/shared/operations/sessions';
import type { InputOf } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import { excerptOf, parseSearch, type SearchQuery } from '../../domain/search.ts';
import { SESSION_MARKS, statusOf } from '../../domain/session-mark.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { worktreesOn } from '../../engine/boards/rows.ts';
import type { SessionRow, TaskRow } from '../../ports/rows.ts';
import type { FoundSession, Readers, Where } from '../../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { slicePage } from '../paging.ts';

type Excerpt = SessionMatch['more'][number];

/** Returns the worktree filter: one worktree, or the worktrees of a board; undefined for all. */
async function worktreeFilter(
  { storage }: OperationContext,
  { worktreeId, boardId }: Pick<InputOf<'sessions.list'>, 'worktreeId' | 'boardId'>,
): Promise<string | string[] | undefined> {
  if (boardId === undefined) return worktreeId;
  const onBoard = (await worktreesOn(storage.read, boardId)).map(({ id }) => id);
  return worktreeId === undefined ? onBoard : onBoard.filter((id) => id === worktreeId);
}

async function listFilter(
  { storage }: OperationContext,
  input: InputOf<'sessions.list'>,
  worktreeId: string | string[] | undefined,
): Promise<Where<SessionRow>> {
  const { agentId, repositoryId, archived, status, label } = input;
  return {
    removedAt: null,
    ...(status === undefined ? {} : await statusFilter(storage.read, status)),
    ...(archived ? { archivedAt: { not: null } } : { archivedAt: null }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(label === undefined ? {} : { labels: { contains: label } }),
    ...(worktreeId === undefined ? {} : { worktreeId }),
    ...(repositoryId === undefined ? {} : { repositoryId }),
  };
}

/**
 * Returns the ids of the sessions whose shown status is `shownStatus`, newest first. The shown status of a session is
 * its outcome or, without an outcome, its status.
 */
async function idsByShownStatus(
  { storage, views }: OperationContext,
  where: Where<SessionRow>,
  { status, shownStatus }: Pick<InputOf<'sessions.list'>, 'status' | 'shownStatus'>,
): Promise<string[]> {
  const find = (more: Where<SessionRow>) => storage.read.sessions.ids({ ...where, ...more });
  const open = { mark: 'open' } as const;
  const ids = new Set([
    ...(v.is(SessionStatus, shownStatus) ? await find(await statusFilter(storage.read, shownStatus)) : []),
    ...(v.is(TaskOutcome, shownStatus) ? await find({ ...open, parentSessionId: { not: null } }) : []),
    ...(v.is(TaskOutcome, shownStatus) ? await find({ ...open, forkedFromSessionId: { not: null } }) : []),
  ]);
  const sessions = await views.sessions([...ids]);
  return sessions
    .filter((session) => (session.outcome ?? session.status) === shownStatus)
    .filter((session) => status === undefined || session.status === status)
    .map(({ id }) => id)
    .sort()
    .reverse();
}

export function listSessions(context: OperationContext): Implementation<'sessions.list'> {
  const { storage, views } = context;
  return async (input) => {
    const { limit, skip, status, shownStatus, live, agentId, label, repositoryId, archived } = input;
    const pageOfIds = async (ids: readonly string[]) => {
      const { data, ...page } = slicePage(ids, { limit, skip });
      return { ...page, data: await views.sessions(data) };
    };
    const worktreeId = await worktreeFilter(context, input);
    const filters = [agentId, label, worktreeId, repositoryId];
    const isUnfiltered = filters.every((filter) => filter === undefined) && !archived;
    if (live === true && isUnfiltered && status === undefined && shownStatus === undefined) {
      return pageOfIds(await views.liveSessionIds());
    }
    if (shownStatus !== undefined) {
      const anyStatus = await listFilter(context, { ...input, status: undefined }, worktreeId);
      const ids = await idsByShownStatus(context, anyStatus, { status, shownStatus });
      const liveIds = live === undefined ? undefined : new Set(await views.liveSessionIds());
      return pageOfIds(ids.filter((id) => liveIds === undefined || liveIds.has(id) === live));
    }
    const where = await listFilter(context, input, worktreeId);
    if (live === undefined) {
      const ids = await storage.read.sessions.ids(where, { order: ['-id'], limit, skip });
      const total = await storage.read.sessions.count(where);
      return { total, limit, skip, data: await views.sessions(ids) };
    }
    const ids = await storage.read.sessions.ids(where, { order: ['-id'] });
    const liveIds = new Set(await views.liveSessionIds());
    return pageOfIds(ids.filter((id) => liveIds.has(id) === live));
  };
}

/**
 * Returns a database filter for the sessions that have `status`. Reads the few sessions with active tasks, because
 * their status depends on these tasks. The status of every other session depends only on its `mark` column.
 */
export async function statusFilter(
  read: Pick<Readers, 'sessions' | 'tasks'>,
  status: SessionStatus,
): Promise<Where<SessionRow>> {
  const active = new Map<string, TaskRow[]>();
  for (const task of await read.tasks.find({ status: [...ACTIVE_STATUSES] })) {
    active.set(task.sessionId, [...(active.get(task.sessionId) ?? []), task]);
  }
  const rows = active.size === 0 ? [] : await read.sessions.find({ id: [...active.keys()] });
  const [like, unlike]: [string[], string[]] = [[], []];
  for (const row of rows) (statusOf(row, active.get(row.id) ?? []) === status ? like : unlike).push(row.id);
  const mark = SESSION_MARKS.find((each) => statusOf({ mark: each, pausedBy: null }, []) === status);
  return mark === undefined ? { id: like } : { mark, id: { not: unlike } };
}

/** Searches only the data in the caller's viewer scope, so that hidden sessions are neither returned nor counted. */
function searchSessions(context: OperationContext): Implementation<'sessions.search'> {
  const { storage, views } = context;
  return async (input) => {
    const query = parseSearch(input.query);
    const { found, complete } = await storage.read.search.sessions(
      query,
      await searchFilter(context, input),
      input.excerpts,
    );
    // Sessions may have been removed or become private while the search ran.
    const shown = new Set(
      await storage.read.sessions.ids({ id: found.map(({ sessionId }) => sessionId), removedAt: null }),
    );
    const stillFound = found.filter(({ sessionId }) => shown.has(sessionId));
    const { data, ...page } = slicePage(stillFound, input);
    const sessions = await views.sessions(data.map(({ sessionId }) => sessionId));
    const rows: SessionMatch[] = [];
    for (const [at, session] of sessions.entries()) {
      const match = data[at];
      if (match !== undefined) rows.push({ session, ...(await excerptOfMatch(context, query, match)) });
    }
    return { ...page, data: rows, truncated: !complete };
  };
}

async function searchFilter(
  context: OperationContext,
  { agentId, repositoryId, status, archived, ...location }: InputOf<'sessions.search'>,
): Promise<Where<SessionRow>> {
  const worktreeId = await worktreeFilter(context, location);
  return {
    removedAt: null,
    ...(archived === undefined ? {} : { archivedAt: archived ? { not: null } : null }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(worktreeId === undefined ? {} : { worktreeId }),
    ...(repositoryId === undefined ? {} : { repositoryId }),
    ...(status === undefined ? {} : await statusFilter(context.storage.read, status)),
  };
}

async function excerptOfMatch(
  context: OperationContext,
  query: SearchQuery,
  { documentId, more, matches }: FoundSession,
): Promise<Omit<SessionMatch, 'session'>> {
  const { taskId, ...newest } = await excerptOfText(context, query, documentId);
  const others: Excerpt[] = [];
  for (const id of more) {
    const { taskId: _, ...excerpt } = await excerptOfText(context, query, id);
    others.push(excerpt);
  }
  return { ...newest, taskId, more: others, matches };
}

async function excerptOfText(
  { storage: { read } }: OperationContext,
  query: SearchQuery,
  documentId: number,
): Promise<Excerpt & { taskId: string | null }> {
  const document = await read.search.text(documentId);
  const message = document?.kind === 'message' ? await read.messages.get(document.sourceId) : undefined;
  return {
    messageId: message?.id ?? null,
    seq: message?.seq ?? null,
    taskId: document?.kind === 'task' ? document.sourceId : null,
    ...excerptOf(document?.text ?? '', query),
  };
}

export function sessionLists(context: OperationContext) {
  return {
    'sessions.search': searchSessions(context),
    'sessions.list': listSessions(context),
  } satisfies Partial<Implementations>;
}
