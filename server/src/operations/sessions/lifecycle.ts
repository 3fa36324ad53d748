import { ConsoleError } from '@agent-console/shared/errors';
import type { ClientMcpServer } from '@agent-console/shared/operations/mcp-servers';
import { isLive } from '@agent-console/shared/session-badge';
import type { Call } from '../../domain/call.ts';
import { mustHaveNoAgent } from '../../domain/session-mark.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { OPEN_STATUSES, type Outcome } from '../../domain/tasks.ts';
import { refuseOverBudget } from '../../engine/budgets/enforce.ts';
import { authorOf, outcomeSourceOf } from '../../engine/changes/author.ts';
import { pauseForIdleness } from '../../engine/changes/session-pause.ts';
import { endOpenWork } from '../../engine/changes/session-removal.ts';
import { finishTask } from '../../engine/changes/task-changes.ts';
import { storeClientServers } from '../../engine/mcp-servers/client-servers.ts';
import type { SessionEnd } from '../../engine/orchestrations/actions.ts';
import { noteRemovedWorkers, removeFilesOf } from '../../engine/processes/removed-workers.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { refusePreparing } from '../delegations.ts';
import { refuseResumeBeyondLimits, whileStarting } from '../limits.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

/**
 * Ends the session's active tasks with `outcome`. Must be called before the agent's process ends, because the exit of
 * the process would end the tasks with another outcome.
 */
async function endActive(
  tx: Transaction,
  context: OperationContext,
  sessionId: string,
  outcome: Outcome,
): Promise<void> {
  for (const task of await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] })) {
    await finishTask(tx, context, task.id, outcome);
  }
}

async function endProcesses(
  context: OperationContext,
  sessionId: string,
  types: ('agent' | 'terminal')[],
): Promise<void> {
  const live = await context.storage.read.workers.find({ sessionId, state: LIVE_STATES, type: types });
  await Promise.all(live.map((worker) => context.processes.end(worker.id)));
}

/** @throws CONFLICT for an archived session. */
export function refuseArchived(session: SessionRow): void {
  if (session.archivedAt !== null) {
    throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId: session.id });
  }
}

/**
 * Waits until the session's old agent has ended, because that agent cannot be used again. The agent may still be ending
 * if the session was paused or stopped, or if a person stopped the agent.
 */
export async function untilOldAgentEnded(context: OperationContext, session: SessionRow): Promise<void> {
  const live = await context.storage.read.workers.find({ sessionId: session.id, state: LIVE_STATES, type: 'agent' });
  const ending = mustHaveNoAgent(session) ? live : live.filter(({ id }) => context.processes.isEnding(id));
  await Promise.all(ending.map(({ id }) => context.processes.end(id)));
}

/** @throws CONFLICT if the session was archived, paused or stopped while it was being resumed. */
export function refuseStoppedSince(before: SessionRow, current: SessionRow): void {
  refuseArchived(current);
  const { id: sessionId, mark, pausedBy } = current;
  if (mark === before.mark || !mustHaveNoAgent({ mark, pausedBy }) || pausedBy === 'idle') return;
  const message = `The session was ${mark} while it was being resumed. Resume it again to start its agent.`;
  throw new ConsoleError('CONFLICT', message, { sessionId, status: mark });
}

/** @throws CONFLICT while any of the workers is live. */
function refuseLive(workers: readonly WorkerRow[], sessionId: string): void {
  if (!workers.some(isLive)) return;
  throw new ConsoleError('CONFLICT', 'This session has a live worker. Stop the session first.', { sessionId });
}

function pauseSession(context: OperationContext): Implementation<'sessions.pause'> {
  return async ({ sessionId }, call: Call) => {
    // If an agent paused the session, the next prompt of an agent resumes it. If a person paused it, only a person can
    // resume it.
    const pausedBy = call.caller.kind === 'worker' ? 'session' : 'person';
    await context.storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      refuseArchived(session);
      const mayContinue = session.pausedBy === 'idle' || session.pausedBy === 'budget';
      if (session.mark === 'paused' && !mayContinue) return;
      if (session.mark !== 'open' && session.mark !== 'paused') {
        throw new ConsoleError('CONFLICT', `This session is ${session.mark}; only an open session can be paused.`, {
          sessionId,
          status: session.mark,
        });
      }
      await tx.sessions.update(sessionId, { mark: 'paused', pausedBy, updatedAt: context.now().toISOString() });
      await endActive(tx, context, sessionId, {
        status: 'interrupted',
        source: outcomeSourceOf(call),
        certain: true,
        summary: 'The session was paused.',
      });
      const subject = { kind: 'session', id: sessionId } as const;
      await tx.record({ type: 'session.paused', subject, sessionId, data: { pausedBy } });
    });
    await endProcesses(context, sessionId, ['agent']);
    return context.views.session(sessionId);
  };
}

