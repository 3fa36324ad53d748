import type { TaskOutcome } from '@agent-console/shared/models/task';
import { untilWallThreshold } from '../../domain/budget.ts';
import { attemptEnd, type EndedTask } from '../../domain/orchestration/outcome.ts';
import { type Decision, schedule } from '../../domain/orchestration/schedule.ts';
import { FINAL_AGENT_STATES } from '../../domain/orchestration/states.ts';
import { isOpen } from '../../domain/tasks.ts';
import type { OrchestrationAgentRow, OrchestrationRow, TaskRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { resumeToIntegrate } from '../budgets/change.ts';
import { enforce } from '../budgets/enforce.ts';
import { useOf } from '../budgets/use.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { agentsOf, changeAgent, closeAttempt, endOrchestration, storeCounts } from './changes.ts';
import { mustIntegrate } from './integrating.ts';

/** An orchestration and its agents after their stored states were brought up to date, and the next steps. */
export interface Settled {
  orchestration: OrchestrationRow;
  agents: OrchestrationAgentRow[];
  /** Agents to start, in order. */
  start: OrchestrationAgentRow[];
  /** Paused and interrupted agents that must continue their conversations. */
  continue: OrchestrationAgentRow[];
  /** Whether the agents have ended, and the branches of the completed ones must be integrated now. */
  integrates: boolean;
  /**
   * Time at which the next round runs if no event starts one before, for example because an agent times out then. In
   * milliseconds since the epoch; null if there is no such time.
   */
  wakeAt: number | null;
}

/**
 * Updates an orchestration in one transaction: stores the results of ended tasks and of timeouts, and decides which
 * agents its strategy starts, skips or cancels. Can be repeated after a crash, because the result depends only on the
 * stored state.
 * @param commitOf returns the newest commit of the branch of an agent whose task has completed; null if the branch
 * cannot be read; undefined if the task had not completed when the commits were read. If it has completed since, the
 * next call stores the result of this agent.
 */
export async function settleIn(
  tx: Transaction,
  deps: ChangeDeps,
  orchestrationId: string,
  commitOf: (agent: OrchestrationAgentRow) => string | null | undefined,
): Promise<Settled | undefined> {
  const orchestration = await tx.orchestrations.get(orchestrationId);
  if (orchestration === undefined) return undefined;
  const before = await agentsOf(tx, orchestrationId);
  const settled: OrchestrationAgentRow[] = [];
  let wakeAt: number | null = null;
  const tasks = await tasksOf(tx, before);
  const blocked = await blockedSessions(tx, before, tasks);
  for (const agent of before) {
    const task = tasks.get(agent.taskId ?? '');
    // A paused agent whose task has started and is still open, or has ended with a result, is handled below.
    const rests =
      agent.state === 'interrupted' ||
      (agent.state === 'paused' && isInterruption(task)) ||
      (task !== undefined && isQueued(task));
    if (rests && blocked.get(agent.sessionId ?? '') === 'gone') {
      const patch = { state: 'cancelled', completedAt: deps.now().toISOString() } as const;
      if (task !== undefined && isQueued(task)) {
        await endTask(tx, deps, agent, 'CONFLICT', 'Somebody ended the session before its agent began this task.');
      }
      await closeAttempt(tx, deps, agent, { state: 'cancelled', reason: agent.reason });
      settled.push(await changeAgent(tx, agent, patch, 'orchestration.agent_cancelled'));
      continue;
    }
    if (
      agent.state === 'interrupted' &&
      blocked.get(agent.sessionId ?? '') === 'paused' &&
      agent.reason !== 'session_paused'
    ) {
      // The session of the interrupted agent has been paused, so the agent's reason is updated.
      settled.push(await changeAgent(tx, agent, { reason: 'session_paused' }, 'orchestration.agent_interrupted'));
      continue;
    }
    if (agent.state !== 'running' && (agent.state !== 'paused' || isInterruption(task))) {
      settled.push(agent);
      continue;
    }
    if (agent.state === 'paused' && task !== undefined && isOpen(task.status)) {
      settled.push(agent);
      continue;
    }
    const due = task === undefined || task.waitingFor === 'quota' ? null : timeoutAt(agent, task);
    const isLate = due !== null && due <= deps.now().getTime();
    if (task !== undefined && isOpen(task.status) && isLate) {
      await endTask(tx, deps, agent, 'TIMEOUT', `The agent did not finish within ${agent.timeoutSeconds} s.`);
    }
    const current = isLate ? await tx.tasks.get(agent.taskId ?? '') : task;
    if (current !== undefined && isOpen(current.status)) {
      if (due !== null) wakeAt = Math.min(wakeAt ?? due, due);
      const isPausedByBudget =
        orchestration.pausedBy === 'budget' && (await tx.sessions.get(current.sessionId))?.pausedBy === 'budget';
      const isTurnOver = isPausedByBudget && current.waitingFor === 'report';
      const patch = { state: 'paused', reason: 'budget' } as const;
      const reason = current.waitingFor === 'quota' ? 'quota' : null;
      if (isTurnOver) settled.push(await changeAgent(tx, agent, patch, 'orchestration.agent_paused'));
      else if (reason !== (agent.reason === 'quota' ? 'quota' : null)) {
        settled.push(await changeAgent(tx, agent, { reason }, 'orchestration.agent_waited'));
      } else settled.push(agent);
      continue;
    }
    const commit = commitOf(agent);
    if (commit === undefined && current?.status === 'completed') {
      wakeAt = deps.now().getTime();
      settled.push(agent);
      continue;
    }
    settled.push(await endAttempt(tx, deps, orchestration, agent, current, commit ?? agent.commit));
  }
  // If the last agent has used up the budget, a person need not raise the budget: the orchestration ends although it is
  // paused.
  const isOver = settled.every(({ state }) => FINAL_AGENT_STATES.includes(state));
  if (orchestration.state !== 'running' && !(orchestration.pausedBy === 'budget' && isOver)) {
    await storeCounts(tx, orchestration, settled);
    return { orchestration, agents: settled, start: [], continue: [], integrates: false, wakeAt };
  }
  const decision = schedule({ ...orchestration, state: 'running' }, settled);
  if (orchestration.budget !== null && decision.end === null) {
    const holder = { kind: 'orchestration', row: orchestration } as const;
    if (await enforce(tx, deps, holder, decision.start.length > 0)) {
      await storeCounts(tx, orchestration, settled);
      const paused = { ...orchestration, state: 'paused', pausedBy: 'budget' } as const;
      return { orchestration: paused, agents: settled, start: [], continue: [], integrates: false, wakeAt };
    }
    const msLeft = untilWallThreshold(orchestration.budget, await useOf(tx, holder, deps.now()));
    if (msLeft !== null) wakeAt = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, deps.now().getTime() + msLeft);
  }
  const agents = await applyDecision(tx, deps, settled, decision);
  await storeCounts(tx, orchestration, agents);
  const integrates = decision.end?.state === 'completed' && mustIntegrate(orchestration, agents);
  const end = integrates || decision.end === null ? null : withIntegration(decision.end, orchestration);
  if (end !== null) await endOrchestration(tx, deps, orchestration, { ...end, notify: true });
  if (integrates) await resumeToIntegrate(tx, deps, orchestration);
  const latest = (await tx.orchestrations.get(orchestrationId)) ?? orchestration;
  const byName = new Map(agents.map((agent) => [agent.agentId, agent]));
  const blockedNow = await blockedSessions(tx, agents, tasks);
  return {
    orchestration: latest,
    agents,
    start: decision.start.flatMap((agentId) => byName.get(agentId) ?? []),
    // An interrupted agent whose session is paused continues only after the session was resumed.
    continue: agents.filter(
      ({ state, sessionId }) => state === 'paused' || (state === 'interrupted' && !blockedNow.has(sessionId ?? '')),
    ),
    integrates: integrates && latest.state === 'running',
    wakeAt,
  };
}

