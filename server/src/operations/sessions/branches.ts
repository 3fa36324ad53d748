import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Branch } from '@agent-console/shared/operations/session-prompts';
import * as v from 'valibot';
import { type Call, sessionOrOwn } from '../../domain/call.ts';
import { lowerOf, raisedTo } from '../../domain/permission-mode.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { authorOf, sourceOf } from '../../engine/changes/author.ts';
import { queuePrompt, startTask } from '../../engine/changes/task-changes.ts';
import { attachedIds, refuseUnsupportedServers } from '../../engine/mcp-servers/attached.ts';
import { canFork, copyConversation } from '../../engine/protocol/forks.ts';
import { creatorOf, sessionRow } from '../../engine/rows.ts';
import { insertSession, titleFrom } from '../../engine/sessions/new-session.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { SessionRow, TaskRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import { depthWithinLimits, refuseWithoutRunner } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { locationOf } from './create.ts';
import { waitForTaskEnd } from './wait.ts';

/**
 * Data that the first call stores about the session that it created, so that a repeated call returns the same session
 * and task.
 */
const CreatedBranch = v.object({
  sessionId: v.string(),
  taskId: v.string(),
  warnings: v.array(v.string()),
  sync: v.boolean(),
});
type CreatedBranch = v.InferOutput<typeof CreatedBranch>;

export interface BranchRequest {
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
 * Creates a fork or a subsession in the worktree of an existing session, and starts a task with the prompt in it. The
 * existing session does not change. With `sync`, the call waits until this task has ended or the time limit is reached.
 * @throws the errors of `refuseUnforkable`, `forkPoint`, `refuseUnsupportedServers` and `locationOf`. VALIDATION for an
 * unknown agent or a task of another session. PERMISSION_DENIED for a permission mode above the ceiling.
 * LIMIT_EXCEEDED, RUNNER_UNAVAILABLE, AGENT_UNAVAILABLE.
 */
export async function createBranch(context: OperationContext, request: BranchRequest, call: Call): Promise<Branch> {
  const { storage } = context;
  const source = await sessionRow(storage.read.sessions, request.sessionId);
  const agent = await context.catalogue.choose(request.agentId, source.agentId);
  /**
   * Whether the console copies the messages of the original session to the fork. Otherwise, it reads them from the
   * agent's transcript of the fork.
   */
  let copies = false;
  if (request.kind === 'fork') {
    const original = await context.catalogue.get(source.agentId);
    const kind = context.kinds(original.kind);
    const supportsFork = await canFork(storage.read, kind, source);
    copies = kind.driver === 'acp';
    refuseUnforkable(source, { name: kind.name, supportsFork }, agent.id);
  }
  refuseWithoutRunner(context);
  await refuseUnsupportedServers(context, agent, await attachedIds(storage.read, source.id));
  const creator = await creatorOf(context, call);
  const location = await locationOf(
    context,
    source.worktreeId ?? undefined,
    source.worktreeId === null ? source.cwd : undefined,
    creator,
  );
  const created = await storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, request.sessionId);
    const point = await branchPoint(tx, session, request);
    const branch = await insertSession(tx, context, call, {
      ...location,
      agent,
      title: request.title ?? titleFrom(request.prompt),
      parent: request.kind === 'subsession' ? session : null,
      origin: { kind: request.kind, session, taskId: point.taskId, ceiling: ceilingOf(request, session, creator) },
      depth: await depthOf(tx, context, request, session, creator),
      mode: request.permissionMode,
      queueHeld: false,
    });
    if (copies) {
      await copyConversation(tx, context, session.id, branch.id, point.runningTaskId);
      await context.images.share(session.id, branch.id);
    }
    const { task } = await queuePrompt(tx, context, {
      sessionId: branch.id,
      prompt: request.prompt,
      notifyOnCompletion: request.notifyOnCompletion,
      ...sourceOf(call),
    });
    await startTask(tx, context, task);
    const created = { sessionId: branch.id, taskId: task.id, warnings: point.warnings, sync: request.sync };
    await tx.remember(created);
    return created;
  });
  return currentBranch(context, created, call);
}

/**
 * Returns the current state of a fork or subsession. With `sync`, waits until its task has ended or the time limit is
 * reached.
 */
async function currentBranch(
  context: OperationContext,
  { sessionId, taskId, warnings, sync }: CreatedBranch,
  call: Call,
): Promise<Branch> {
  if (sync) return { sessionId, taskId, ...(await waitForTaskEnd(context, taskId, call.signal)), warnings };
  const task = await context.storage.read.tasks.get(taskId);
  return { sessionId, taskId, status: task?.status ?? 'interrupted', warnings };
}

/**
 * Answers a repeated call with the current state of the session that the first call created. With `sync`, waits for the
 * task like the first call.
 */
export function replayBranch(context: OperationContext) {
  return async (remembered: Record<string, unknown>, call: Call): Promise<Branch> =>
    currentBranch(context, v.parse(CreatedBranch, remembered), call);
}

/**
 * Returns the task after which the new session branches off, or null. For a fork, also returns the task that the
 * original session is still running.
 */
