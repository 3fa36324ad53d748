import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Branch } from '@agent-console/shared/operations/session-branches';
import * as v from 'valibot';
import type { Call } from '../../domain/call.ts';
import { lowerOf, raisedTo } from '../../domain/permission-mode.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { attachedIds, refuseUnsupportedServers } from '../../engine/mcp-servers/attached.ts';
import { creatorOf, sessionRow } from '../../engine/rows.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import { queuePrompt, startTask } from '../../engine/task-changes.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import { depthWithinLimits } from '../delegations/limits.ts';
import { refuseWithoutRunner } from '../workers/may-live.ts';
import { forkPoint, refuseUnforkable } from './fork-point.ts';
import { locationOf } from './location.ts';
import { workEnd } from './work-end.ts';

export type BranchNeeds = Pick<
  OperationContext,
  'storage' | 'hub' | 'kinds' | 'catalogue' | 'settings' | 'host' | 'runner' | 'now' | 'newId'
>;

/** A session that was begun, as a repeat of the call is answered by. */
const Begun = v.object({
  sessionId: v.string(),
  taskId: v.string(),
  warnings: v.array(v.string()),
  sync: v.boolean(),
});
type Begun = v.InferOutput<typeof Begun>;

/** A session to begin with another one. */
export interface BranchAsked {
  kind: 'fork' | 'subsession';
  sessionId: string;
  prompt: string;
  agentId?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  title?: string | undefined;
  taskId?: string | undefined;
  notifyOnCompletion: boolean;
  sync: boolean;
}

/**
 * Begins a fork or a subsession with its prompt at work, in the worktree of the session it begins with, which is left as
 * it is. With `sync` it answers when the work has ended or the time is over.
 * @throws UNSUPPORTED and CONFLICT as `refuseUnforkable` and `forkPoint` do, VALIDATION for a task of another session,
 * LIMIT_EXCEEDED, RUNNER_UNAVAILABLE, PERMISSION_DENIED above the ceiling, AGENT_UNAVAILABLE.
 */
export async function beginBranch(needs: BranchNeeds, asked: BranchAsked, call: Call): Promise<Branch> {
  const { storage } = needs;
  const shown = await sessionRow(storage.read.sessions, asked.sessionId);
  const agent = await needs.catalogue.choose(asked.agentId, shown.agentId);
  if (asked.kind === 'fork') {
    const original = await needs.catalogue.get(shown.agentId);
    refuseUnforkable(shown, needs.kinds(original.kind), agent.id);
  }
  refuseWithoutRunner(needs);
  await refuseUnsupportedServers(needs, agent, await attachedIds(storage.read, shown.id));
  const creator = await creatorOf(needs, call);
  const place = await locationOf(
    needs,
    shown.worktreeId ?? undefined,
    shown.worktreeId === null ? shown.cwd : undefined,
    creator,
  );
  const begun = await storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, asked.sessionId);
    const point = await pointOf(tx, session, asked);
    const made = await insertSession(tx, needs, call, {
      ...place,
      agent,
      title: asked.title ?? titleFrom(asked.prompt),
      description: '',
      parent: asked.kind === 'subsession' ? session : null,
      origin: { kind: asked.kind, session, taskId: point.taskId, ceiling: ceilingOf(asked, session, creator) },
      depth: await depthOf(tx, needs, asked, session, creator),
      mode: asked.permissionMode,
      ceiling: undefined,
      queueHeld: false,
    });
    const { task } = await queuePrompt(tx, needs, {
      sessionId: made.id,
      prompt: asked.prompt,
      notifyOnCompletion: asked.notifyOnCompletion,
      ...sourceOf(call),
    });
    await startTask(tx, needs, task);
    const remembered: Begun = { sessionId: made.id, taskId: task.id, warnings: point.warnings, sync: asked.sync };
    await tx.remember(remembered);
    return remembered;
  });
  return standingOf(needs, begun, call);
}

/** A branch as it stands now, or with `sync` when its work has ended. */
async function standingOf(
  needs: Pick<OperationContext, 'storage' | 'hub'>,
  { sessionId, taskId, warnings, sync }: Begun,
  call: Call,
): Promise<Branch> {
  if (sync) return { sessionId, taskId, ...(await workEnd(needs, taskId, call.signal)), warnings };
  const task = await needs.storage.read.tasks.get(taskId);
  return { sessionId, taskId, status: task?.status ?? 'interrupted', warnings };
}

/** A repeat shows how the work of the session that was begun stands now, or waits for it as the first call did. */
export function replayBranch(needs: Pick<OperationContext, 'storage' | 'hub'>) {
  return async (remembered: Record<string, unknown>, call: Call): Promise<Branch> =>
    standingOf(needs, v.parse(Begun, remembered), call);
}

async function pointOf(
  read: Pick<Readers, 'tasks'>,
  session: SessionRow,
  { kind, taskId }: BranchAsked,
): Promise<{ taskId: string | null; warnings: string[] }> {
  if (taskId !== undefined && (await read.tasks.get(taskId))?.sessionId !== session.id) {
    throw new ConsoleError('VALIDATION', `taskId: task ${taskId} is none of session ${session.id}`, {
      field: 'taskId',
      sessionId: session.id,
    });
  }
  if (kind === 'fork') return forkPoint(read, session, taskId);
  if (taskId !== undefined) return { taskId, warnings: [] };
  const active = await read.tasks.first({ sessionId: session.id, kind: 'prompt', status: [...ACTIVE_STATUSES] });
  return { taskId: active?.id ?? null, warnings: [] };
}

/** A child stays under its parent, an agent's fork under both; a person's fork may get more than what it began with. */
function ceilingOf(asked: BranchAsked, session: SessionRow, creator: SessionRow | null): PermissionMode {
  const { permissionCeiling } = session;
  if (creator !== null) return lowerOf(permissionCeiling, creator.permissionCeiling);
  return asked.kind === 'fork' ? raisedTo(permissionCeiling, asked.permissionMode) : permissionCeiling;
}

/** A child is one level below its parent, a person's fork beside its original; what an agent makes is below itself. */
async function depthOf(
  tx: Transaction,
  needs: BranchNeeds,
  { kind }: BranchAsked,
  session: SessionRow,
  creator: SessionRow | null,
): Promise<number> {
  const depth = kind === 'fork' ? session.depth : session.depth + 1;
  if (creator !== null) {
    return depthWithinLimits(tx, needs, { id: creator.id, depth: Math.max(creator.depth, depth - 1) });
  }
  await depthWithinLimits(tx, needs, null);
  return depth;
}
