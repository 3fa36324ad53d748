import { inboxItemOf } from '@agent-console/shared/inbox';
import { useEffect } from 'react';
import { dropHeldState, useHeldState } from '../../ui/use-held-state.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { keyOf } from './inbox-rows.ts';

/**
 * Id of the session that asks a question, by the question's key. Contains each question whose answer field was shown.
 */
const asking = new Map<string, string>();

/**
 * Returns the text that a person entered as the answer to a question on an agent's screen. The text is kept while the
 * question is pending, even if the field is unmounted. It may be a password, so it is dropped when the question has
 * ended.
 * @param question key of the question in the inbox
 */
export function useEnteredAnswer(sessionId: string, question: string) {
  useEffect(() => {
    asking.set(question, sessionId);
  }, [sessionId, question]);
  return useHeldState(nameOf(question), '');
}

function nameOf(question: string): string {
  return `answer ${question}`;
}

useSessions.subscribe(({ loaded, sessions }) => {
  if (!loaded) return;
  for (const [question, sessionId] of asking) {
    const session = sessions[sessionId];
    // `readUntil` has no effect here, because a question stays in the inbox until it is answered or withdrawn.
    const item = session && inboxItemOf(session, { readUntil: null });
    if (item !== undefined && keyOf(item) === question) continue;
    asking.delete(question);
    dropHeldState(nameOf(question));
  }
});
