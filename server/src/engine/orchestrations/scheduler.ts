import { ConsoleError } from '@agent-console/shared/errors';
import { WAITING_RETRY_MS } from '@agent-console/shared/limits/orchestrations';
import { pluralize } from '@agent-console/shared/pluralize';
import { FINAL_STATES } from '../../domain/orchestration/states.ts';
import { isOpen } from '../../domain/tasks.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Git } from '../../ports/git.ts';
import type { OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { toStoredError } from '../present.ts';
import { createRounds } from '../scheduling/rounds.ts';
import type { OrchestrationActions } from './actions.ts';
import { agentsOf, changeAgent, closeAttempt, recordEvent, storeCounts } from './changes.ts';
import { createIntegrationPasses } from './integration-passes.ts';
import { continuationPrompt, type Prompting, promptFor } from './prompts.ts';
import { createSessionEnds, orchestrationsWithLiveAgents } from './session-ends.ts';
import { type Settled, settleIn } from './settle.ts';

export interface OrchestrationScheduler {
  /** Takes the next steps of the orchestration in the background. */
  schedule(orchestrationId: string): void;
  /** Like `schedule`, but resolves when no further step can be taken now. */
  settle(orchestrationId: string): Promise<void>;
  /**
   * Stores what happened to the agents while no server ran, and schedules the next steps of the orchestrations. Called
   * once at start, before the first request is served.
   */
  recover(): Promise<void>;
  /**
   * Ends the processes of an ended orchestration before the orchestration is removed.
   * @throws TIMEOUT or CONFLICT, like `SessionEnds.endAll`.
   */
  endSessions(orchestrationId: string): Promise<void>;
  /** Resolves when no steps are being taken. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface SchedulerDeps extends ChangeDeps, Prompting {
  storage: Storage;
  hub: EventHub;
  git: Pick<Git, 'tipOf' | 'contains' | 'filesBetween'>;
  runner: Pick<Runner, 'gone'>;
  actions: OrchestrationActions;
  /** Pauses the session of an agent that was last active before the time `before`, in milliseconds since the epoch. */
  pauseIfIdle: (workerId: string, before: number) => Promise<void>;
  onError: (error: unknown, orchestrationId: string) => void;
}

/** Maximum number of rounds of one orchestration that follow each other without waiting. More rounds indicate a bug. */
const MAX_ROUNDS = 2_000;
/**
 * Maximum number of agents that are started at the same time. A start mostly waits for git and the file system, so a
 * higher number would hardly save time.
 */
const STARTS_TOGETHER = 8;

/**
 * Creates the scheduler of orchestrations. After each event it loads the stored state, determines the next steps,
 * stores them and carries them out, until nothing is left to do. In memory it keeps only timers and the ids of waiting
 * orchestrations, so a restarted server continues from the stored state.
 */
export function createOrchestrationScheduler(deps: SchedulerDeps): OrchestrationScheduler {
  const { storage, actions } = deps;
  const rounds = createRounds({ now: deps.now, round, maxRounds: MAX_ROUNDS, onError: deps.onError });
  /** Reasons why agents cannot be started yet, by the id of their orchestration. */
  const waiting = new Map<string, string>();
  const integrations = createIntegrationPasses({ ...deps, rounds });
  const ends = createSessionEnds(deps);
  /** Sequence number of the last event that was stored before this server started. */
  const startSeq = deps.hub.lastSeq();

  /**
   * Returns the newest commit of the branch of each agent whose task has completed, by agent id; null for an agent
   * without a readable branch.
   */
  async function commitsOf(orchestrationId: string): Promise<Map<string, string | null>> {
    const { read } = storage;
    const agents = await read.orchestrationAgents.find({ orchestrationId, state: ['running', 'paused'] });
    const ids = agents.flatMap(({ taskId }) => taskId ?? []);
    const ended = ids.length === 0 ? [] : await read.tasks.find({ id: ids, status: 'completed' });
    const commits = new Map<string, string | null>();
    for (const { id } of ended) {
      const agent = agents.find(({ taskId }) => taskId === id);
      const worktree = agent?.worktreeId == null ? undefined : await read.worktrees.get(agent.worktreeId);
      const repository = worktree && (await read.repositories.get(worktree.repositoryId));
      if (agent === undefined) continue;
      const branch = worktree?.branch ?? null;
      const isReadable = repository !== undefined && branch !== null;
      commits.set(agent.id, isReadable ? await deps.git.tipOf(repository, branch).catch(() => null) : null);
    }
    return commits;
  }

  async function settleOnce(orchestrationId: string): Promise<Settled | undefined> {
    const commits = await commitsOf(orchestrationId);
    return storage.write(SYSTEM, (tx) => settleIn(tx, deps, orchestrationId, ({ id }) => commits.get(id)));
  }

  /**
   * Stores the results of ended tasks and of timeouts, and takes the next steps. Returns whether the next round must
   * run at once.
   */
  async function round(orchestrationId: string): Promise<boolean> {
    const settled = await settleOnce(orchestrationId);
    if (settled?.orchestration.state !== 'running') waiting.delete(orchestrationId);
    if (settled === undefined) return false;
    // Integrations are stopped before sessions are ended. Ending sessions can take seconds, in which another branch
    // could be merged.
    if (!settled.integrates) integrations.stop(settled.orchestration);
    const endsAt = await ends.apply(settled);
    for (const at of [settled.wakeAt, endsAt]) rounds.scheduleAt(orchestrationId, at);
    if (settled.orchestration.state !== 'running' || deps.runner.gone) return false;
    if (!settled.integrates) return startAndContinue(settled);
    integrations.advance(settled);
    return false;
  }

  /**
   * Starts the agents in `settled.start`, and continues those in `settled.continue`. Returns whether the next round
   * must run at once.
   */
  async function startAndContinue(settled: Settled): Promise<boolean> {
    const { orchestration } = settled;
    let hasChanged = false;
    waiting.delete(orchestration.id);
    for (const agent of settled.continue) {
      if (await attempted(orchestration, agent, () => continueAgent(settled, agent))) hasChanged = true;
    }
    // Agents that share a worktree are started one after the other, because the first start creates the worktree.
    const size = orchestration.isolation === 'shared' ? 1 : STARTS_TOGETHER;
    for (let at = 0; at < settled.start.length; at += size) {
      const batch = settled.start.slice(at, at + size);
      const changed = await Promise.all(
        batch.map((agent) => attempted(orchestration, agent, () => startAgent(settled, agent))),
      );
      if (changed.includes(true)) hasChanged = true;
      const limit = waiting.get(orchestration.id);
      if (limit === undefined) continue;
      // The agents after this batch are not started now, because they would reach the same limit.
      await storeWaiting(settled.start.slice(at + size), limit);
      break;
    }
    return hasChanged;
  }

  /**
   * Starts an attempt by calling `work`. If a limit is reached, the agent waits. Other errors end the attempt and are
   * stored as its outcome. Returns whether the next round must run at once. Returns false after a start, because
   * nothing happens until the attempt ends or times out, and also if the agent waits.
   * @throws RUNNER_UNAVAILABLE, and retryable errors other than LIMIT_EXCEEDED. These errors do not end the attempt:
   * the round is repeated.
   */
  async function attempted(
    orchestration: OrchestrationRow,
    agent: OrchestrationAgentRow,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      rounds.scheduleAt(orchestration.id, deps.now().getTime() + agent.timeoutSeconds * 1_000);
      return false;
    } catch (error) {
      if (error instanceof Superseded) return true;
      if (error instanceof ConsoleError && error.code === 'LIMIT_EXCEEDED' && error.retryable) {
        const reason = reasonToWait(error);
        waiting.set(orchestration.id, reason);
        rounds.scheduleAt(orchestration.id, deps.now().getTime() + WAITING_RETRY_MS);
        await storeWaiting([agent], reason);
        return false;
      }
      if (error instanceof ConsoleError && (error.retryable || error.code === 'RUNNER_UNAVAILABLE')) throw error;
      const { code, message } = toStoredError(error);
      if (code === 'INTERNAL') deps.onError(error, orchestration.id);
      await storage.write(SYSTEM, async (tx) => {
        const current = await tx.orchestrationAgents.get(agent.id);
        if (current === undefined || current.state !== agent.state) return;
        // An interrupted attempt that could not be continued ends here.
        await closeAttempt(tx, deps, current, { state: current.state, reason: 'not_started' });
        const failure = { errorMessage: message, reason: 'not_started', attempt: current.attempt + 1 };
        if (failure.attempt < current.maxAttempts) {
          await changeAgent(tx, current, { ...failure, state: 'pending' }, 'orchestration.agent_retried');
          return;
        }
        const completedAt = deps.now().toISOString();
        await changeAgent(tx, current, { ...failure, state: 'failed', completedAt }, 'orchestration.agent_failed');
        const latest = (await tx.orchestrations.get(orchestration.id)) ?? orchestration;
        await storeCounts(tx, latest, await agentsOf(tx, orchestration.id));
      });
      return true;
    }
  }

  async function storeWaiting(agents: readonly OrchestrationAgentRow[], reason: string): Promise<void> {
    const changed = agents.filter((agent) => agent.reason !== reason);
    if (changed.length === 0) return;
    await storage.write(SYSTEM, async (tx) => {
      for (const agent of changed) {
        const current = await tx.orchestrationAgents.get(agent.id);
        if (current?.state !== agent.state || current.reason === reason) continue;
        await changeAgent(tx, current, { reason }, 'orchestration.agent_waited');
      }
    });
  }

  async function startAgent({ orchestration, agents }: Settled, agent: OrchestrationAgentRow): Promise<void> {
    const plan = await promptFor(deps, orchestration, agents, agent);
    // Reads the orchestration again, because the start of an earlier agent may have created the shared worktree.
    const latest = (await storage.read.orchestrations.get(orchestration.id)) ?? orchestration;
    await actions.start(latest, agent, plan, async (tx, begun) => {
      const current = await refuseIfChanged(tx, agent, 'pending');
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
        state: 'running' as const,
        reason: null,
        errorMessage: null,
        exitCode: null,
        progress: null,
        status: null,
        summary: null,
        artifacts: [],
        startedAt: current.startedAt ?? startedAt,
      } satisfies Partial<OrchestrationAgentRow>;
      await changeAgent(tx, current, patch, 'orchestration.agent_started');
    });
  }

  async function continueAgent(settled: Settled, agent: OrchestrationAgentRow): Promise<void> {
    const { orchestration } = settled;
    const { sessionId } = agent;
    if (await resumedInTime(agent)) return;
    if (sessionId === null || !(await actions.canContinue(sessionId))) {
      await storage.write(SYSTEM, async (tx) => {
        const current = await refuseIfChanged(tx, agent, agent.state);
        await closeAttempt(tx, deps, current, { state: agent.state, reason: 'no_resume' });
        await changeAgent(tx, current, { state: 'pending', reason: 'no_resume' }, 'orchestration.agent_retried');
      });
      throw new Superseded();
    }
    await actions.continue(orchestration, sessionId, continuationPrompt(agent), async (tx, taskId) => {
      const current = await refuseIfChanged(tx, agent, agent.state);
      const startedAt = deps.now().toISOString();
      await closeAttempt(tx, deps, current, { state: agent.state, reason: agent.reason });
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

  /** Marks a paused agent as running if its task was not interrupted yet. Returns whether the agent was marked. */
  function resumedInTime(agent: OrchestrationAgentRow): Promise<boolean> {
    return storage.write(SYSTEM, async (tx) => {
      const task = await tx.tasks.get(agent.taskId ?? '');
      const session = await tx.sessions.get(agent.sessionId ?? '');
      if (task === undefined || !isOpen(task.status) || session?.mark !== 'open') return false;
      const current = await refuseIfChanged(tx, agent, agent.state);
      await changeAgent(tx, current, { state: 'running', reason: null }, 'orchestration.agent_resumed');
      return true;
    });
  }

  /** @throws Superseded if the orchestration is no longer running, or the agent is no longer in the state `state` */
  async function refuseIfChanged(
    tx: Parameters<Parameters<Storage['write']>[1]>[0],
    agent: OrchestrationAgentRow,
    state: OrchestrationAgentRow['state'],
  ): Promise<OrchestrationAgentRow> {
    const orchestration = await tx.orchestrations.get(agent.orchestrationId);
    const current = await tx.orchestrationAgents.get(agent.id);
    if (orchestration?.state !== 'running' || current?.state !== state) throw new Superseded();
    return current;
  }

  /** Schedules the orchestration of the agent that has this session or task. */
  function scheduleByAgent(
    where: { taskId: string } | { sessionId: string; state: ('interrupted' | 'paused' | 'running')[] },
    about: string,
  ): void {
    storage.read.orchestrationAgents.first(where).then(
      (agent) => agent !== undefined && rounds.schedule(agent.orchestrationId),
      (error) => deps.onError(error, about),
    );
  }

  /**
   * Schedules a session's orchestration if the orchestration has ended, because an agent that starts afterwards must be
   * ended.
   */
  async function scheduleIfEnded(sessionId: string): Promise<void> {
    const { orchestrationId } = (await storage.read.sessions.get(sessionId)) ?? {};
    const orchestration = orchestrationId == null ? undefined : await storage.read.orchestrations.get(orchestrationId);
    if (orchestration !== undefined && FINAL_STATES.includes(orchestration.state)) rounds.schedule(orchestration.id);
  }

  const stopListening = deps.hub.onEvents((events) => {
    for (const committed of events) {
      const { event, sessionId } = committed;
      if (event.type === 'orchestration.paused' || event.type === 'orchestration.resumed')
        rounds.schedule(event.subject.id);
      if (TURN_CHANGES.has(event.type)) scheduleByAgent({ taskId: event.subject.id }, event.subject.id);
      else if (sessionId !== null && CHANGES_MARK.has(event.type)) {
        scheduleByAgent({ sessionId, state: ['interrupted', 'paused', 'running'] }, sessionId);
      }
      if (event.type === 'worker.started' && sessionId !== null) {
        scheduleIfEnded(sessionId).catch((error) => deps.onError(error, sessionId));
      }
      if (MAY_ALLOW_STARTS.has(event.type)) for (const id of waiting.keys()) rounds.schedule(id);
      const continuesIntegrations = [CONTINUES_AN_INTEGRATION, MAY_ALLOW_STARTS, CHANGES_MARK];
      if (continuesIntegrations.some((types) => types.has(event.type))) integrations.scheduleAll();
      const affected = ends.affectedBy(committed);
      if (affected !== undefined) rounds.schedule(affected);
    }
  });

  /** Stores what happened to the agents of an orchestration, and records which of them lost their processes. */
  async function recoverOne(id: string): Promise<void> {
    await settleOnce(id);
    // Processes are recovered before this function runs, so events of lost processes may already be stored. To find
    // them, all events since the start of the server are read.
    const where = { subjectId: id, seq: { above: startSeq }, type: [...LOSES_A_PROCESS] };
    const events = await storage.read.events.find(where);
    const lost = events.filter(({ data }) => data.reason === 'server_restart');
    if (lost.length === 0) return;
    const interrupted = [...new Set(lost.map(({ data }) => String(data.agentId)))];
    await storage.write(SYSTEM, (tx) => recordEvent(tx, id, 'orchestration.recovered', { interrupted }));
  }

  return {
    schedule: rounds.schedule,
    settle: rounds.settle,
    async recover() {
      const open = await storage.read.orchestrations.find({ state: ['running', 'paused'] });
      for (const { id } of open) {
        await recoverOne(id).catch((error) => deps.onError(error, id));
        rounds.schedule(id);
      }
      // The previous server may have died after an orchestration ended and before the processes of its agents ended.
      // This server then ends these processes.
      for (const id of await orchestrationsWithLiveAgents(storage.read)) rounds.schedule(id);
    },
    endSessions: ends.endAll,
    idle: rounds.idle,
    async close() {
      stopListening();
      await integrations.close();
      await rounds.close();
    },
  };
}

/**
 * Events that can be recorded for an agent whose process was lost with the machine or the runner. The recovery policy
 * decides which of them is recorded.
 */
const LOSES_A_PROCESS = [
  'orchestration.agent_interrupted',
  'orchestration.agent_retried',
  'orchestration.agent_failed',
] as const;

/** Events that can open or close a session. An agent continues only in an open session. */
const CHANGES_MARK = new Set<string>([
  'session.paused',
  'session.resumed',
  'session.stopped',
  'session.archived',
  'session.removed',
  'session.updated',
]);

/** Events after which an integration of branches may continue. */
const CONTINUES_AN_INTEGRATION = new Set<string>([
  'integration.integrated',
  'integration.conflicted',
  'integration.failed',
  'worktree.created',
  'worktree.failed',
  'worktree.checked',
  // Recorded if a check ended without a result, for example because the runner died while the check command ran.
  'job.failed',
  'task.ended',
]);

/** Events of an agent's task after which the orchestration of the agent may have a next step. */
const TURN_CHANGES = new Set<string>(['task.ended', 'task.waiting', 'task.started']);

/** Events after which a waiting agent may be able to start, usually because fewer sessions are live. */
const MAY_ALLOW_STARTS = new Set<string>([
  'worker.exited',
  'worker.lost',
  'task.ended',
  'settings.updated',
  // Recorded when a shared worktree may have become ready, or when its creation failed and must be repeated.
  'delegation.advanced',
  'delegation.rejected',
]);

/**
 * Returns the reason why an agent waits. The text omits the current number of sessions, so that it need not be stored
 * again after each event.
 */
function reasonToWait({ message, details: { limit, value } }: ConsoleError): string {
  if (limit !== 'liveSessions' && limit !== 'delegationChildren') return message;
  const number = Number(value);
  const verb = number === 1 ? 'is' : 'are';
  const what =
    limit === 'liveSessions'
      ? pluralize(number, 'live session')
      : `${pluralize(number, 'child session')} with an open task`;
  return `at most ${what} ${verb} allowed (setting ${limit})`;
}

/**
 * Thrown if the orchestration or agent has changed since the round decided what to do. The next round decides again.
 */
class Superseded extends Error {}
