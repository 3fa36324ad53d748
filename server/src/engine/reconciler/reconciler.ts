import type { EventType } from '@agent-console/shared/models/event-data';
import { nextStep } from '../../domain/next-step.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Transaction } from '../../ports/storage.ts';
import { startTask } from '../changes/task-changes.ts';
import type { Processes } from '../processes/processes.ts';
import type { WorkerWatcher } from '../processes/worker-watcher.ts';
import { createRounds } from '../scheduling/rounds.ts';
import { reachedLiveLimit } from '../sessions/live-limit.ts';
import { createEffects, type EffectDeps } from './effects.ts';
import type { InputEvidence } from './input-evidence.ts';
import { loadSessionState } from './session-state.ts';

/** Maximum number of consecutive steps without waiting. More steps indicate a bug. */
const MAX_STEPS = 100;

/** Types of events after which fewer sessions may be live or wait for a place, or more of them are allowed to be live. */
const FREES_PLACE: ReadonlySet<EventType> = new Set([
  'worker.exited',
  'worker.lost',
  'task.ended',
  'session.paused',
  'session.stopped',
  'session.archived',
  'session.removed',
  // A session whose queue is held may have waited. It is open now, but starts no agent.
  'session.resumed',
  'session.updated',
  'delegation.rejected',
  'settings.updated',
]);

type Read = Parameters<typeof loadSessionState>[0] & Parameters<typeof reachedLiveLimit>[0];

export interface Reconciler {
  /** Takes the next steps of the session in the background. */
  schedule(sessionId: string): void;
  /** Like `schedule`, but resolves when the session has no further step to take now. */
  settle(sessionId: string): Promise<void>;
  /**
   * Starts the first queued task in the transaction that queued it, if the session can start a task now. A task of an
   * idle session is therefore `running` even before its agent is started.
   */
  startHead(tx: Transaction, sessionId: string): Promise<void>;
  /** Resolves when no session is being reconciled. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface ReconcilerDeps extends EffectDeps {
  hub: EventHub;
  processes: Pick<Processes, 'startAgent' | 'end' | 'isOutdated'>;
  watcher: Pick<WorkerWatcher, 'lastOutputAt'>;
  evidence: InputEvidence;
  reminderMs: () => Promise<number>;
  queueWhenUnknown: (agentId: string) => Promise<'hold' | 'send'>;
  onError: (error: unknown, sessionId: string) => void;
}

/**
 * Creates the reconciler, which takes the next step of a session after each event, from the stored state. In memory it
 * keeps only timers and details of the current typing, so a restarted server continues from the stored state.
 */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const effects = createEffects(deps);
  const rounds = createRounds({ now: deps.now, round, maxRounds: MAX_STEPS, onError: deps.onError });
  /** Sessions that wait because of the limit of live sessions. */
  const awaitingPlace = new Set<string>();

  async function load(read: Read, sessionId: string, evidence: InputEvidence) {
    return loadSessionState(read, sessionId, {
      now: deps.now().getTime(),
      runnerGone: deps.runner.gone,
      reminderMs: await deps.reminderMs(),
      lastOutputAt: (workerId) => deps.watcher.lastOutputAt(workerId),
      pastedAt: (inputId) => effects.pastedAt(inputId),
      entersOf: (inputId) => effects.entersOf(inputId),
      isMenuClosed: (inputId) => effects.isMenuClosed(inputId),
      evidence,
      queueWhenUnknown: deps.queueWhenUnknown,
      needsRestart: (session, agent) => deps.processes.isOutdated(session, agent),
      reachedLiveLimit: (id) => reachedLiveLimit(read, deps, id),
    });
  }

  async function startHead(tx: Transaction, sessionId: string): Promise<void> {
    const loaded = await load(tx, sessionId, withoutScreens(deps.evidence));
    const step = loaded && nextStep(loaded.state);
    if (step?.do !== 'startTask') return;
    const task = await tx.tasks.get(step.taskId);
    if (task !== undefined) await startTask(tx, deps, task);
  }

  /** Takes the next step of a session. Returns false if no step can be taken now. */
  async function round(sessionId: string): Promise<boolean> {
    const loaded = await load(deps.storage.read, sessionId, deps.evidence);
    if (loaded === undefined || loaded.state.reachedLiveLimit === null) awaitingPlace.delete(sessionId);
    else awaitingPlace.add(sessionId);
    if (loaded === undefined) return false;
    const step = nextStep(loaded.state);
    if (step.do === 'wait') {
      await effects.show(loaded, step.blocked ?? null);
      rounds.scheduleAt(sessionId, step.wakeAt ?? null);
      return false;
    }
    await effects.perform(loaded, step);
    return true;
  }

  const stopListening = deps.hub.onEvents((events) => {
    for (const sessionId of new Set(events.map((committed) => committed.sessionId))) {
      if (sessionId !== null) rounds.schedule(sessionId);
    }
    if (events.some(({ event }) => FREES_PLACE.has(event.type))) {
      for (const sessionId of awaitingPlace) rounds.schedule(sessionId);
    }
  });

  return {
    schedule: rounds.schedule,
    settle: rounds.settle,
    startHead,
    idle: rounds.idle,
    async close() {
      stopListening();
      await rounds.close();
    },
  };
}

/**
 * Returns the evidence without screens and transcripts, for `startHead`: it needs neither, and its transaction must not
 * wait for them.
 */
function withoutScreens(evidence: InputEvidence): InputEvidence {
  return { ...evidence, line: async () => undefined, recorded: async () => null };
}