async function branchPoint(
  read: Pick<Readers, 'tasks'>,
  session: SessionRow,
  { kind, taskId }: BranchRequest,
): Promise<{ taskId: string | null; runningTaskId?: string | undefined; warnings: string[] }> {
  if (taskId !== undefined && (await read.tasks.get(taskId))?.sessionId !== session.id) {
    throw fieldError(
      'taskId',
      `task ${taskId} does not belong to session ${session.id}; choose a task of that session`,
      { sessionId: session.id },
    );
  }
  if (kind === 'fork') return forkPoint(read, session, taskId);
  if (taskId !== undefined) return { taskId, warnings: [] };
  const active = await read.tasks.first({ sessionId: session.id, kind: 'prompt', status: [...ACTIVE_STATUSES] });
  return { taskId: active?.id ?? null, warnings: [] };
}

/**
 * Returns the permission ceiling of the new session: that of the existing session or, if lower, that of the agent that
 * creates the new session. A person's fork with a higher permission mode raises the ceiling to that mode.
 */
function ceilingOf(request: BranchRequest, session: SessionRow, creator: SessionRow | null): PermissionMode {
  const { permissionCeiling } = session;
  if (creator !== null) return lowerOf(permissionCeiling, creator.permissionCeiling);
  return request.kind === 'fork' ? raisedTo(permissionCeiling, request.permissionMode) : permissionCeiling;
}

/**
 * Returns the depth of the new session. A child is one level below its parent, and a fork is at the level of its
 * original. If an agent creates the session, the session is at least one level below that agent.
 */
async function depthOf(
  tx: Transaction,
  context: OperationContext,
  { kind }: BranchRequest,
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

const USE_SUBSESSION = 'Create a subsession instead (mode "subsession"), with all necessary context in its prompt.';

/**
 * @throws UNSUPPORTED if the agent cannot fork, or if the fork is to use another agent. Another agent could not
 * continue the conversation, even with copied messages.
 */
function refuseUnforkable(
  session: SessionRow,
  original: Pick<AgentKind, 'name' | 'supportsFork'>,
  agentId: string,
): void {
  if (!original.supportsFork) {
    throw new ConsoleError('UNSUPPORTED', `${original.name} cannot fork its conversations. ${USE_SUBSESSION}`, {
      agentId: session.agentId,
      hint: 'subsession',
    });
  }
  if (agentId !== session.agentId) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `Agent ${agentId} cannot continue a conversation of ${session.agentId}. ${USE_SUBSESSION}`,
      { agentId, hint: 'subsession' },
    );
  }
}

/** Whether the agent has ended the turn of a task. The task may still wait for the agent's report. */
function hasTurnEnded({ status, waitingFor, startedAt }: TaskRow): boolean {
  if (startedAt === null || status === 'queued' || status === 'running') return false;
  return status !== 'awaiting_input' || waitingFor === 'report';
}

/**
 * Returns the task after which a fork starts, with warnings for the caller.
 * @throws CONFLICT before the first turn has ended, UNSUPPORTED if `taskId` is not the last task whose turn has ended.
 */
async function forkPoint(
  read: Pick<Readers, 'tasks'>,
  session: SessionRow,
  taskId: string | undefined,
): Promise<{ taskId: string; runningTaskId: string | undefined; warnings: string[] }> {
  const started = await read.tasks.find(
    { sessionId: session.id, startedAt: { not: null } },
    { order: ['-startedAt', '-id'] },
  );
  const last = started.find(hasTurnEnded);
  if (!session.begun || last === undefined) {
    const message = `This session has not finished a turn yet, so it cannot be forked. ${USE_SUBSESSION}`;
    throw new ConsoleError('CONFLICT', message, { sessionId: session.id, hint: 'subsession' });
  }
  if (taskId !== undefined && taskId !== last.id) {
    throw fieldError(
      'taskId',
      `a fork starts after the last finished turn, which is the turn of task ${last.id}; leave this field out, or create a subsession (mode "subsession")`,
      { taskId, lastTaskId: last.id, hint: 'subsession' },
      'UNSUPPORTED',
    );
  }
  const running = started.find((task) => task.status === 'running' || task.waitingFor === 'answer');
  const warnings =
    running === undefined
      ? []
      : [
          `The session is working on task ${running.id}; the fork does not contain that task and starts after task ${last.id}.`,
        ];
  return { taskId: last.id, runningTaskId: running?.id, warnings };
}

function forkSession(context: OperationContext): Implementation<'sessions.fork'> {
  return ({ sessionId, ...rest }, call) =>
    createBranch(context, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'fork' }, call);
}

function spawnSession(context: OperationContext): Implementation<'sessions.spawn'> {
  return ({ sessionId, ...rest }, call) =>
    createBranch(context, { ...rest, sessionId: sessionOrOwn(sessionId, call), kind: 'subsession' }, call);
}

export function sessionBranches(context: OperationContext) {
  return {
    'sessions.fork': forkSession(context),
    'sessions.spawn': spawnSession(context),
  } satisfies Partial<Implementations>;
}
