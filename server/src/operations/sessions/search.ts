import type { SessionMatch } from '@agent-console/shared/operations/session-search';
import type { InputOf } from '@agent-console/shared/operations/table';
import { excerptOf, readSearch, type Wanted } from '../../domain/search.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { FoundSession, Where } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { slicePage } from '../paging.ts';
import { worktreesAsked } from './list.ts';
import { statusFilter } from './status-filter.ts';

type Needs = Pick<OperationContext, 'storage' | 'views'>;

/** Reads through the stores of its caller, so what others keep private is neither found nor counted. */
export function searchSessions(needs: Needs): Implementation<'sessions.search'> {
  const { storage, views } = needs;
  return async (input) => {
    const wanted = readSearch(input.query);
    const { found, complete } = await storage.read.search.sessions(wanted, await among(needs, input));
    const { data, ...page } = slicePage(found, input);
    const sessions = await views.sessions(data.map(({ sessionId }) => sessionId));
    const rows: SessionMatch[] = [];
    for (const [at, session] of sessions.entries()) {
      const match = data[at];
      if (match !== undefined) rows.push({ session, ...(await shown(needs, wanted, match)) });
    }
    return { ...page, data: rows, truncated: !complete };
  };
}

async function among(
  { storage }: Needs,
  { agentId, repositoryId, status, archived, ...place }: InputOf<'sessions.search'>,
): Promise<Where<SessionRow>> {
  const worktreeId = await worktreesAsked({ storage }, place);
  return {
    removedAt: null,
    ...(archived === undefined ? {} : { archivedAt: archived ? { not: null } : null }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(worktreeId === undefined ? {} : { worktreeId }),
    ...(repositoryId === undefined ? {} : { repositoryId }),
    ...(status === undefined ? {} : await statusFilter(storage.read, status)),
  };
}

async function shown(
  { storage }: Needs,
  wanted: Wanted,
  { documentId, matches }: FoundSession,
): Promise<Omit<SessionMatch, 'session'>> {
  const document = await storage.read.search.text(documentId);
  return {
    messageId: document?.kind === 'message' ? document.sourceId : null,
    taskId: document?.kind === 'task' ? document.sourceId : null,
    ...excerptOf(document?.text ?? '', wanted),
    matches,
  };
}
