import { authorOf, sourceOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { depthWithinLimits } from '../delegations/limits.ts';
import type { Kit } from '../kit.ts';
import { queuePrompt } from '../task-changes.ts';
import { refuseBeyondLiveLimit } from './live-limit.ts';
import { insertSession, titleFrom } from './new-session.ts';
import { creatorOf, placeOf } from './place.ts';

type Needs = Pick<Kit, 'storage' | 'catalogue' | 'settings' | 'places' | 'views' | 'now' | 'newId'>;

export function createSession(needs: Needs): Implementation<'sessions.create'> {
  return async (input, call) => {
    const creator = await creatorOf(needs, call);
    const { defaultAgentId } = await needs.settings.current();
    const agent = await needs.catalogue.choose(input.agentId, creator?.agentId, defaultAgentId);
    if (input.initialPrompt !== undefined) await refuseBeyondLiveLimit(needs, '');
    const place = await placeOf(needs, input.worktreeId, input.cwd, creator);
    const { sessionId, taskId } = await needs.storage.write(authorOf(call), async (tx) => {
      const session = await insertSession(tx, needs, call, {
        ...place,
        agent,
        title: input.title ?? titleFrom(input.initialPrompt),
        description: input.description ?? '',
        parent: creator,
        depth: creator === null ? 0 : await depthWithinLimits(tx, needs, creator),
        mode: input.permissionMode,
        ceiling: creator === null ? input.permissionCeiling : undefined,
        queueHeld: false,
        visibility: input.visibility,
      });
      const prompt = input.initialPrompt;
      const queued =
        prompt === undefined
          ? undefined
          : await queuePrompt(tx, needs, {
              sessionId: session.id,
              prompt,
              ...sourceOf(call),
              notifyOnCompletion: true,
            });
      const created = { sessionId: session.id, taskId: queued?.task.id };
      await tx.remember(created);
      return created;
    });
    return { ...(await needs.views.session(sessionId)), ...(taskId === undefined ? {} : { taskId }) };
  };
}

/** A repeat shows the session as it is now. */
export function replaySession({ views }: Pick<Kit, 'views'>) {
  return async (remembered: Record<string, unknown>) => {
    const { sessionId, taskId } = remembered as { sessionId: string; taskId?: string };
    return { ...(await views.session(sessionId)), ...(taskId === undefined ? {} : { taskId }) };
  };
}
