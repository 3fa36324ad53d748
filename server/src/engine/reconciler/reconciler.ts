import { nextStep } from '../../domain/next-step.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { Processes } from '../processes/processes.ts';
import type { WorkerWatcher } from '../processes/worker-watcher.ts';
import { startTask } from '../task-changes.ts';
import { createEffects, type EffectDeps } from './effects.ts';
import type { InputEvidence } from './input-evidence.ts';
import { loadSessionState } from './session-state.ts';

/** Maximum number of consecutive steps without waiting. More steps indicate a bug. */
const MAX_STEPS = 100;
/** The longest delay of setTimeout. For a later wake-up, the timer fires early and is set again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Reconciler {
  /** Schedules a check of the session. Repeated calls are cheap. */
  nudge(sessionId: string): void;
  /** Like `nudge`, but resolves when the session has no further step to take now. */
  settle(sessionId: string): Promise<void>;
  /**
   * Starts the first queued task in the transaction that queued it, if that is the session's next step. A task of an
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
 * Creates the reconciler, which moves every session forward: after each event it loads the stored state and takes the
 * next step. Its only state is timers, so a restarted server continues by loading the stored state.
 */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const effects = createEffects(deps);
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;

  async function load(read: Parameters<typeof loadSessionState>[0], sessionId: string, evidence: InputEvidence) {
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
    });
  }

  async function startHead(tx: Transaction, sessionId: string): Promise<void> {
    const loaded = await load(tx, sessionId, withoutScreens(deps.evidence));
    const step = loaded && nextStep(loaded.state);
    if (step?.do !== 'startTask') return;
    const task = await tx.tasks.get(step.taskId);
    if (task !== undefined) await startTask(tx, deps, task);
  }

  async function advance(sessionId: string): Promise<void> {
    for (let step = 0; step < MAX_STEPS && !closed; step += 1) {
      const loaded = await load(deps.storage.read, sessionId, deps.evidence);
      if (loaded === undefined) return;
      const step = nextStep(loaded.state);
      if (step.do === 'wait') {
        await effects.show(loaded, step.blocked ?? null);
        if (step.wakeAt !== undefined) wake(sessionId, step.wakeAt);
        return;
      }
      await effects.perform(loaded, step);
    }
    if (!closed) deps.onError(new Error(`session did not settle in ${MAX_STEPS} steps`), sessionId);
  }

  function wake(sessionId: string, at: number): void {
    clearTimeout(timers.get(sessionId));
    const delay = Math.min(Math.max(at - deps.now().getTime(), 1), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      timers.delete(sessionId);
      nudge(sessionId);
    }, delay);
    timer.unref();
    timers.set(sessionId, timer);
  }

  function settle(sessionId: string): Promise<void> {
    if (closed) return Promise.resolve();
    const current = running.get(sessionId);
    if (current !== undefined) {
      current.again = true;
      return current.done;
    }
    const state = { again: true, done: Promise.resolve() };
    state.done = (async () => {
      try {
        while (state.again && !closed) {
          state.again = false;
          await advance(sessionId);
        }
      } catch (error) {
        // The stored state is consistent, so a later event or this timer retries.
        deps.onError(error, sessionId);
        wake(sessionId, deps.now().getTime() + RETRY_MS);
      } finally {
        running.delete(sessionId);
      }
    })();
    running.set(sessionId, state);
    return state.done;
  }

  function nudge(sessionId: string): void {
    void settle(sessionId);
  }

  const stopListening = deps.hub.onEvents((events) => {
    for (const sessionId of new Set(events.map((committed) => committed.sessionId))) {
      if (sessionId !== null) nudge(sessionId);
    }
  });

  return {
    nudge,
    settle,
    startHead,
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map((state) => state.done));
    },
    async close() {
      closed = true;
      stopListening();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...running.values()].map((state) => state.done));
    },
  };
}

/**
 * Returns evidence without screens and transcripts, because a transaction must not wait for them. `startHead` needs
 * neither.
 */
function withoutScreens(evidence: InputEvidence): InputEvidence {
  return { ...evidence, line: async () => undefined, recorded: async () => null };
}

/**
 * Delay in milliseconds before a failed step is retried, for example because the disk is full or the database is
 * locked.
 */
const RETRY_MS = 2_000;
