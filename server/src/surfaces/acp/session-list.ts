import { shortId } from '@agent-console/shared/ids';
import type { Session } from '@agent-console/shared/models/session';
import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';
import { checkCwd, realDirectory, worktreeAround } from './places.ts';

const PAGE = 100;

/**
 * Lists the sessions that an editor can load, newest first: all of them, or those in one directory and in the worktrees
 * of its repository. The cursor is the number of the console's sessions that were already searched.
 */
export async function listSessions(
  console: EditorConsole,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  if (cwd != null) checkCwd(cwd);
  const isWanted = cwd == null ? () => true : await isIn(console, await realDirectory(cwd));
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0)
    throw RequestError.invalidParams({ cursor }, 'cursor: use the nextCursor of the previous response');
  for (let skip = from; ; skip += PAGE) {
    const { data, total } = await console.call('sessions.list', { limit: PAGE, skip });
    const sessions = data.filter(isWanted).map(({ id, cwd, title, updatedAt }) => ({
      sessionId: id,
      cwd,
      title: title || `Session ${shortId(id)}`,
      updatedAt,
    }));
    const next = skip + data.length;
    if (next >= total || data.length === 0) return { sessions };
    if (sessions.length > 0) return { sessions, nextCursor: String(next) };
  }
}

/**
 * Returns a function that says whether a session works in the directory, or in a worktree of the repository that
 * contains the directory.
 */
async function isIn(console: EditorConsole, directory: string) {
  // If git cannot list the worktrees, for example because the repository's folder is gone, sessions are found only by
  // their own directory.
  const repositoryId = (await worktreeAround(console, directory).catch(() => undefined))?.repositoryId;
  return (session: Session) =>
    session.cwd === directory || (repositoryId !== undefined && session.repositoryId === repositoryId);
}
