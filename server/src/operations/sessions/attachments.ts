import type { SessionGiven } from '@agent-console/shared/models/session';
import { attachedTo } from '../../engine/mcp-servers/attached.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { Readers } from '../../ports/storage.ts';

type Read = Pick<Readers, 'sessions' | 'sessionMcpServers' | 'mcpServers'>;

/** What a session's agent was given besides its prompts. */
export async function attachmentsOf(read: Read, sessionId: string): Promise<SessionGiven> {
  const { contextFiles } = await sessionRow(read.sessions, sessionId);
  const servers = await attachedTo(read, sessionId);
  return { contextFiles, mcpServers: servers.map(({ id, name, transport }) => ({ id, name, transport })) };
}