function stopSession(context: OperationContext): Implementation<'sessions.stop'> {
  return async ({ sessionId }, call: Call) => {
    await endSession(context, sessionId, call);
    return context.views.session(sessionId);
  };
}

/** Outcome of a prompt that has begun in an agent before the console replaces this agent. */
const AGENT_REPLACED =
  'The agent of the session was replaced, because it may still have worked on a cancelled task. Send the prompt again.';

/** Stops a session, or only replaces its agent, or does nothing, as `decide` decides in the same transaction. */
export async function endSession(
  context: OperationContext,
  sessionId: string,
  call: Call,
  decide: (tx: Transaction) => Promise<SessionEnd> = async () => 'stop',
): Promise<void> {
  const { end, replaced } = await context.storage.write(authorOf(call), async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    const end = await decide(tx);
    if (end === 'keep') return { end, replaced: [] };
    refuseArchived(session);
    await endActive(tx, context, sessionId, {
      status: 'cancelled',
      source: outcomeSourceOf(call),
      certain: true,
      summary: end === 'stop' ? 'The session was stopped.' : AGENT_REPLACED,
    });
    if (end === 'restart') {
      // The queued prompts resume the session once its agent has ended.
      if (!mustHaveNoAgent(session)) await pauseForIdleness(tx, context, session);
      return { end, replaced: await tx.workers.find({ sessionId, type: 'agent', state: LIVE_STATES }) };
    }
    // Terminals can be opened in a stopped session. If the server dies before it has ended them, the next server ends
    // those that are older than this event.
    const terminals = await tx.workers.find({ sessionId, type: 'terminal', state: LIVE_STATES });
    if (session.mark === 'stopped' && terminals.length === 0) return { end, replaced: [] };
    await tx.sessions.update(sessionId, { mark: 'stopped', pausedBy: null, updatedAt: context.now().toISOString() });
    await tx.record({ type: 'session.stopped', subject: { kind: 'session', id: sessionId }, sessionId });
    return { end, replaced: [] };
  });
  if (end === 'stop') await endProcesses(context, sessionId, ['agent', 'terminal']);
  // Only these agents are ended, because a new agent may already be running.
  await Promise.all(replaced.map(({ id }) => context.processes.end(id)));
}

function resumeSession(context: OperationContext): Implementation<'sessions.resume'> {
  return async ({ sessionId, clientMcpServers = [] }, call: Call) => {
    const session = await sessionRow(context.storage.read.sessions, sessionId);
    refuseArchived(session);
    const definition = await context.catalogue.choose(undefined, session.agentId);
    if (session.begun && !context.kinds(definition.kind).supportsResume) {
      throw new ConsoleError(
        'UNSUPPORTED',
        `Agent ${definition.id} cannot resume a conversation. Send a prompt instead, which starts a new conversation.`,
        { agentId: definition.id },
      );
    }
    await refusePreparing(context.storage.read.delegations, sessionId);
    await context.storage.write(authorOf(call), async (tx) => {
      await refuseResumeBeyondLimits(tx, context, call.caller, session);
      await refuseOverBudget(tx, context, { sessionIds: [sessionId] }, { isNew: false });
    });
    await untilOldAgentEnded(context, session);
    await whileStarting(context, sessionId, async (admit) => {
      await context.storage.write(authorOf(call), async (tx) => {
        await admit(tx);
        const current = await sessionRow(tx.sessions, sessionId);
        refuseStoppedSince(session, current);
        await tx.sessions.update(sessionId, {
          mark: 'open',
          pausedBy: null,
          queueHeld: false,
          updatedAt: context.now().toISOString(),
        });
        if (current.mark !== 'open') {
          await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: sessionId }, sessionId });
        }
      });
      await startWithServers(context, call, sessionId, clientMcpServers);
    });
    context.reconciler.schedule(sessionId);
    return context.views.session(sessionId);
  };
}

/**
 * Starts the agent with the MCP servers of the editor that calls. If the agent is already running, it does not get the
 * servers, and its worker gets a warning.
 */
