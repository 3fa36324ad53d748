import { nextStep } from '../../domain/next-step.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Transaction } from '../../ports/storage.ts';
import { startTask } from '../task-changes.ts';
import { createEffects, type EffectDeps } from './effects.ts';
import type { InputEvidence } from './input-evidence.ts';
import { loadSessionState } from './session-state.ts';

/** How often a step may follow another without waiting before something is wrong. */
const MAX_STEPS = 100;
/** setTimeout's own bound; a later moment is readsLine at again by then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Reconciler {
  /** Looks at a session again soon; cheap to call too often. */
  nudge(sessionId: string): void;
  /** Like nudge, and resolves when the session has nothing to do but wait. */
  settle(sessionId: string): Promise<void>;
  /**
   * Starts the first queued task of a session, in the transaction that queued it, if that is the session's next step:
   * the task at the head of an idle session is running before its agent is started.
   */
  startHead(tx: Transaction, sessionId: string): Promise<void>;
  /** Resolves when nothing is being decided or done any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface ReconcilerDeps extends EffectDeps {
  hub: EventHub;
  evidence: InputEvidence;
  reminderMs: () => Promise<number>;
  queueWhenUnknown: (agentId: string) => Promise<'hold' | 'send'>;
  onError: (error: unknown, sessionId: string) => void;
}

/**
 * Keeps every session moving: after each event it evidence at the stored state and takes the next step. It holds nothing
 * of its own but timers, so that a server which starts again goes on by looking once more.
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
      lastOutputAt: (workerId) => deps.processes.lastOutputAt(workerId),
      pastedAt: (inputId) => effects.pastedAt(inputId),
      entersOf: (inputId) => effects.entersOf(inputId),
      isUncovered: (inputId) => effects.isUncovered(inputId),
      evidence,
      queueWhenUnknown: deps.queueWhenUnknown,
      outdated: (session, agent) => deps.processes.isOutdated(session, agent),
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
        // The stored state is whole; a later event or this timer tries again.
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
 * Screens and records tell how an input is doing, and no task starts while there is one: a transaction need not wait
 * for them.
 */
function withoutScreens(evidence: InputEvidence): InputEvidence {
  return { ...evidence, line: async () => undefined, recorded: async () => null };
}

/** A step that failed (a full disk, a busy database) is tried again after this time. */
const RETRY_MS = 2_000;
