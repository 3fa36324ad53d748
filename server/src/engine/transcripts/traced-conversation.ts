import type { AgentKind, Conversations } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Storage } from '../../ports/storage.ts';

/** The conversation of an agent that chooses its own ids, found by cwd and time; null if ambiguous. */
export async function tracedConversation(
  { storage, conversations }: { storage: Pick<Storage, 'read'>; conversations: Conversations },
  session: SessionRow,
  kind: Pick<AgentKind, 'id' | 'nativeId' | 'switchesConversation'>,
): Promise<string | null> {
  if (kind.nativeId !== 'theirs' && !kind.switchesConversation) return null;
  const { cwd, createdAt: since } = session;
  const others = await storage.read.sessions.find({ cwd });
  const taken = new Set(
    others.flatMap(({ id, nativeId }) => (id !== session.id && nativeId !== null ? [nativeId] : [])),
  );
  return conversations.find(kind.id, { cwd, since, taken });
}
