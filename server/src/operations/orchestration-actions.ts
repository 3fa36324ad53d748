import { ConsoleError } from '@agent-console/shared/errors';
import { UNFINISHED_LINE_MS } from '@agent-console/shared/limits/typing';
import type { Caller } from '../domain/caller.ts';
import { mustHaveNoAgent } from '../domain/session-mark.ts';
import { LIVE_STATES } from '../domain/states.ts';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import { SYSTEM, sourceOfOrchestration } from '../engine/changes/author.ts';
import { pauseForIdleness } from '../engine/changes/session-pause.ts';
import { queuePrompt } from '../engine/changes/task-changes.ts';
import type { BegunAttempt, OrchestrationActions } from '../engine/orchestrations/actions.ts';
import { sessionRow } from '../engine/rows.ts';
import { insertSession } from '../engine/sessions/new-session.ts';
import { notReady } from '../engine/worktrees/occupancy.ts';
import type { OrchestrationAgentRow, OrchestrationRow, SessionRow, WorktreeRow } from '../ports/rows.ts';
import type { Readers, Transaction } from '../ports/storage.ts';
import { beginDelegation } from './delegations.ts';
import { callOf } from './integration-cleanup.ts';
import { depthOfNew, refuseContinuationBeyondLimits, refuseWithoutRunner } from './limits.ts';
import type { OperationContext } from './operation.ts';
import { endSession, sessionLifecycle } from './sessions/lifecycle.ts';
import { queueAndOpen } from './sessions/prompts.ts';

/** Creates the actions that an orchestration performs on sessions, in the name of the orchestration's creator. */
export function createOrchestrationActions(
  context: () => OperationContext,
): Omit<OrchestrationActions, 'prepareTarget' | 'integrate' | 'resolve' | 'check' | 'endCheck'> {
  return {
    async start(orchestration, agent, plan, begun) {
      refuseWithoutRunner(context());
      const { storage } = context();
      const parent = await creatingSession(storage.read, orchestration);
      // The limits are checked before git runs, because the start of a waiting agent is retried after many events. The
      // transaction that stores the session checks the limits again.
      await depthOfNew(storage.read, context(), parent, orchestration.id);
      const shared = await sharedWorktree(context(), orchestration);
      if (shared === undefined) await startInOwn(context(), orchestration, agent, plan, begun);
      else
        await startInShared(context(), orchestration, agent, { prompt: plan.prompt, parent, worktree: shared }, begun);
    },
    async continue(orchestration, sessionId, prompt, begun) {
      refuseWithoutRunner(context());
      await context().storage.write(SYSTEM, async (tx) => {
        const parent = await creatingSession(tx, orchestration);
        await refuseContinuationBeyondLimits(tx, context(), parent, sessionId);
        const session = await sessionRow(tx.sessions, sessionId);
        const source = sourceOfOrchestration(orchestration.id);
        const text = (await unreceivedTask(tx, orchestration, sessionId)) ?? prompt;
        // `queueAndOpen` does not resume a session that a person paused or whose budget was used up, but this prompt
        // must resume it. So `queueAndOpen` gets the session with `pausedBy` set to `idle`.
        const opened: SessionRow = session.mark === 'paused' ? { ...session, pausedBy: 'idle' } : session;
        const request = { prompt: text, ...source, notifyOnCompletion: false };
        const { taskId } = await queueAndOpen(tx, context(), opened, request);
        await begun(tx, taskId, session);
      });
      context().reconciler.schedule(sessionId);
    },
    async canContinue(sessionId) {
      const { storage, catalogue } = context();
      const session = await storage.read.sessions.get(sessionId);
      if (session === undefined || session.removedAt !== null || session.archivedAt !== null) return false;
      return catalogue.resumes(session.agentId);
    },
    async interrupt(sessionId) {
      await sessionLifecycle(context())['sessions.pause'](
        { sessionId },
        callOf(await creatorOfSession(context(), sessionId)),
      );
    },
    async release(sessionId) {
      return context().storage.write(SYSTEM, async (tx) => {
        const session = await sessionRow(tx.sessions, sessionId);
        // The agent of a stopped or paused session is being ended. If a budget paused the session, the agent may still
        // have an open task. If the session was paused when idle, a prompt may wait for the end of the agent.
        const isPaused = session.mark === 'paused' && (session.pausedBy === 'budget' || session.pausedBy === 'idle');
        if (mustHaveNoAgent(session) && !isPaused) return null;
        const open = await tx.tasks.count({ sessionId, status: [...OPEN_STATUSES] });
        if (open > 0) return { for: 'task' };
        if (isPaused) return null;
        const agents = await tx.workers.find({ sessionId, type: 'agent', state: LIVE_STATES });
        const typed = agents.flatMap(({ dirtySince }) => (dirtySince === null ? [] : [Date.parse(dirtySince)]));
        const until = Math.max(...typed) + UNFINISHED_LINE_MS;
        if (until > context().now().getTime()) return { for: 'line', until };
        await pauseForIdleness(tx, context(), session);
        return null;
      });
    },
    async stop(sessionId, decide) {
      await endSession(context(), sessionId, callOf(await creatorOfSession(context(), sessionId)), decide);
    },
  };
}

/**
 * Returns the session that created an orchestration; null if a person created it. The orchestration continues after
 * that session was removed, and its agents keep the limits and the visibility that they got from that session.
 */
async function creatingSession(
  read: Pick<Readers, 'sessions'>,
  { createdBySessionId }: OrchestrationRow,
): Promise<SessionRow | null> {
  return createdBySessionId === null ? null : ((await read.sessions.get(createdBySessionId)) ?? null);
}

