import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import type { Call } from '../domain/call.ts';
import { LIVE_STATES } from '../domain/states.ts';
import { refuseOverBudget } from '../engine/budgets/enforce.ts';
import { authorOf } from '../engine/changes/author.ts';
import { finishTask } from '../engine/changes/task-changes.ts';
import { presentWorker } from '../engine/present.ts';
import { newWorkerRow } from '../engine/processes/new-worker.ts';
import { endWorkerRow } from '../engine/processes/worker-changes.ts';
import { runningWorker, sessionRow, workerRow } from '../engine/rows.ts';
import { refuseOtherAgent } from '../engine/sessions/refuse-other-agent.ts';
import type { SessionRow, WorkerRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { refusePreparing } from './delegations.ts';
import { refuseBeyondLiveLimit, whileStarting } from './limits.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { measure } from './resources.ts';
import { refuseArchived, refuseStoppedSince, untilOldAgentEnded } from './sessions/lifecycle.ts';

function getWorker(context: OperationContext): Implementation<'workers.get'> {
  const { storage, streams } = context;
  return async ({ workerId }) => {
    const row = await workerRow(storage.read.workers, workerId);
    const resources = await measure(context, row);
    const worker = presentWorker(row);
    return { ...worker, logOffset: Math.max(worker.logOffset, streams.offset(workerId) ?? 0), resources };
  };
}

/** Adds a git-diff worker, which has no process, because the diff is computed on request. */
async function addDiffView(context: OperationContext, call: Call, session: SessionRow): Promise<WorkerRow> {
  if (session.worktreeId === null) {
    throw new ConsoleError('UNSUPPORTED', 'A quick session has no worktree to diff. Use a session in a worktree.', {
      sessionId: session.id,
    });
  }
  const plan = { id: context.newId(), type: 'git-diff', cols: 0, rows: 0 } as const;
  const worker = newWorkerRow(context, session, plan);
  return context.storage.write(authorOf(call), async (tx) => {
    const row = await tx.workers.insert({ ...worker, state: 'running', confidence: 'certain' });
    await tx.remember({ workerId: row.id });
    await tx.record({
      type: 'worker.started',
      subject: { kind: 'worker', id: row.id },
      sessionId: session.id,
      data: { workerType: 'git-diff', logOffset: 0 },
    });
    return row;
  });
}

/**
 * Sets the mark of a session to `open`, because a person starts an agent in it. First waits until the session's old
 * agent has ended.
 */
async function reopenSession(
  context: OperationContext,
  call: Call,
  sessionId: string,
  admit: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const { idempotency, ...author } = authorOf(call);
  // The budget is checked before the old agent is ended, because an agent whose budget is used up may still finish its
  // turn.
  const before = await context.storage.write(author, async (tx) => {
    await refuseBeyondLiveLimit(tx, context, sessionId);
    await refuseOverBudget(tx, context, { sessionIds: [sessionId] }, { isNew: false });
    return sessionRow(tx.sessions, sessionId);
  });
  await untilOldAgentEnded(context, before);
  await context.storage.write(author, async (tx) => {
    const session = await sessionRow(tx.sessions, sessionId);
    refuseStoppedSince(before, session);
    await admit(tx);
    if (session.mark === 'open') return;
    await tx.sessions.update(sessionId, { mark: 'open', pausedBy: null, updatedAt: context.now().toISOString() });
    await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: sessionId }, sessionId });
  });
}

async function startWorker(
  context: OperationContext,
  call: Call,
  plan: { sessionId: string; type: 'agent' | 'terminal'; cols: number; rows: number },
): Promise<WorkerRow> {
  const { sessionId, type, ...size } = plan;
  await refusePreparing(context.storage.read.delegations, sessionId);
  const author = authorOf(call);
  const worker = await whileStarting(context, sessionId, async (admit) => {
    if (type === 'terminal') return context.processes.startTerminal(author, sessionId, size, admit);
    await reopenSession(context, call, sessionId, admit);
    return context.processes.startAgent(author, sessionId);
  });
  context.reconciler.schedule(sessionId);
  return worker;
}

