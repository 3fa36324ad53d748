import { authorOf, sourceOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { sessionRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { givePrompt } from './give-prompt.ts';
import { refuseBeyondLiveLimit } from './live-limit.ts';

type Needs = Pick<Kit, 'storage' | 'views' | 'settings' | 'now' | 'newId'>;

export function promptSession(needs: Needs): Implementation<'sessions.prompt'> {
  return async ({ sessionId, prompt, notifyOnCompletion }, call) => {
    await refuseBeyondLiveLimit(needs, sessionId);
    return needs.storage.write(authorOf(call), async (tx) => {
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
  };
}