/**
 * Returns the prompt of a session's first task for the orchestration if its agent has not received any of these tasks,
 * for example because its process was lost while it was starting.
 */
async function unreceivedTask(
  read: Pick<Readers, 'tasks' | 'inputs'>,
  { id }: OrchestrationRow,
  sessionId: string,
): Promise<string | undefined> {
  const tasks = await read.tasks.find({ sessionId, kind: 'prompt', ...sourceOfOrchestration(id) });
  const taskId = tasks.map((task) => task.id);
  if (taskId.length === 0 || (await read.inputs.count({ taskId, submittedOffset: { not: null } })) > 0)
    return undefined;
  return tasks[0]?.prompt;
}

/** Returns the caller in whose name an orchestration acts: the session or user that created it. */
export function creatorOf({ createdBySessionId, createdByUserId }: OrchestrationRow, ownerId: string): Caller {
  return createdBySessionId === null
    ? { kind: 'user', userId: createdByUserId ?? ownerId, scopes: ['read', 'write'], via: 'peer' }
    : { kind: 'worker', workerId: 'orchestration', sessionId: createdBySessionId, via: 'peer' };
}

async function creatorOfSession({ storage, ownerId }: OperationContext, sessionId: string): Promise<Caller> {
  const session = await sessionRow(storage.read.sessions, sessionId);
  const orchestration =
    session.orchestrationId === null ? undefined : await storage.read.orchestrations.get(session.orchestrationId);
  if (orchestration === undefined) throw new Error(`session ${sessionId} belongs to no orchestration`);
  return creatorOf(orchestration, ownerId);
}

function titleOf({ agentId, task }: OrchestrationAgentRow): string {
  return `${agentId}: ${task.split('\n', 1)[0] ?? ''}`.replaceAll('\t', ' ').slice(0, 120);
}

/** Starts an agent in a worktree of its own, as a delegation. */
async function startInOwn(
  context: OperationContext,
  orchestration: OrchestrationRow,
  agent: OrchestrationAgentRow,
  { prompt, base }: { prompt: string; base: string },
  begun: (tx: Transaction, attempt: BegunAttempt) => Promise<void>,
): Promise<void> {
  const caller = creatorOf(orchestration, context.ownerId);
  const attempt = agent.attempt + 1;
  const branch = `orchestration/${orchestration.id.slice(-6)}/${agent.agentId}${attempt === 1 ? '' : `-${attempt}`}`;
  await beginDelegation(
    context,
    {
      prompt,
      title: titleOf(agent),
      branch,
      baseBranch: base,
      useRemote: false,
      notifyOnCompletion: false,
      orchestrationId: orchestration.id,
      ...(agent.permissionMode === null ? {} : { permissionMode: agent.permissionMode }),
      ...(agent.agenticTool === null ? {} : { agentId: agent.agenticTool }),
      repositoryId: orchestration.repositoryId,
    },
    callOf(caller),
    (tx, row) =>
      begun(tx, { sessionId: row.sessionId, taskId: row.taskId, worktreeId: row.worktreeId, branch: row.branch }),
    true,
  );
}

/**
 * Returns the worktree that the agents share. Returns undefined if each agent has a worktree of its own, or if the next
 * agent must create the shared worktree.
 */
async function sharedWorktree(
  { storage }: OperationContext,
  { isolation, worktreeId }: OrchestrationRow,
): Promise<WorktreeRow | undefined> {
  if (isolation !== 'shared' || worktreeId === null) return undefined;
  const worktree = await storage.read.worktrees.get(worktreeId);
  return worktree?.state === 'failed' ? undefined : worktree;
}

/** Starts an agent in the worktree that the agents of the orchestration share. */
async function startInShared(
  context: OperationContext,
  orchestration: OrchestrationRow,
  agent: OrchestrationAgentRow,
  { prompt, parent, worktree }: { prompt: string; parent: SessionRow | null; worktree: WorktreeRow },
  begun: (tx: Transaction, attempt: BegunAttempt) => Promise<void>,
): Promise<void> {
  const { storage, catalogue, settings } = context;
  if (worktree.state === 'creating') {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      'The worktree that the agents of the orchestration share is still being created.',
      {
        worktreeId: worktree.id,
      },
    );
  }
  if (worktree.state !== 'ready') throw notReady(worktree);
  const caller = creatorOf(orchestration, context.ownerId);
  const { defaultAgentId } = await settings.current();
  const chosen = await catalogue.choose(agent.agenticTool, parent?.agentId, defaultAgentId);
  const sessionId = await storage.write(SYSTEM, async (tx) => {
    const session = await insertSession(
      tx,
      context,
      { caller },
      {
        worktree: { id: worktree.id, repositoryId: worktree.repositoryId },
        cwd: worktree.path,
        agent: chosen,
        title: titleOf(agent),
        parent,
        depth: await depthOfNew(tx, context, parent, orchestration.id),
        mode: agent.permissionMode ?? undefined,
        orchestrationId: orchestration.id,
        queueHeld: false,
      },
    );
    const source = sourceOfOrchestration(orchestration.id);
    const { task } = await queuePrompt(tx, context, {
      sessionId: session.id,
      prompt,
      ...source,
      notifyOnCompletion: false,
    });
    await begun(tx, { sessionId: session.id, taskId: task.id, worktreeId: worktree.id, branch: worktree.branch });
    await context.reconciler.startHead(tx, session.id);
    return session.id;
  });
  context.reconciler.schedule(sessionId);
}