async function startWithServers(
  { storage, processes, privateValues }: OperationContext,
  call: Call,
  sessionId: string,
  servers: readonly ClientMcpServer[],
): Promise<void> {
  const provided = await storeClientServers(privateValues, servers);
  const author = authorOf(call);
  try {
    const worker = await processes.startAgent(author, sessionId, provided);
    const names = worker.clientServers?.names ?? [];
    const missing = servers.flatMap(({ name }) => (names.includes(name) ? [] : [name]));
    if (missing.length === 0) return;
    const warning = `The agent was already running, so it did not get the MCP servers ${missing.join(', ')} of the editor. To add them, stop the session and open it in the editor again.`;
    await storage.write(author, async (tx) => {
      const current = await tx.workers.get(worker.id);
      if (current === undefined || current.warnings.includes(warning)) return;
      await tx.workers.update(worker.id, { warnings: [...current.warnings, warning] });
    });
  } finally {
    // When an agent ends, the console deletes the MCP servers that an editor provided for it. Servers that no agent
    // uses are deleted here.
    const used = await storage.read.workers.find({ sessionId, type: 'agent', state: LIVE_STATES });
    const isUsed = used.some(({ clientServers }) => clientServers?.valueId === provided?.valueId);
    if (provided !== null && !isUsed) await privateValues.remove([provided.valueId]);
  }
}

function setArchived({ storage, views, now, reconciler }: OperationContext, archived: boolean) {
  return async ({ sessionId }: { sessionId: string }, call: Call) => {
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      if ((session.archivedAt !== null) === archived) return;
      if (archived) refuseLive(await tx.workers.find({ sessionId }), sessionId);
      const at = now().toISOString();
      await tx.sessions.update(sessionId, { archivedAt: archived ? at : null, updatedAt: at });
      const type = archived ? 'session.archived' : 'session.unarchived';
      await tx.record({ type, subject: { kind: 'session', id: sessionId }, sessionId });
    });
    // Sessions that delegated open tasks to this session wait for it only while it is not archived. So the
    // reconciler runs for them again.
    const open = await storage.read.tasks.find({ sessionId, status: OPEN_STATUSES });
    for (const id of new Set(
      open.flatMap(({ sourceKind, sourceId }) => (sourceKind === 'session' && sourceId) || []),
    )) {
      reconciler.schedule(id);
    }
    return views.session(sessionId);
  };
}

const archiveSession = (context: OperationContext) => setArchived(context, true);
const unarchiveSession = (context: OperationContext) => setArchived(context, false);

/**
 * Removes a session. The rows are removed before the files of workers and the images, so that a crash in between leaves
 * no worker without its log. The next server removes what is left.
 */
function removeSession(context: OperationContext): Implementation<'sessions.remove'> {
  const { storage, views, screens, images } = context;
  return async ({ sessionId }, call) => {
    const session = await views.session(sessionId);
    const workers = await storage.write(authorOf(call), async (tx) => {
      const row = await sessionRow(tx.sessions, sessionId);
      const all = await tx.workers.find({ sessionId });
      refuseLive(all, sessionId);
      await endOpenWork(tx, context, sessionId, { status: 'cancelled', source: 'person', certain: true });
      await removeSessionRows(tx, sessionId, all);
      await noteRemovedWorkers(
        tx,
        all.map(({ id }) => id),
      );
      await tx.sessions.update(sessionId, { removedAt: context.now().toISOString() });
      const { parentSessionId, forkedFromSessionId } = row;
      const data = { parentSessionId, forkedFromSessionId };
      await tx.record({ type: 'session.removed', subject: { kind: 'session', id: sessionId }, sessionId, data });
      return all;
    });
    for (const worker of workers) {
      await screens.drop(worker.id);
    }
    await removeFilesOf(
      context,
      workers.map(({ id }) => id),
    );
    await images.remove(sessionId);
    return session;
  };
}

async function removeSessionRows(tx: Transaction, sessionId: string, workers: readonly WorkerRow[]): Promise<void> {
  if (workers.length > 0) await tx.inputs.remove({ workerId: workers.map(({ id }) => id) });
  await tx.approvals.remove({ sessionId });
  await tx.workers.remove({ sessionId });
  await tx.tasks.remove({ sessionId });
  await tx.messages.remove({ sessionId });
  await tx.transcripts.remove({ sessionId });
  await tx.usage.remove({ sessionId });
  await tx.sessionMcpServers.remove({ sessionId });
}

export function sessionLifecycle(context: OperationContext) {
  return {
    'sessions.remove': removeSession(context),
    'sessions.pause': pauseSession(context),
    'sessions.resume': resumeSession(context),
    'sessions.stop': stopSession(context),
    'sessions.archive': archiveSession(context),
    'sessions.unarchive': unarchiveSession(context),
  } satisfies Partial<Implementations>;
}
