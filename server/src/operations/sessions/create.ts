import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { authorOf, sourceOf } from '../../engine/changes/author.ts';
import { queuePrompt } from '../../engine/changes/task-changes.ts';
import { refuseUnsupportedServers } from '../../engine/mcp-servers/attached.ts';
import { creatorOf, worktreeRow } from '../../engine/rows.ts';
import { contextFilesIn } from '../../engine/sessions/context-files.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import { notReady, refuseUnsettled } from '../../engine/worktrees/occupancy.ts';
import type { SessionRow } from '../../ports/rows.ts';
import { depthWithinLimits, refuseBeyondLiveLimit } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { attachmentsOf } from './details.ts';

function createSession(context: OperationContext): Implementation<'sessions.create'> {
  return async (input, call) => {
    const creator = await creatorOf(context, call);
    const { defaultAgentId } = await context.settings.current();
    const agent = await context.catalogue.choose(input.agentId, creator?.agentId, defaultAgentId);
    await refuseUnsupportedServers(context, agent, input.mcpServerIds);
    const location = await locationOf(context, input.worktreeId, input.cwd, creator);
    const contextFiles = await contextFilesIn(context, location, input.contextFiles);
    const { sessionId, taskId } = await context.storage.write(authorOf(call), async (tx) => {
      if (input.initialPrompt !== undefined) await refuseBeyondLiveLimit(tx, context, '');
      const session = await insertSession(tx, context, call, {
        ...location,
        agent,
        title: input.title ?? titleFrom(input.initialPrompt),
        description: input.description,
        parent: creator,
        depth: creator === null ? 0 : await depthWithinLimits(tx, context, creator),
        mode: input.permissionMode,
        ceiling: input.permissionCeiling,
        queueHeld: false,
        visibility: input.visibility,
        contextFiles,
        mcpServerIds: input.mcpServerIds,
      });
      const prompt = input.initialPrompt;
      const queued =
        prompt === undefined
          ? undefined
          : await queuePrompt(tx, context, {
              sessionId: session.id,
              prompt,
              ...sourceOf(call),
              notifyOnCompletion: true,
            });
      if (queued !== undefined) await context.reconciler.startHead(tx, session.id);
      const created = { sessionId: session.id, taskId: queued?.task.id };
      await tx.remember(created);
      return created;
    });
    return createdSession(context, sessionId, taskId);
  };
}

async function createdSession(context: OperationContext, sessionId: string, taskId: string | undefined) {
  return {
    ...(await context.views.session(sessionId)),
    ...(await attachmentsOf(context.storage.read, sessionId)),
    ...(taskId === undefined ? {} : { taskId }),
  };
}

/** Answers a repeated call with the current state of the session that the first call created. */
export function replaySession(context: OperationContext) {
  return async (remembered: Record<string, unknown>) => {
    const { sessionId, taskId } = remembered as { sessionId: string; taskId?: string };
    return createdSession(context, sessionId, taskId);
  };
}

/**
 * Resolves worktree and working directory of a new session.
 * @throws PERMISSION_DENIED for an agent that chooses no worktree, the main checkout or a worktree of another
 * repository. VALIDATION for a `cwd` that is not a folder. CONFLICT for a worktree that is not ready, and for a `cwd`
 * in a worktree that is being created, restored or removed.
 */
export async function locationOf(
  context: OperationContext,
  worktreeId: string | undefined,
  cwd: string | undefined,
  creator: SessionRow | null,
) {
  if (worktreeId === undefined) {
    if (creator !== null)
      throw new ConsoleError(
        'PERMISSION_DENIED',
        'Only people can create quick sessions. Pass the `worktreeId` of a worktree instead of `cwd`.',
        {},
      );
    if (cwd === undefined || !(await context.host.isFolder(cwd))) {
      throw fieldError('cwd', `${cwd} is not a directory on this machine; pass an existing directory`, { cwd });
    }
    const folder = await context.host.realPath(cwd);
    await refuseUnsettled(context.storage.read, folder);
    return { worktree: null, cwd: folder };
  }
  const worktree = await worktreeRow(context.storage.read.worktrees, worktreeId);
  if (worktree.state !== 'ready') throw notReady(worktree);
  if (creator !== null && (worktree.kind === 'main' || worktree.repositoryId !== creator.repositoryId)) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'Agents can only create sessions in worktrees of their own repository, not in the main checkout.',
      { worktreeId },
    );
  }
  return { worktree: { id: worktree.id, repositoryId: worktree.repositoryId }, cwd: worktree.path };
}

export function sessionCreation(context: OperationContext) {
  return {
    'sessions.create': createSession(context),
  } satisfies Partial<Implementations>;
}