/** Checks the optional `agentId`. A session has one agent, so `agentId` must be the id of that agent. */
async function checkAgentId(
  { catalogue }: OperationContext,
  type: WorkerRow['type'],
  agentId: string,
  sessionAgentId: string,
): Promise<void> {
  if (type !== 'agent') {
    throw fieldError('agentId', `is only accepted for workers of type agent, not ${type}; omit this field`);
  }
  await refuseOtherAgent(catalogue, agentId, sessionAgentId);
}

function createWorker(context: OperationContext): Implementation<'workers.create'> {
  return async ({ sessionId, type, agentId, cols, rows }, call) => {
    const session = await sessionRow(context.storage.read.sessions, sessionId);
    refuseArchived(session);
    if (agentId !== undefined) await checkAgentId(context, type, agentId, session.agentId);
    const worker =
      type === 'git-diff'
        ? await addDiffView(context, call, session)
        : await startWorker(context, call, { sessionId, type, cols, rows });
    return presentWorker(worker);
  };
}

/**
 * Returns the function that answers a repeated call with the current view of the worker that the first call started.
 */
export function replayWorker({ storage }: OperationContext) {
  return async (remembered: Record<string, unknown>) =>
    presentWorker(await workerRow(storage.read.workers, String(remembered.workerId)));
}

function restartWorker(context: OperationContext): Implementation<'workers.restart'> {
  return async ({ workerId }, call) => {
    const worker = await workerRow(context.storage.read.workers, workerId);
    const { type, state, sessionId, cols, rows } = worker;
    if (type === 'git-diff') {
      throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no process to restart.', { workerId });
    }
    if (worker.agentWorkerId !== null) {
      const message =
        'This terminal runs one command of its agent and cannot be restarted. Open a new terminal instead.';
      throw new ConsoleError('UNSUPPORTED', message, { workerId });
    }
    if (state === 'running' || state === 'starting') {
      const end = see('workers.remove', { workerId });
      throw new ConsoleError(
        'CONFLICT',
        `Worker ${workerId} is ${state}, so it cannot be restarted. End it first (${end.rest}).`,
        {
          workerId,
          see: end,
        },
      );
    }
    return presentWorker(await startWorker(context, call, { sessionId, type, cols, rows }));
  };
}

function removeWorker(context: OperationContext): Implementation<'workers.remove'> {
  const { storage, processes } = context;
  return async ({ workerId }, call) => {
    const worker = await workerRow(storage.read.workers, workerId);
    if (worker.type === 'git-diff') {
      await storage.write(authorOf(call), (tx) =>
        endWorkerRow(tx, context, workerId, { state: 'exited', exitCode: null, signal: null, offset: 0 }),
      );
    } else {
      if (worker.type === 'agent') {
        await storage.write(authorOf(call), async (tx) => {
          const { state, sessionId } = await workerRow(tx.workers, workerId);
          // The active tasks of an ended agent's session belong to the agent that replaced it.
          if (!LIVE_STATES.includes(state)) return;
          for (const task of await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] })) {
            const summary = 'A person stopped the agent.';
            await finishTask(tx, context, task.id, { status: 'cancelled', source: 'person', certain: true, summary });
          }
        });
      }
      await processes.end(workerId);
    }
    // An agent may release its terminal as soon as the terminal has ended, which removes the worker's row. If it does,
    // the call returns the row from before the removal.
    const ended = await storage.read.workers.get(workerId);
    return presentWorker(ended ?? { ...worker, state: 'exited' });
  };
}

function correctActivity(context: OperationContext): Implementation<'workers.correctActivity'> {
  return async ({ workerId, activityState: state }, call) => {
    const { storage, streams, watcher } = context;
    const worker = await runningWorker(storage.read.workers, workerId);
    const offset = Math.max(worker.logOffset, streams.offset(workerId) ?? 0);
    const observation = { state, confidence: 'certain', source: 'person', offset: offset + 1 } as const;
    await watcher.correct(authorOf(call), worker, observation);
    return presentWorker(await workerRow(storage.read.workers, workerId));
  };
}

export function workerOperations(context: OperationContext) {
  return {
    'workers.create': createWorker(context),
    'workers.get': getWorker(context),
    'workers.remove': removeWorker(context),
    'workers.restart': restartWorker(context),
    'workers.correctActivity': correctActivity(context),
  } satisfies Partial<Implementations>;
}
