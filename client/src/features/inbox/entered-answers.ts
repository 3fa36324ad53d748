import { inboxItemOf } from '@agent-console/shared/inbox';
import { useEffect } from 'react';
import { dropHeldState, useHeldState } from '../../ui/use-held-state.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { keyOf } from './inbox-rows.ts';

/** Sessions that ask a question whose answer may be held, by the key of the question. */
const asking = new Map<string, string>();

/**
 * Returns the text that a person entered as the answer to a question on the screen of an agent. It outlives its field,
 * but not the question, because it may be a password.
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
    // Questions are in the inbox whatever has been read.
    const item = session && inboxItemOf(session, { readUntil: null });
    if (item !== undefined && keyOf(item) === question) continue;
    asking.delete(question);
    dropHeldState(nameOf(question));
  }
});
