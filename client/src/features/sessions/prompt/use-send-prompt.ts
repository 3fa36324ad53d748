import { ConsoleError } from '@agent-console/shared/errors';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { unsentPart } from '../../../ui/use-draft.ts';
import { refreshSession } from '../sessions-store.ts';
import { draftOf, keyOfAttempt, saveDraft } from './drafts.ts';

/**
 * Returns `send`, which sends a session's draft and resolves to whether it was sent. Also returns whether `send` is
 * running (`busy`) and its last error (`problem`). On success, `send` clears the draft, except for text and images that
 * were added in the meantime.
 */
export function useSendPrompt(sessionId: string) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ConsoleError>();
  const send = async (): Promise<boolean> => {
    const { text, attempt, images = [] } = draftOf(sessionId);
    if (busy || text.trim() === '') return false;
    const sent = images.map(({ imageId }) => imageId);
    const key = keyOfAttempt(attempt, text, sent);
    saveDraft(sessionId, { text, attempt: { text, images: sent, key } });
    setBusy(true);
    setProblem(undefined);
    try {
      const input = { sessionId, prompt: text, ...(sent.length > 0 && { images: sent }) };
      await call('sessions.prompt', input, { idempotencyKey: key });
      const { text: now, images: all = [] } = draftOf(sessionId);
      saveDraft(sessionId, {
        text: unsentPart(now, text),
        images: all.filter(({ imageId }) => !sent.includes(imageId)),
      });
      refreshSession(sessionId);
      return true;
    } catch (error) {
      const refusal = error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', String(error));
      // After an error that cannot be retried, the draft loses its idempotency key, so that sending the same text again
      // is a new request.
      if (!refusal.retryable) saveDraft(sessionId, { text: draftOf(sessionId).text });
      setProblem(refusal);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send, dismiss: () => setProblem(undefined) };
}
