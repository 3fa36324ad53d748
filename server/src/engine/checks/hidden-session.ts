import { setTimeout as sleep } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { AGENT_CHECK_MS, AGENT_CHECK_QUIET_MS, AGENT_CHECK_TEXT_CHARS } from '@agent-console/shared/limits/agents';
import type { Call } from '../../domain/call.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { Host } from '../../ports/host.ts';
import type { OneShots } from '../../ports/one-shots.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChosenAgent } from '../agents/catalogue.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { type LastOutput, lastOutput } from '../output/last-output.ts';
import type { Processes } from '../processes/processes.ts';
import type { WorkerWatcher } from '../processes/worker-watcher.ts';
import { insertSession } from '../sessions/new-session.ts';
import type { HiddenStorage } from './hidden-storage.ts';
import type { ToolReach } from './tool-reach.ts';

/** Observations of the agent that a check started. */
export interface Observed {
  /** Reason why the agent could not be started, or null. */
  refused: string | null;
  exit: Pick<WorkerRow, 'exitCode' | 'signal'> | null;
  activity: Pick<WorkerRow, 'activityState' | 'activitySource' | 'confidence'>;
  hooksReported: boolean;
  toolsReached: boolean;
  /** Text of the question that the agent asks; null if the agent asks no question, or the question cannot be read. */
  question: string | null;
  /** Reason why the agent cannot be used, as reported over its protocol; null if the agent reports none. */
  problem: string | null;
  output: LastOutput;
}

export interface HiddenSessionDeps extends ChangeDeps {
  hidden: HiddenStorage;
  processes: Pick<Processes, 'startAgentAs' | 'end'>;
  watcher: Pick<WorkerWatcher, 'question' | 'lastOutputAt'>;
  screens: Pick<Screens, 'view' | 'drop'>;
  runner: Pick<Runner, 'end' | 'forget' | 'dropLog'>;
  host: Pick<Host, 'clearWorker' | 'removeWorker' | 'readErrors'>;
  repositories: Pick<OneShots, 'makeRepository' | 'removeRepository'>;
  reach: ToolReach;
  onError: (error: unknown, about: string) => void;
}

interface Request {
  agent: ChosenAgent;
  kind: AgentKind;
  call: Pick<Call, 'caller'>;
  signal: AbortSignal;
  /** Called after each poll with everything observed so far. */
  onObserved(observed: Observed): void;
}

/**
 * Starts an agent in an empty repository and a hidden session, observes the agent, and removes all data of the session.
 */
export async function observeAgent(deps: HiddenSessionDeps, request: Request): Promise<Observed> {
  const { hidden, reach, newId } = deps;
  const cwd = await deps.repositories.makeRepository();
  const [sessionId, workerId] = [newId(), newId()];
  let toolsReached = false;
  const expected = reach.expect(workerId, () => {
    toolsReached = true;
  });
  hidden.hide(sessionId);
  try {
    await insertHiddenSession(deps, request, sessionId, cwd);
    const started = await deps.processes.startAgentAs(SYSTEM, sessionId, workerId);
    return await observe(deps, request, started, () => toolsReached);
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return { ...NOTHING, refused: error.message };
  } finally {
    expected.release();
    // If some data cannot be removed, the check still returns its result, and the next server start removes the data.
    await remove(deps, sessionId, workerId).catch((error) => deps.onError(error, workerId));
    hidden.forget(sessionId);
    await deps.repositories.removeRepository(cwd).catch((error) => deps.onError(error, cwd));
  }
}

const NOTHING: Omit<Observed, 'refused'> = {
  exit: null,
  activity: { activityState: 'unknown', activitySource: 'process', confidence: 'guess' },
  hooksReported: false,
  toolsReached: false,
  question: null,
  problem: null,
  output: { on: 'screen', text: '' },
};

function insertHiddenSession(
  deps: HiddenSessionDeps,
  { agent, call }: Pick<Request, 'agent' | 'call'>,
  id: string,
  cwd: string,
): Promise<void> {
  return deps.hidden.storage.write(SYSTEM, async (tx) => {
    await insertSession(tx, deps, call, {
      id,
      worktree: null,
      cwd,
      agent,
      title: 'Agent check',
      parent: null,
      depth: 0,
      queueHeld: true,
    });
    // A session that is stored as removed appears in no list. After a crash, the next server start finds and deletes
    // the session.
    await tx.sessions.update(id, { removedAt: deps.now().toISOString() });
  });
}

/**
 * Time in milliseconds without a change after which an activity counts as settled. A screen that an agent is still
 * drawing changes sooner.
 */
const SETTLED_MS = 1_500;
const POLL_MS = 500;

