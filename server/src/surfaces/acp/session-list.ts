import { shortId } from '@agent-console/shared/ids';
import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';
import { checkCwd, realDirectory } from './places.ts';

const PAGE = 100;

/** Lists the sessions that an editor can load, newest first. The cursor is the number of sessions already listed. */
export async function listSessions(
  console: EditorConsole,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  if (cwd != null) checkCwd(cwd);
  const wanted = cwd == null ? undefined : await realDirectory(cwd);
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) throw RequestError.invalidParams({ cursor }, 'the cursor is unknown');
  for (let skip = from; ; skip += PAGE) {
    const { data, total } = await console.call('sessions.list', { limit: PAGE, skip });
    const sessions = data
      .filter((session) => wanted === undefined || session.cwd === wanted)
      .map(({ id, cwd, title, updatedAt }) => ({
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
