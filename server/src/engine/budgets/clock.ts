import { exhausted, nearlyUsed, untilWallThreshold } from '../../domain/budget.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { enforce } from './enforce.ts';
import { type BudgetHolder, sessionsUnder, useOf } from './use.ts';

interface Deps extends ChangeDeps {
  storage: Storage;
  hub: Pick<EventHub, 'onEvents'>;
  onError: (error: unknown, sessionId: string) => void;
}

/**
 * Checks session budgets that limit wall time, while tasks of these sessions run. The scheduler checks the budgets of
 * orchestrations.
 */
export interface BudgetClock {
  /** Begins to watch all stored budgets. Called once at start. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Longest delay of a timer in milliseconds. A longer wait takes several timers, because a timer does not count the time
 * in which the machine sleeps, but a budget does.
 */
const MAX_TIMER_MS = 60_000;
/** Delay in milliseconds before a failed check is repeated. A check fails, for example, if the disk is full. */
const RETRY_MS = 2_000;

/**
 * Creates the clock. In memory, it keeps only timers and the ids of the sessions whose wall time is limited. `recover`
 * restores them from the stored budgets.
 */
export function createBudgetClock({ storage, hub, onError, ...deps }: Deps): BudgetClock {
  /**
   * Timers by session; null while no task of the session's subtree runs, because that time does not count, and after
   * the wall time is used up.
   */
  const timers = new Map<string, NodeJS.Timeout | null>();
  let work = Promise.resolve();
  let closed = false;

  async function check(sessionId: string): Promise<void> {
    clearTimeout(timers.get(sessionId) ?? undefined);
    const row = await storage.read.sessions.get(sessionId);
    if (row?.budget?.wallSeconds === undefined || row.removedAt !== null) {
      timers.delete(sessionId);
      return;
    }
    const holder: BudgetHolder = { kind: 'session', row };
    const use = await useOf(storage.read, holder, deps.now());
    if ([...exhausted(row.budget, use), ...nearlyUsed(row.budget, use, row.budgetWarned)].length > 0) {
      await storage.write(SYSTEM, async (tx) => {
        const current = await tx.sessions.get(sessionId);
        if (current !== undefined) await enforce(tx, deps, { kind: 'session', row: current });
      });
    }
    const rest = untilWallThreshold(row.budget, use);
    const under = await sessionsUnder(storage.read, holder);
    const running = await storage.read.tasks.count({ sessionId: under, status: [...ACTIVE_STATUSES] });
    const isWaiting = rest === null || running === 0 || closed;
    timers.set(sessionId, isWaiting ? null : setTimeout(schedule, Math.min(rest, MAX_TIMER_MS), sessionId).unref());
  }

  function schedule(sessionId: string): void {
    work = work.then(() => (closed ? undefined : check(sessionId).catch((error) => retry(sessionId, error))));
  }

  function retry(sessionId: string, error: unknown): void {
    onError(error, sessionId);
    if (!closed) timers.set(sessionId, setTimeout(schedule, RETRY_MS, sessionId).unref());
  }

  const stopListening = hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      const mayBeRaised =
        (event.type === 'session.updated' && event.data.budget !== undefined) ||
        (event.type === 'approval.answered' && event.data.kind === 'budget');
      if (mayBeRaised && sessionId !== null) schedule(sessionId);
      if (event.type !== 'task.started') continue;
      for (const [id, timer] of timers) if (timer === null) schedule(id);
    }
  });

  return {
    async recover() {
      const ids = await storage.read.sessions.ids({ budget: { not: null }, removedAt: null });
      for (const id of ids) schedule(id);
    },
    async close() {
      closed = true;
      stopListening();
      for (const timer of timers.values()) clearTimeout(timer ?? undefined);
      await work;
    },
  };
}
