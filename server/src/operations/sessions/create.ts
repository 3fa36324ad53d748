import { authorOf, sourceOf } from '../../engine/author.ts';
import { refuseUnsupportedServers } from '../../engine/mcp-servers/attached.ts';
import { creatorOf } from '../../engine/rows.ts';
import { contextFilesIn } from '../../engine/sessions/context-files.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import { queuePrompt } from '../../engine/task-changes.ts';
import type { OperationContext } from '../context.ts';
import { depthWithinLimits } from '../delegations/limits.ts';
import type { Implementation } from '../operation.ts';
import { refuseUnlessMayLive } from '../workers/may-live.ts';
import { attachmentsOf } from './attachments.ts';
import { locationOf } from './location.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'kinds' | 'catalogue' | 'settings' | 'host' | 'views' | 'runner' | 'reconciler' | 'now' | 'newId'
>;

export function createSession(needs: Needs): Implementation<'sessions.create'> {
  return async (input, call) => {
    const creator = await creatorOf(needs, call);
    const { defaultAgentId } = await needs.settings.current();
    const agent = await needs.catalogue.choose(input.agentId, creator?.agentId, defaultAgentId);
    await refuseUnsupportedServers(needs, agent, input.mcpServerIds);
    if (input.initialPrompt !== undefined) await refuseUnlessMayLive(needs, '');
    const place = await locationOf(needs, input.worktreeId, input.cwd, creator);
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
      if (queued !== undefined) await needs.reconciler.startHead(tx, session.id);
      const created = { sessionId: session.id, taskId: queued?.task.id };
      await tx.remember(created);
      return created;
    });
    return shown(needs, sessionId, taskId);
  };
}

async function shown(
  needs: Pick<OperationContext, 'storage' | 'views'>,
  sessionId: string,
  taskId: string | undefined,
) {
  return {
    ...(await needs.views.session(sessionId)),
    ...(await attachmentsOf(needs.storage.read, sessionId)),
    ...(taskId === undefined ? {} : { taskId }),
  };
}

/** A repeat shows the session as it is now. */
export function replaySession(needs: Pick<OperationContext, 'storage' | 'views'>) {
  return async (remembered: Record<string, unknown>) => {
    const { sessionId, taskId } = remembered as { sessionId: string; taskId?: string };
    return shown(needs, sessionId, taskId);
  };
}
