import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Branch } from '@agent-console/shared/operations/session-branches';
import * as v from 'valibot';
import type { Call } from '../../domain/call.ts';
import { sessionOrOwn } from '../../domain/call.ts';
import { lowerOf, raisedTo } from '../../domain/permission-mode.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { authorOf, sourceOf } from '../../engine/author.ts';
import { attachedIds, refuseUnsupportedServers } from '../../engine/mcp-servers/attached.ts';
import { creatorOf, sessionRow } from '../../engine/rows.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import { queuePrompt, startTask } from '../../engine/task-changes.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { SessionRow, TaskRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import { depthWithinLimits, refuseWithoutRunner } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { locationOf } from './create.ts';
import { workEnd } from './wait.ts';

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
export async function beginBranch(context: OperationContext, asked: BranchAsked, call: Call): Promise<Branch> {
  const { storage } = context;
  const shown = await sessionRow(storage.read.sessions, asked.sessionId);
  const agent = await context.catalogue.choose(asked.agentId, shown.agentId);
  if (asked.kind === 'fork') {
    const original = await context.catalogue.get(shown.agentId);
    refuseUnforkable(shown, context.kinds(original.kind), agent.id);
  }
  refuseWithoutRunner(context);
  await refuseUnsupportedServers(context, agent, await attachedIds(storage.read, shown.id));
  const creator = await creatorOf(context, call);
  const place = await locationOf(
    context,
    shown.worktreeId ?? undefined,
    shown.worktreeId === null ? shown.cwd : undefined,
    creator,
  );
  const begun = await storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, asked.sessionId);
    const point = await pointOf(tx, session, asked);
    const made = await insertSession(tx, context, call, {
      ...place,
      agent,
      title: asked.title ?? titleFrom(asked.prompt),
      description: '',
      parent: asked.kind === 'subsession' ? session : null,
      origin: { kind: asked.kind, session, taskId: point.taskId, ceiling: ceilingOf(asked, session, creator) },
      depth: await depthOf(tx, context, asked, session, creator),
      mode: asked.permissionMode,
      ceiling: undefined,
      queueHeld: false,
    });
    const { task } = await queuePrompt(tx, context, {
      sessionId: made.id,
      prompt: asked.prompt,
      notifyOnCompletion: asked.notifyOnCompletion,
      ...sourceOf(call),
    });
    await startTask(tx, context, task);
    const remembered: Begun = { sessionId: made.id, taskId: task.id, warnings: point.warnings, sync: asked.sync };
    await tx.remember(remembered);
    return remembered;
  });
  return standingOf(context, begun, call);
}

/** A branch as it stands now, or with `sync` when its work has ended. */
async function standingOf(
  context: OperationContext,
  { sessionId, taskId, warnings, sync }: Begun,
  call: Call,
): Promise<Branch> {
  if (sync) return { sessionId, taskId, ...(await workEnd(context, taskId, call.signal)), warnings };
  const task = await context.storage.read.tasks.get(taskId);
  return { sessionId, taskId, status: task?.status ?? 'interrupted', warnings };
}

/** A repeat shows how the work of the session that was begun stands now, or waits for it as the first call did. */
export function replayBranch(context: OperationContext) {
  return async (remembered: Record<string, unknown>, call: Call): Promise<Branch> =>
    standingOf(context, v.parse(Begun, remembered), call);
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
  context: OperationContext,
  { kind }: BranchAsked,
  session: SessionRow,
  creator: SessionRow | null,
): Promise<number> {
  const depth = kind === 'fork' ? session.depth : session.depth + 1;
  if (creator !== null) {
    return depthWithinLimits(tx, context, { id: creator.id, depth: Math.max(creator.depth, depth - 1) });
  }
  await depthWithinLimits(tx, context, null);
  return depth;
}

const INSTEAD = 'Begin a subsession instead (mode "subsession"), with all that it context to know in its prompt.';

/** Refuses a fork that the agent cannot make by itself; a copy of words alone would not be the same conversation. */
function refuseUnforkable(
  session: SessionRow,
  original: Pick<AgentKind, 'name' | 'supportsFork'>,
  agentId: string,
): void {
  if (!original.supportsFork) {
    throw new ConsoleError('UNSUPPORTED', `${original.name} cannot fork its conversations. ${INSTEAD}`, {
      agentId: session.agentId,
      hint: 'subsession',
    });
  }
  if (agentId !== session.agentId) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `Agent ${agentId} cannot go on with a conversation of ${session.agentId}. ${INSTEAD}`,
      { agentId, hint: 'subsession' },
    );
  }
}

/** A task whose turn is over, also one that still waits for its report. */
function turnIsOver({ status, waitingFor, startedAt }: TaskRow): boolean {
  if (startedAt === null || status === 'queued' || status === 'running') return false;
  return status !== 'awaiting_input' || waitingFor === 'report';
}

/**
 * The task at whose end a fork begins, and what its caller is told of that.
 * @throws CONFLICT where no turn has ended yet, UNSUPPORTED for another task than the last one that has.
 */
async function forkPoint(
  read: Pick<Readers, 'tasks'>,
  session: SessionRow,
  taskId: string | undefined,
): Promise<{ taskId: string; warnings: string[] }> {
  const begun = await read.tasks.find(
    { sessionId: session.id, startedAt: { not: null } },
    { order: ['-startedAt', '-id'] },
  );
  const last = begun.find(turnIsOver);
  if (!session.begun || last === undefined) {
    throw new ConsoleError('CONFLICT', `This session has finished no turn that a fork could begin with. ${INSTEAD}`, {
      sessionId: session.id,
      hint: 'subsession',
    });
  }
  if (taskId !== undefined && taskId !== last.id) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `A fork begins at the end of the last finished turn, which is task ${last.id}. Leave taskId out, or begin a subsession (mode "subsession").`,
      { taskId, lastTaskId: last.id, hint: 'subsession' },
    );
  }
  const running = begun.find((task) => task.status === 'running' || task.waitingFor === 'answer');
  const warnings =
    running === undefined
      ? []
      : [`The session is at work on task ${running.id}; the fork begins before it, at the end of task ${last.id}.`];
  return { taskId: last.id, warnings };
}

function forkSession(context: OperationContext): Implementation<'sessions.fork'> {
  return ({ sessionId, ...rest }, call) =>
    beginBranch(context, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'fork' }, call);
}

function spawnSession(context: OperationContext): Implementation<'sessions.spawn'> {
  return ({ sessionId, ...rest }, call) =>
    beginBranch(context, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'subsession' }, call);
}

export function sessionBranches(context: OperationContext) {
  return {
    'sessions.fork': forkSession(context),
    'sessions.spawn': spawnSession(context),
  } satisfies Partial<Implementations>;
}
