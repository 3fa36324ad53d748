import type { Session } from '@agent-console/shared/models/session';
import type { InputOf } from '@agent-console/shared/operations/table';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { slicePage } from '../paging.ts';
import type { SessionRow } from '../ports/rows.ts';
import type { Where } from '../ports/storage.ts';

type Needs = Pick<Kit, 'storage' | 'views'>;

function whereOf(input: InputOf<'sessions.list'>): Where<SessionRow> {
  const { agentId, worktreeId, repositoryId, archived } = input;
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
    const { limit, skip, status, live, agentId, worktreeId, repositoryId, archived } = input;
    const plain = agentId === undefined && worktreeId === undefined && repositoryId === undefined && !archived;
    if (live === true && plain && status === undefined) {
      const { data, ...page } = slicePage(await views.liveSessionIds(), { limit, skip });
      return { ...page, data: await views.sessions(data) };
    }
    const where = whereOf(input);
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