/**
 * Returns how an orchestration ends: `failed` if the branches were not integrated or the check of the target branch
 * failed, even though all agents completed; otherwise `end`.
 */
function withIntegration(
  end: NonNullable<Decision['end']>,
  { integration }: OrchestrationRow,
): NonNullable<Decision['end']> {
  if (end.state === 'failed' || integration === null) return end;
  if (integration.state === 'integrated' && integration.checkPassed !== false) return end;
  const { state, into, errorMessage } = integration;
  const reason =
    state === 'integrated'
      ? `All agents have ended, and their branches were integrated. The check of ${into} failed.`
      : `All agents have ended, but their work was not integrated. ${errorMessage ?? ''}`.trim();
  return { state: 'failed', errorMessage: reason };
}

async function tasksOf(tx: Transaction, agents: readonly OrchestrationAgentRow[]): Promise<Map<string, TaskRow>> {
  const ids = agents.flatMap(({ state, taskId }) =>
    (state === 'running' || state === 'paused') && taskId !== null ? [taskId] : [],
  );
  const tasks = ids.length === 0 ? [] : await tx.tasks.find({ id: ids });
  return new Map(tasks.map((task) => [task.id, task]));
}

/** Whether the task of a paused agent was interrupted. The attempt of the agent then continues later. */
function isInterruption(task: TaskRow | undefined): boolean {
  return task?.status === 'interrupted';
}

/** Whether a task has not been given to its agent yet, for example because it waits behind the prompt of a person. */
function isQueued({ status }: TaskRow): boolean {
  return status === 'queued';
}

/**
 * Returns the sessions of interrupted and paused agents, and of agents with queued tasks, that cannot continue:
 * - `paused`: somebody, or a used-up budget, paused the session.
 * - `gone`: the session is archived, removed or no longer open.
 *
 * The sessions are read, because the `reason` stored with an agent may be outdated: somebody may have resumed its
 * session since.
 */
