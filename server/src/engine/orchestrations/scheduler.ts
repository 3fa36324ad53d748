import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { WAITING_RETRY_MS } from '@agent-console/shared/limits/orchestrations';
import { FINAL_AGENT_STATES } from '../../domain/orchestration/states.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Git } from '../../ports/git.ts';
import type { OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../author.ts';
import { toStoredError } from '../present.ts';
import type { ChangeDeps } from '../task-changes.ts';
import type { OrchestrationActions } from './actions.ts';
import { changeAgent, recordEvent } from './changes.ts';
import { integrateAgents } from './integrating.ts';
import { continuationPrompt, type Prompting, promptFor } from './prompts.ts';
import { type Settled, settleIn } from './settle.ts';

/** Moves every orchestration forward. */
export interface OrchestrationScheduler {
  /** Schedules a check of the orchestration. Repeated calls are cheap. */
  nudge(orchestrationId: string): void;
  /** Like `nudge`, but resolves when nothing more can be done now. */
  settle(orchestrationId: string): Promise<void>;
  /**
   * Stores what happened to agents while no server ran, and continues in the background. Called once at start, before
   * the first request is served.
   */
  recover(): Promise<void>;
  /** Resolves when no orchestration is being moved forward. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface SchedulerDeps extends ChangeDeps, Prompting {
  storage: Storage;
  hub: EventHub;
  git: Pick<Git, 'tipOf'>;
  runner: Pick<Runner, 'gone'>;
  actions: OrchestrationActions;
  /** Pauses the session of an agent that has been idle since `before`, in milliseconds since the epoch. */
  pauseIfIdle: (workerId: string, before: number) => Promise<void>;
  onError: (error: unknown, orchestrationId: string) => void;
}

/** Maximum rounds without waiting. More rounds indicate a bug. */
const MAX_ROUNDS = 2_000;
/** Delay in milliseconds before a round that failed is repeated, for example because the database is locked. */
const RETRY_MS = 2_000;
/** The longest delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates the scheduler of orchestrations. After each event it loads the stored state, lets the domain decide, stores
 * the decision and carries it out, until nothing is left to do. Its only state is timers.
 */
export function createOrchestrationScheduler(deps: SchedulerDeps): OrchestrationScheduler {
  const { storage, actions } = deps;
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Orchestrations with agents that wait until fewer sessions are live. */
  const waiting = new Set<string>();
  /** Orchestrations that wait for an integration, a resolution of conflicts or a check. */
  const integrating = new Set<string>();
  /** Sessions whose work is done, whose processes end once the agent is idle. */
  const finishing = new Map<string, string>();
  let closed = false;

  /** Returns the commits of the branches of agents whose tasks have ended. */
  async function commitsOf(orchestrationId: string): Promise<Map<string, string>> {
    const { read } = storage;
    const agents = await read.orchestrationAgents.find({ orchestrationId, state: 'running' });
    const ids = agents.flatMap(({ taskId }) => taskId ?? []);
    const ended = ids.length === 0 ? [] : await read.tasks.find({ id: ids, status: 'completed' });
    const commits = new Map<string, string>();
    for (const { id } of ended) {
      const agent = agents.find(({ taskId }) => taskId === id);
      const worktree = agent?.worktreeId == null ? undefined : await read.worktrees.get(agent.worktreeId);
      const repository = worktree && (await read.repositories.get(worktree.repositoryId));
      if (agent === undefined || worktree?.branch == null || repository === undefined) continue;
      const commit = await deps.git.tipOf(repository, worktree.branch).catch(() => null);
      if (commit !== null) commits.set(agent.id, commit);
    }
    return commits;
  }

  async function settleOnce(orchestrationId: string): Promise<Settled | undefined> {
    const commits = await commitsOf(orchestrationId);
    return storage.write(SYSTEM, (tx) =>
      settleIn(tx, deps, orchestrationId, ({ id, commit }) => commits.get(id) ?? commit),
    );
  }

  async function advance(orchestrationId: string): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && !closed; round += 1) {
      const settled = await settleOnce(orchestrationId);
      if (settled === undefined) return;
      await endSessions(settled);
      if (settled.orchestration.state !== 'running' || deps.runner.gone) return;
      if (settled.wakeAt !== null) wake(orchestrationId, settled.wakeAt);
      const moved = settled.integrates ? await integrate(settled) : await carryOut(settled);
      if (!moved) return;
    }
    if (!closed) deps.onError(new Error(`orchestration did not settle in ${MAX_ROUNDS} rounds`), orchestrationId);
  }

  /** Brings the branches of the agents together. Returns whether that has ended. */
  async function integrate({ orchestration, agents }: Settled): Promise<boolean> {
    const { id } = orchestration;
    integrating.add(id);
    const integration = await integrateAgents(deps, orchestration, agents);
    await storage.write(SYSTEM, async (tx) => {
      const { state, commit, conflicts, integrated } = integration;
      const before = (await tx.orchestrations.get(id))?.integration;
      await tx.orchestrations.update(id, { integration });
      if (before?.state === state && before.integrated.length === integrated.length) return;
      const data = { agentId: integrated.at(-1) ?? null, state, commit, conflicts: conflicts.length };
      await recordEvent(tx, id, 'orchestration.integrated', data);
    });
    if (integration.state === 'running') return false;
    integrating.delete(id);
    return true;
  }

  /** Starts and continues agents. Returns whether anything changed. */
  async function carryOut(settled: Settled): Promise<boolean> {
    const { orchestration } = settled;
    let moved = false;
    waiting.delete(orchestration.id);
    for (const agent of settled.continue) {
      if (await attempted(orchestration, agent, () => continueAgent(settled, agent))) moved = true;
    }
    for (const agent of settled.start) {
      if (await attempted(orchestration, agent, () => startAgent(settled, agent))) moved = true;
      // The following agents would meet the same limit.
      if (waiting.has(orchestration.id)) break;
    }
    return moved;
  }

  /**
   * Runs the start of an attempt. At a limit the agent waits; any other error is the outcome of the attempt. Returns
   * whether the agent changed.
   * @throws a retryable error other than LIMIT_EXCEEDED, so that the round is repeated.
   */
  async function attempted(
    orchestration: OrchestrationRow,
    agent: OrchestrationAgentRow,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof Superseded) return true;
      if (error instanceof ConsoleError && error.code === 'LIMIT_EXCEEDED') {
        waiting.add(orchestration.id);
        wake(orchestration.id, deps.now().getTime() + WAITING_RETRY_MS);
        return storeWaiting(agent, error.message).then(() => false);
      }
      if (error instanceof ConsoleError && ERRORS[error.code].retryable) throw error;
      const { code, message } = toStoredError(error);
      if (code === 'INTERNAL') deps.onError(error, orchestration.id);
      await storage.write(SYSTEM, async (tx) => {
        const current = await tx.orchestrationAgents.get(agent.id);
        if (current === undefined || current.state !== agent.state) return;
        const failure = { errorMessage: message, reason: 'not_started', attempt: current.attempt + 1 };
        if (failure.attempt < current.maxAttempts) {
          await changeAgent(tx, current, { ...failure, state: 'pending' }, 'orchestration.agent_retried');
          return;
        }
        const completedAt = deps.now().toISOString();
        await changeAgent(tx, current, { ...failure, state: 'failed', completedAt }, 'orchestration.agent_failed');
      });
      return true;
    }
  }

  async function storeWaiting(agent: OrchestrationAgentRow, reason: string): Promise<void> {
    if (agent.reason === reason) return;
    await storage.write(SYSTEM, async (tx) => {
      const current = await tx.orchestrationAgents.get(agent.id);
      if (current?.state === agent.state) await changeAgent(tx, current, { reason }, 'orchestration.agent_waited');
    });
  }

  async function startAgent({ orchestration, agents }: Settled, agent: OrchestrationAgentRow): Promise<void> {
    const plan = promptFor(deps, orchestration, agents, agent);
    await actions.start(orchestration, agent, plan, async (tx, begun) => {
      const current = await stillIn(tx, agent, 'pending');
      const startedAt = deps.now().toISOString();
      const attempt = current.attempt + 1;
      if (orchestration.isolation === 'shared') {
        await tx.orchestrations.update(orchestration.id, { worktreeId: begun.worktreeId });
      }
      await tx.orchestrationAttempts.insert({
        id: deps.newId(),
        orchestrationId: orchestration.id,
        agentId: agent.agentId,
        attempt,
        sessionId: begun.sessionId,
        taskId: begun.taskId,
        startedAt,
        state: 'running',
      });
      const patch = {
        ...begun,
        attempt,
        state: 'running',
        reason: null,
        errorMessage: null,
        exitCode: null,
        progress: null,
        status: null,
        startedAt: current.startedAt ?? startedAt,
      } as const;
      await changeAgent(tx, current, patch, 'orchestration.agent_started');
    });
  }

  async function continueAgent(settled: Settled, agent: OrchestrationAgentRow): Promise<void> {
    const { orchestration } = settled;
    const { sessionId } = agent;
    if (sessionId === null || !(await actions.canContinue(sessionId))) {
      await storage.write(SYSTEM, async (tx) => {
        const current = await stillIn(tx, agent, agent.state);
        await changeAgent(tx, current, { state: 'pending', reason: 'no_resume' }, 'orchestration.agent_retried');
      });
      return;
    }
    await actions.continue(orchestration, sessionId, continuationPrompt(agent), async (tx, taskId) => {
      const current = await stillIn(tx, agent, agent.state);
      const startedAt = deps.now().toISOString();
      await tx.orchestrationAttempts.insert({
        id: deps.newId(),
        orchestrationId: orchestration.id,
        agentId: agent.agentId,
        attempt: current.attempt,
        sessionId,
        taskId,
        startedAt,
        state: 'running',
      });
      const patch = { taskId, state: 'running', reason: null } as const;
      await changeAgent(tx, current, patch, 'orchestration.agent_resumed');
    });
  }

  /** @throws Superseded if the orchestration or the agent has changed since the decision. */
  async function stillIn(
    tx: Parameters<Parameters<Storage['write']>[1]>[0],
    agent: OrchestrationAgentRow,
    state: OrchestrationAgentRow['state'],
  ): Promise<OrchestrationAgentRow> {
    const orchestration = await tx.orchestrations.get(agent.orchestrationId);
    const current = await tx.orchestrationAgents.get(agent.id);
    if (orchestration?.state !== 'running' || current?.state !== state) throw new Superseded();
    return current;
  }

  /**
   * Interrupts the sessions of paused agents, stops those of cancelled agents and of agents that took too long, and lets
   * those of other finished agents end once they are idle.
   */
  async function endSessions({ orchestration, agents }: Settled): Promise<void> {
    const done = agents.filter(
      ({ state, sessionId }) => sessionId !== null && (state === 'paused' || FINAL_AGENT_STATES.includes(state)),
    );
    const ids = done.flatMap(({ sessionId }) => sessionId ?? []);
    if (ids.length === 0) return;
    const live = await storage.read.workers.find({ sessionId: ids, type: ['agent', 'terminal'], state: LIVE_STATES });
    for (const agent of done) {
      const { sessionId, state, reason } = agent;
      const worker = live.find((each) => each.sessionId === sessionId && each.type === 'agent');
      if (sessionId === null || worker === undefined) continue;
      // In a shared worktree, a session belongs to one agent as well.
      if (state === 'paused') await actions.interrupt(sessionId);
      else if (state !== 'completed' && (state === 'cancelled' || reason === 'timeout')) await actions.stop(sessionId);
      else if (await actions.canContinue(sessionId)) {
        finishing.set(sessionId, orchestration.id);
        await deps.pauseIfIdle(worker.id, deps.now().getTime());
      } else if (isFinalState(orchestration)) await actions.stop(sessionId);
    }
  }

  function wake(orchestrationId: string, at: number): void {
    clearTimeout(timers.get(orchestrationId));
    const delay = Math.min(Math.max(at - deps.now().getTime(), 1), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      timers.delete(orchestrationId);
      nudge(orchestrationId);
    }, delay);
    timer.unref();
    timers.set(orchestrationId, timer);
  }

  function settle(orchestrationId: string): Promise<void> {
    if (closed) return Promise.resolve();
    const current = running.get(orchestrationId);
    if (current !== undefined) {
      current.again = true;
      return current.done;
    }
    const state = { again: true, done: Promise.resolve() };
    state.done = (async () => {
      try {
        while (state.again && !closed) {
          state.again = false;
          await advance(orchestrationId);
        }
      } catch (error) {
        // The stored state is consistent, so this timer or a later event repeats the round.
        deps.onError(error, orchestrationId);
        wake(orchestrationId, deps.now().getTime() + RETRY_MS);
      } finally {
        running.delete(orchestrationId);
      }
    })();
    running.set(orchestrationId, state);
    return state.done;
  }

  function nudge(orchestrationId: string): void {
    void settle(orchestrationId);
  }

  /** Checks the orchestration of an agent with this task or session, if there is one. */
  function nudgeOwner(of: { taskId: string } | { sessionId: string }): void {
    storage.read.orchestrationAgents.first(of).then(
      (agent) => agent !== undefined && nudge(agent.orchestrationId),
      (error) => deps.onError(error, JSON.stringify(of)),
    );
  }

  const stopListening = deps.hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (event.type === 'task.ended') nudgeOwner({ taskId: event.subject.id });
      if (event.type === 'session.resumed' && sessionId !== null) nudgeOwner({ sessionId });
      if (FREES_A_SESSION.has(event.type)) for (const id of waiting) nudge(id);
      if (CONTINUES_AN_INTEGRATION.has(event.type)) for (const id of integrating) nudge(id);
      const finished = sessionId === null ? undefined : finishing.get(sessionId);
      if (finished !== undefined && sessionId !== null) {
        if (event.type === 'worker.exited' || event.type === 'worker.lost') finishing.delete(sessionId);
        else if (event.type === 'activity.changed') nudge(finished);
      }
    }
  });

  return {
    nudge,
    settle,
    async recover() {
      const open = await storage.read.orchestrations.find({ state: ['running', 'paused'] });
      for (const { id } of open) {
        const settled = await settleOnce(id);
        const interrupted = settled?.agents.filter(({ state }) => state === 'interrupted') ?? [];
        const names = interrupted.map(({ agentId }) => agentId);
        await storage.write(SYSTEM, (tx) => recordEvent(tx, id, 'orchestration.recovered', { interrupted: names }));
        nudge(id);
      }
      // An orchestration may have ended or been cancelled just before the end of the processes of its agents.
      const ended = await storage.read.orchestrations.find(
        { state: ['completed', 'failed', 'cancelled'] },
        { order: ['-id'], limit: RECENT },
      );
      for (const { id } of ended) nudge(id);
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
    async close() {
      closed = true;
      stopListening();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Number of ended orchestrations whose processes are checked after a restart. */
const RECENT = 20;

/** Events after which an integration of branches may go on. */
const CONTINUES_AN_INTEGRATION = new Set<string>([
  'integration.integrated',
  'integration.conflicted',
  'integration.failed',
  'worktree.created',
  'worktree.failed',
  'task.ended',
]);

/** Events after which fewer sessions may be live. */
const FREES_A_SESSION = new Set<string>(['worker.exited', 'worker.lost', 'task.ended', 'settings.updated']);

const isFinalState = ({ state }: OrchestrationRow) =>
  state === 'completed' || state === 'failed' || state === 'cancelled';

/** The stored state has changed since the decision; the next round decides again. */
class Superseded extends Error {}
