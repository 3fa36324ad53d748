import { AgentKindName } from '@agent-console/shared/models/agent';
import type { Conversations } from '../ports/agents.ts';
import type { Transcripts } from '../ports/transcripts.ts';
import type { AgentKind, ConversationSources, ConversationStore } from './common/kind.ts';

/** Creates read-only access to the conversations that agents record on this machine. */
export function createConversations(
  kinds: (name: AgentKindName) => AgentKind,
  sources: ConversationSources,
): Conversations & Transcripts {
  const stores = new Map<AgentKindName, ConversationStore | undefined>(
    AgentKindName.options.map((name) => [name, kinds(name).openConversations?.(sources)]),
  );
  return {
    exists: async (kind, nativeId) => stores.get(kind)?.exists(nativeId) ?? true,
    async find(kind, trace) {
      const found = (await stores.get(kind)?.find(trace)) ?? [];
      const free = found.filter((id) => !trace.taken.has(id));
      return free.length === 1 ? (free[0] ?? null) : null;
    },
    read: async (kind, nativeId, position) => stores.get(kind)?.read(nativeId, position) ?? null,
  };
}
