import { authorOf, sourceOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { depthWithinLimits } from '../delegations/limits.ts';
import type { Kit } from '../kit.ts';
import { refuseServersBeyond } from '../mcp-servers/attached.ts';
import { queuePrompt } from '../task-changes.ts';
import { contextFilesIn } from './context-files.ts';
import { givenTo } from './given-to.ts';
import { refuseUnlessMayLive } from './may-live.ts';
import { insertSession, titleFrom } from './new-session.ts';
import { creatorOf, placeOf } from './place.ts';

type Needs = Pick<
  Kit,
  'storage' | 'kinds' | 'catalogue' | 'settings' | 'places' | 'views' | 'runner' | 'conductor' | 'now' | 'newId'
>;

export function createSession(needs: Needs): Implementation<'sessions.create'> {
  return async (input, call) => {
    const creator = await creatorOf(needs, call);
    const { defaultAgentId } = await needs.settings.current();
    const agent = await needs.catalogue.choose(input.agentId, creator?.agentId, defaultAgentId);
    await refuseServersBeyond(needs, agent, input.mcpServerIds);
    if (input.initialPrompt !== undefined) await refuseUnlessMayLive(needs, '');
    const place = await placeOf(needs, input.worktreeId, input.cwd, creator);
    const contextFiles = await contextFilesIn(needs, place.cwd, input.contextFiles);
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
        contextFiles,
        mcpServerIds: input.mcpServerIds,
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
      if (queued !== undefined) await needs.conductor.startHead(tx, session.id);
      const created = { sessionId: session.id, taskId: queued?.task.id };
      await tx.remember(created);
      return created;
    });
    return shown(needs, sessionId, taskId);
  };
}

async function shown(needs: Pick<Kit, 'storage' | 'views'>, sessionId: string, taskId: string | undefined) {
  return {
    ...(await needs.views.session(sessionId)),
    ...(await givenTo(needs.storage.read, sessionId)),
    ...(taskId === undefined ? {} : { taskId }),
  };
}

/** A repeat shows the session as it is now. */
export function replaySession(needs: Pick<Kit, 'storage' | 'views'>) {
  return async (remembered: Record<string, unknown>) => {
    const { sessionId, taskId } = remembered as { sessionId: string; taskId?: string };
    return shown(needs, sessionId, taskId);
  };
}
