import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf, sourceOf } from '../author.ts';
import type { Call, Implementation } from '../call.ts';
import { depthWithinLimits } from '../delegations/limits.ts';
import { sessionRow, worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import type { SessionRow } from '../ports/rows.ts';
import { queuePrompt } from '../task-changes.ts';
import { refuseBeyondLiveLimit } from './live-limit.ts';
import { insertSession, titleFrom } from './new-session.ts';

type Needs = Pick<Kit, 'storage' | 'catalogue' | 'settings' | 'places' | 'views' | 'now' | 'newId'>;

/** Where the session runs. Agents start sessions in worktrees of their own repository, never in the main checkout. */
async function placeOf(
  needs: Needs,
  worktreeId: string | undefined,
  cwd: string | undefined,
  creator: SessionRow | null,
) {
  if (worktreeId === undefined) {
    if (creator !== null)
      throw new ConsoleError('PERMISSION_DENIED', 'Only people start quick sessions; give a worktreeId.', {});
    if (cwd === undefined || !(await needs.places.isFolder(cwd))) {
      throw new ConsoleError('VALIDATION', `cwd: ${cwd} is not a folder on this machine`, { cwd });
    }
    return { worktree: null, cwd: await needs.places.realPath(cwd) };
  }
  const worktree = await worktreeRow(needs.storage.read.worktrees, worktreeId);
  if (worktree.state !== 'ready') {
    throw new ConsoleError('CONFLICT', `Worktree ${worktree.name} is ${worktree.state}.`, {
      worktreeId,
      state: worktree.state,
    });
  }
  if (creator !== null && (worktree.kind === 'main' || worktree.repositoryId !== creator.repositoryId)) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'An agent starts sessions only in worktrees of its own repository, not in the main checkout.',
      { worktreeId },
    );
  }
  return { worktree: { id: worktree.id, repositoryId: worktree.repositoryId }, cwd: worktree.path };
}

async function creatorOf(needs: Needs, call: Call): Promise<SessionRow | null> {
  return call.caller.kind === 'worker' ? sessionRow(needs.storage.read.sessions, call.caller.sessionId) : null;
}

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
