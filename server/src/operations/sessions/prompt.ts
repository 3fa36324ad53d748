import { authorOf, sourceOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { sessionRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { givePrompt } from './give-prompt.ts';

export function promptSession(needs: Pick<Kit, 'storage' | 'now' | 'newId'>): Implementation<'sessions.prompt'> {
  return ({ sessionId, prompt, notifyOnCompletion }, call) =>
    needs.storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const { taskId, queuePosition } = await givePrompt(tx, needs, session, {
        prompt,
        notifyOnCompletion,
        ...sourceOf(call),
      });
      const answer = { taskId, sessionId, ...(queuePosition === null ? {} : { queued: true, queuePosition }) };
      await tx.remember(answer);
      return answer;
    });
}
