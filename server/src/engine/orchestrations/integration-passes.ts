import { ConsoleError } from '@agent-console/shared/errors';
import {
  INTEGRATION_ATTEMPTS_MAX,
  INTEGRATION_RETRY_MS,
  WAITING_RETRY_MS,
} from '@agent-console/shared/limits/orchestrations';
import type { OrchestrationIntegration } from '@agent-console/shared/models/orchestration';
import { FINAL_AGENT_STATES, FINAL_STATES } from '../../domain/orchestration/states.ts';
import type { OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { enforce } from '../budgets/enforce.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { toStoredError } from '../present.ts';
import type { Rounds } from '../scheduling/rounds.ts';
import type { OrchestrationActions } from './actions.ts';
import { agentsOf, recordEvent } from './changes.ts';
import { type IntegratingDeps, integrateAgents, isTransient, newIntegration } from './integrating.ts';
import type { Settled } from './settle.ts';

/**
 * Integrates the branches of orchestrations in the background. During a long check or resolution of conflicts, an
 * orchestration can therefore be cancelled, paused and changed, and a server can stop.
 */
export interface IntegrationPasses {
  /**
   * Starts an integration pass in the background, unless one is running, an operation of a stopped pass still runs, or
   * a pass has just failed. In these cases, the orchestration is scheduled again later. When the integration has ended,
   * the next steps of the orchestration are scheduled.
   */
  advance(settled: Pick<Settled, 'orchestration' | 'agents'>): void;
  /**
   * Stops the integration pass of an orchestration that must not integrate branches now. The pass begins no further
   * operation and stores no result. A merge or check that is running continues, but the check of a cancelled
   * orchestration is ended.
   */
  stop(orchestration: OrchestrationRow): void;
  /** Schedules the next steps of each orchestration whose integration may continue. */
  scheduleAll(): void;
  /** Stops all passes, and resolves when they store nothing more. */
  close(): Promise<void>;
}

interface Deps extends IntegratingDeps, ChangeDeps {
  storage: Storage;
  actions: IntegratingDeps['actions'] & Pick<OrchestrationActions, 'endCheck'>;
  rounds: Pick<Rounds, 'schedule' | 'scheduleAt'>;
  onError: (error: unknown, orchestrationId: string) => void;
}

/** An integration pass that is running. `again` is set if another pass was requested since this pass began. */
interface Running {
  controller: AbortController;
  again: boolean;
  done: Promise<void>;
}

/**
 * Number of successive integration passes that failed with a transient error, and the time from which the next pass may
 * begin, in milliseconds since the epoch.
 */
interface Failures {
  count: number;
  until: number;
}

/** Thrown in an integration pass that was stopped, or whose orchestration has changed. */
class Stopped extends Error {}

export function createIntegrationPasses(deps: Deps): IntegrationPasses {
  const { storage, actions, rounds, now } = deps;
  const running = new Map<string, Running>();
  const failures = new Map<string, Failures>();
  /** Orchestrations whose integration waits for an event. */
  const waiting = new Set<string>();
  /**
   * The last operation of an integration pass, such as a merge, by orchestration id, until the operation has ended. An
   * operation continues after its pass was stopped.
   */
  const unfinished = new Map<string, Promise<void>>();
  let closed = false;

  /**
   * Stores the integration.
   * @throws Stopped if the pass was stopped, the orchestration has ended, or the agents have changed since the pass
   * began
   */
  async function store(
    { id }: OrchestrationRow,
    agents: readonly OrchestrationAgentRow[],
    { integration, agentId }: { integration: OrchestrationIntegration; agentId: string | null },
    signal: AbortSignal,
  ): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const current = await tx.orchestrations.get(id);
      if (signal.aborted || current === undefined || FINAL_STATES.includes(current.state)) throw new Stopped();
      if (resultsOf(await agentsOf(tx, id)) !== resultsOf(agents)) throw new Stopped();
      const { state, commit, conflicts, integrated } = integration;
      const before = current.integration;
      // A repeated pass first goes through the branches that the earlier pass has integrated. Until it has integrated
      // more branches, there is nothing new to store.
      if (before?.state === state && before.integrated.length >= integrated.length) return;
      // This pass may have failed before it came to the branches that an earlier pass merged. Those branches are still
      // merged, so the longer list is stored.
      const merged = before !== null && before.integrated.length > integrated.length ? before.integrated : integrated;
      await tx.orchestrations.update(id, { integration: { ...integration, integrated: merged } });
      const data = { agentId, state, commit, conflicts: conflicts.length };
      await recordEvent(tx, id, 'orchestration.integrated', data);
    });
  }

  async function pass(
    { orchestration, agents }: Parameters<IntegrationPasses['advance']>[0],
    signal: AbortSignal,
  ): Promise<void> {
    const { id } = orchestration;
    let reached = orchestration.integration ?? newIntegration(orchestration.integrate?.into ?? '');
    const save = async (result: Parameters<typeof store>[2]) => {
      await store(orchestration, agents, result, signal);
      reached = result.integration;
    };
    try {
      const unlessStopped = <T>(work: Promise<T>) => {
        track(id, work, signal);
        return untilAborted(work, signal);
      };
      const result = await integrateAgents(deps, orchestration, agents, unlessStopped, save);
      const { integration, wakeAt } = result;
      await save(result);
      failures.delete(id);
      rounds.scheduleAt(id, wakeAt);
      if (integration.state === 'running') waiting.add(id);
      else rounds.schedule(id);
    } catch (error) {
      if (error instanceof Stopped || signal.aborted) return;
      if ((await pauseForBudget(id, error)) || retryLater(id, error)) return;
      const { code, message: errorMessage } = toStoredError(error);
      if (code === 'INTERNAL') deps.onError(error, id);
      await save({ integration: { ...reached, state: 'failed', errorMessage }, agentId: null });
      rounds.schedule(id);
    }
  }

  /**
   * Keeps an operation of a pass, such as a merge, in `unfinished` until the operation has ended. If the pass has been
   * stopped by then, schedules the orchestration, because its next pass waits for the end of the operation.
   */
  function track(id: string, work: Promise<unknown>, signal: AbortSignal): void {
    const ended = work.then(
      () => {},
      () => {},
    );
    unfinished.set(id, ended);
    void ended.then(() => {
      if (unfinished.get(id) === ended) unfinished.delete(id);
      if (signal.aborted) rounds.schedule(id);
    });
  }

  /**
   * If `error` says that the budget of the orchestration allows no agent that resolves conflicts, pauses the
   * orchestration and asks a person for a higher budget. Returns whether the orchestration was paused.
   */
  async function pauseForBudget(id: string, error: unknown): Promise<boolean> {
    if (!(error instanceof ConsoleError) || error.details.orchestrationId !== id) return false;
    if (!String(error.details.limit).startsWith('budget.')) return false;
    return storage.write(SYSTEM, async (tx) => {
      const row = await tx.orchestrations.get(id);
      return row?.state === 'running' && (await enforce(tx, deps, { kind: 'orchestration', row }, true));
    });
  }

  /** Schedules another pass after a transient error. Returns whether another pass was scheduled. */
  function retryLater(id: string, error: unknown): boolean {
    if (!isTransient(error)) return false;
    const count = (failures.get(id)?.count ?? 0) + 1;
    if (error.code === 'LIMIT_EXCEEDED') {
      // Too many sessions are live. The next pass may succeed once fewer are live.
      waiting.add(id);
      rounds.scheduleAt(id, now().getTime() + WAITING_RETRY_MS);
      return true;
    }
    if (count >= INTEGRATION_ATTEMPTS_MAX) {
      failures.delete(id);
      return false;
    }
    const until = now().getTime() + INTEGRATION_RETRY_MS * 2 ** (count - 1);
    failures.set(id, { count, until });
    rounds.scheduleAt(id, until);
    return true;
  }

  async function run(settled: Parameters<IntegrationPasses['advance']>[0], state: Running): Promise<void> {
    const { id } = settled.orchestration;
    try {
      await pass(settled, state.controller.signal);
    } catch (error) {
      if (error instanceof Stopped || state.controller.signal.aborted) return;
      // The result of the pass could not be stored, for example because the disk is full, so another pass is scheduled.
      deps.onError(error, id);
      rounds.scheduleAt(id, now().getTime() + INTEGRATION_RETRY_MS);
    } finally {
      running.delete(id);
      if (state.again) rounds.schedule(id);
    }
  }

  return {
    advance(settled) {
      const { id } = settled.orchestration;
      const current = running.get(id);
      if (current !== undefined) current.again = true;
      const until = failures.get(id)?.until ?? 0;
      if (until > now().getTime()) rounds.scheduleAt(id, until);
      // A pass must not repeat an operation that a stopped pass began and that still runs, such as creating the
      // worktree of the target branch.
      if (closed || current !== undefined || unfinished.has(id) || until > now().getTime()) return;
      waiting.delete(id);
      const state: Running = { controller: new AbortController(), again: false, done: Promise.resolve() };
      running.set(id, state);
      state.done = run(settled, state);
    },
    stop(orchestration) {
      const { id, state, integrate } = orchestration;
      running.get(id)?.controller.abort();
      failures.delete(id);
      waiting.delete(id);
      if (state !== 'cancelled' || integrate?.check !== true) return;
      actions.endCheck(orchestration, integrate.into).catch((error) => deps.onError(error, id));
    },
    scheduleAll() {
      for (const id of [...running.keys(), ...waiting]) rounds.schedule(id);
    },
    async close() {
      closed = true;
      for (const { controller } of running.values()) controller.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/**
 * Returns a key for the attempts whose branches are to be integrated. A pass stops if the key has changed. Null while
 * an agent may still work.
 */
function resultsOf(agents: readonly OrchestrationAgentRow[]): string | null {
  if (!agents.every(({ state }) => FINAL_AGENT_STATES.includes(state))) return null;
  const completed = agents.filter(({ state }) => state === 'completed');
  return completed.map(({ agentId, attempt }) => `${agentId} ${attempt}`).join('\n');
}

/** Returns the result of `work`. Rejects with Stopped as soon as the signal aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Stopped());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
