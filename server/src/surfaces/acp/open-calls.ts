import type { Approval } from '@agent-console/shared/models/approval';
import type { Message } from '@agent-console/shared/models/message';

/** The unfinished tool calls of a conversation, by the ids under which the editor shows them. */
interface OpenCalls {
  /** Adds the message's tool call if it is unfinished, and removes it if it has ended. */
  note(message: Message): void;
  /** Returns the id of the open tool call that a question is about; undefined if the editor shows none. */
  find(question: Pick<Approval, 'callId' | 'text'>): string | undefined;
}

export function createOpenCalls(): OpenCalls {
  const calls = new Map<string, { callId: unknown; title: unknown }>();
  return {
    note({ id, kind, parts }) {
      if (kind !== 'toolCall') return;
      const { callId, title, status } = parts[0] ?? {};
      if (status === 'pending' || status === 'in_progress') calls.set(id, { callId, title });
      else calls.delete(id);
    },
    find({ callId, text }) {
      // A question that was read from a screen does not contain the id of its tool call, so the tool call is found by
      // its title. If several open calls have this title, the newest one is the most likely.
      const matches = (call: { callId: unknown; title: unknown }) =>
        callId == null ? call.title === text : call.callId === callId;
      return [...calls].findLast(([, call]) => matches(call))?.[0];
    },
  };
}