async function blockedSessions(
  tx: Transaction,
  agents: readonly OrchestrationAgentRow[],
  tasks: ReadonlyMap<string, TaskRow>,
): Promise<Map<string, 'paused' | 'gone'>> {
  const ids = agents.flatMap(({ state, sessionId, taskId }) => {
    const task = tasks.get(taskId ?? '');
    const rests = state === 'interrupted' || state === 'paused' || (task !== undefined && isQueued(task));
    return rests && sessionId !== null ? [sessionId] : [];
  });
  const sessions = ids.length === 0 ? [] : await tx.sessions.find({ id: ids });
  return new Map(
    sessions.flatMap(({ id, mark, pausedBy, archivedAt, removedAt }): [string, 'paused' | 'gone'][] => {
      if (removedAt !== null || archivedAt !== null) return [[id, 'gone']];
      if (mark === 'paused') return pausedBy === 'idle' ? [] : [[id, 'paused']];
      return mark === 'open' ? [] : [[id, 'gone']];
    }),
  );
}

function timeoutAt(agent: OrchestrationAgentRow, task: TaskRow): number {
  // If the task has waited until the limit of the agent's subscription was reset, the timeout begins at that reset.
  return Date.parse(task.waitingUntil ?? task.createdAt) + agent.timeoutSeconds * 1_000;
}

async function endTask(
  tx: Transaction,
  deps: ChangeDeps,
  { taskId }: OrchestrationAgentRow,
  code: 'TIMEOUT' | 'CONFLICT',
  message: string,
): Promise<void> {
  if (taskId === null) return;
  const status = code === 'TIMEOUT' ? 'failed' : 'cancelled';
  await finishTask(tx, deps, taskId, { status, source: 'system', certain: true, error: { code, message } });
}

/** Stores the result of an attempt whose task has ended. A task that no longer exists counts as cancelled. */
async function endAttempt(
  tx: Transaction,
  deps: ChangeDeps,
  orchestration: OrchestrationRow,
  agent: OrchestrationAgentRow,
  task: TaskRow | undefined,
  commit: string | null,
): Promise<OrchestrationAgentRow> {
  const worker =
    task?.outcomeSource === 'exit'
      ? await tx.workers.first({ sessionId: task.sessionId, type: 'agent' }, { order: ['-id'] })
      : undefined;
  const end = attemptEnd(endedTask(task, worker === undefined ? null : exitCodeOf(worker)), agent, orchestration);
  const at = deps.now().toISOString();
  const { state, reason, errorMessage, exitCode } = end;
  await closeAttempt(tx, deps, agent, { state, reason });
  if (end.retry) {
    return changeAgent(tx, agent, { state: 'pending', reason, errorMessage, exitCode }, 'orchestration.agent_retried');
  }
  const isFinal = FINAL_AGENT_STATES.includes(state);
  const result =
    state === 'completed'
      ? { summary: task?.summary ?? null, artifacts: [...new Set([...agent.artifacts, ...(task?.artifacts ?? [])])] }
      : {};
  const patch = { state, reason, errorMessage, exitCode, commit, completedAt: isFinal ? at : null, ...result };
  return changeAgent(tx, agent, patch, `orchestration.agent_${state}`);
}

function endedTask(task: TaskRow | undefined, exitCode: number | null): EndedTask {
  if (task === undefined || isOpen(task.status)) return { ...REMOVED, exitCode };
  const { status, outcomeSource, certain, summary, errorCode, errorMessage } = task;
  const error = errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
  return { status: status as TaskOutcome, outcomeSource, certain, summary, error, exitCode };
}

/** Result of a task whose session was removed. */
const REMOVED = { status: 'cancelled', outcomeSource: 'person', certain: true, summary: null, error: null } as const;

/** Stores which agents are skipped or cancelled. Returns all agents with their new states. */
async function applyDecision(
  tx: Transaction,
  deps: ChangeDeps,
  agents: readonly OrchestrationAgentRow[],
  { skip, cancel }: Pick<Decision, 'skip' | 'cancel'>,
): Promise<OrchestrationAgentRow[]> {
  const completedAt = deps.now().toISOString();
  const skipped = new Map(skip.map(({ agentId, reason }) => [agentId, reason]));
  const cancelled = new Set(cancel);
  const changed: OrchestrationAgentRow[] = [];
  for (const agent of agents) {
    const reason = skipped.get(agent.agentId);
    if (reason !== undefined) {
      changed.push(
        await changeAgent(tx, agent, { state: 'skipped', reason, completedAt }, 'orchestration.agent_skipped'),
      );
    } else if (cancelled.has(agent.agentId)) {
      await endTask(tx, deps, agent, 'CONFLICT', 'Another agent failed, which ends this orchestration.');
      const patch = { state: 'cancelled', reason: 'fail_fast', completedAt } as const;
      await closeAttempt(tx, deps, agent, patch);
      changed.push(await changeAgent(tx, agent, patch, 'orchestration.agent_cancelled'));
    } else changed.push(agent);
  }
  return changed;
}