/**
 * Observes the agent for at most AGENT_CHECK_MS. Stops early if its activity has settled and it has reported what its
 * kind reports at the start, if its screen no longer changes, if it has ended or needs a log-in, or if the signal
 * aborts.
 */
async function observe(
  deps: HiddenSessionDeps,
  { kind, signal, onObserved }: Request,
  started: WorkerRow,
  hasReachedTools: () => boolean,
): Promise<Observed> {
  const { id } = started;
  let changedAt = deps.now().getTime();
  const endsAt = changedAt + AGENT_CHECK_MS;
  for (let before = ''; ; ) {
    const now = deps.now().getTime();
    const row = (await deps.hidden.storage.read.workers.get(id)) ?? started;
    const observed = await observationOf(deps, row, hasReachedTools());
    onObserved(observed);
    const { hooksReported, toolsReached, output } = observed;
    const known = JSON.stringify([row.activityState, hooksReported, toolsReached]);
    if (known !== before) changedAt = now;
    before = known;
    // The terminal title may say that the agent is idle while the screen shows a question. The activity is settled only
    // if both agree.
    const isSettled = row.activityState !== 'unknown' && row.disputed.length === 0 && now - changedAt >= SETTLED_MS;
    const hasReported = (kind.reports !== 'start' || hooksReported) && (kind.connects !== 'start' || toolsReached);
    const isWaiting = row.activityState === 'idle' || row.activityState === 'asking';
    const lastChangeAt = isWaiting ? changedAt : Math.max(changedAt, deps.watcher.lastOutputAt(id));
    // An agent with an empty screen may still be starting: some agents send control sequences long before they draw
    // their first line.
    const isQuiet = now - lastChangeAt >= AGENT_CHECK_QUIET_MS && output.on === 'screen' && output.text !== '';
    const needsLogin = row.protocol?.phase === 'login';
    const isOver = needsLogin || observed.exit !== null || signal.aborted || now >= endsAt;
    if ((isSettled && hasReported) || isQuiet || isOver) return observed;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function observationOf(deps: HiddenSessionDeps, row: WorkerRow, toolsReached: boolean): Promise<Observed> {
  const { state, exitCode, signal, activityState, activitySource, confidence, signalsOffset } = row;
  const question = activityState === 'asking' ? await questionOf(deps, row) : null;
  return {
    refused: null,
    exit: state === 'running' ? null : { exitCode, signal },
    activity: { activityState, activitySource, confidence },
    hooksReported: signalsOffset > 0,
    toolsReached,
    question: question?.slice(0, AGENT_CHECK_TEXT_CHARS) ?? null,
    problem: row.protocol?.phase === 'failed' ? (row.warnings.at(-1) ?? null) : null,
    output: await lastOutput(deps, row, AGENT_CHECK_TEXT_CHARS),
  };
}

/** Returns the question that the agent asks, or null if it cannot be read. */
async function questionOf({ watcher }: HiddenSessionDeps, { id, protocol }: WorkerRow): Promise<string | null> {
  // A log-in is recognized by the phase of the connection, because approvals of hidden sessions are not stored.
  if (protocol?.phase === 'login') return 'The agent needs a log-in.';
  return (await watcher.question(id).catch(() => null))?.text ?? null;
}

async function remove(deps: HiddenSessionDeps, sessionId: string, workerId: string): Promise<void> {
  const { hidden, processes, runner, host, screens } = deps;
  await processes.end(workerId).catch((error) => deps.onError(error, workerId));
  await host.clearWorker(workerId);
  await hidden.storage.write(SYSTEM, (tx) => removeRows(tx, sessionId));
  await screens.drop(workerId);
  await runner.forget(workerId).catch(() => undefined);
  await runner.dropLog(workerId);
  await host.removeWorker(workerId);
}

/** Deletes all rows of a hidden session, which may have no worker yet. */
export async function removeRows(tx: Transaction, sessionId: string): Promise<void> {
  for (const { id: workerId, state } of await tx.workers.find({ sessionId })) {
    // If the server died, the exit was not recorded. This event removes the worker from the cached live workers, by
    // which callers are identified.
    if (state === 'starting' || state === 'running') {
      await tx.record({
        type: 'worker.exited',
        subject: { kind: 'worker', id: workerId },
        data: { workerType: 'agent' },
      });
    }
    await tx.tokens.remove({ workerId });
    await tx.inputs.remove({ workerId });
    await tx.approvals.remove({ workerId });
  }
  await tx.messages.remove({ sessionId });
  await tx.transcripts.remove({ sessionId });
  await tx.usage.remove({ sessionId });
  await tx.workers.remove({ sessionId });
  await tx.sessions.remove({ id: sessionId });
}
