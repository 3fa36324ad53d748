import { isDeepStrictEqual } from 'node:util';
import type { Decision, ScheduledAgent, ScheduledOrchestration } from '../../../src/domain/orchestration/schedule.ts';

const ACTIVE = ['running', 'paused', 'interrupted'];
const NOTHING: Decision = { start: [], skip: [], cancel: [], waiting: [], end: null };

/**
 * Fails the test with the name of the rule if `isTrue` is false. `expect` would take longer than the rules under test.
 */
export function must(isTrue: boolean, rule: string): void {
  if (!isTrue) throw new Error(rule);
}

export function mustEqual(actual: unknown, expected: unknown, rule: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${rule}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** Checks a decision of the scheduler against the simplest form of the rules, without regard to speed. */
export function checkDecision(
  orchestration: ScheduledOrchestration,
  agents: readonly ScheduledAgent[],
  decision: Decision,
): void {
  if (orchestration.state !== 'running') {
    mustEqual(decision, NOTHING, 'only a running orchestration does something');
    return;
  }
  const { strategy, onFailure } = orchestration;
  const isAborted =
    onFailure === 'fail_fast' && agents.some((agent) => agent.state === 'failed' && !agent.allowFailure);
  const blocked = blockedAgents(strategy, agents);
  const skipped = agents.filter((agent) => agent.state === 'pending' && (isAborted || blocked.has(agent.agentId)));
  const active = agents.filter((agent) => ACTIVE.includes(agent.state));
  mustEqual(namesOf(decision.skip), namesOf(skipped), 'agents that can never run are skipped');
  mustEqual(decision.cancel, isAborted ? namesOf(active) : [], 'fail_fast cancels all others');

  const ready = agents.filter(
    (agent) =>
      agent.state === 'pending' &&
      !skipped.includes(agent) &&
      agents.every((other) => !comesBefore(strategy, other, agent) || isDone(other)),
  );
  checkLimits(orchestration, active, ready, decision);

  const isOver =
    isAborted || agents.every((agent) => !['pending', ...ACTIVE].includes(agent.state) || skipped.includes(agent));
  const isSuccess = agents.every(isDone);
  const end = isSuccess ? 'completed' : 'failed';
  mustEqual(decision.end?.state ?? null, isOver ? end : null, 'it ends when no agent is left');
  if (decision.end !== null) mustEqual(decision.end.errorMessage === null, isSuccess, 'a failure has a message');
}

/**
 * Checks that ready agents start in creation order and within the limits, and that an agent waits only because of a
 * limit.
 */
function checkLimits(
  { strategy, maxConcurrent, roleLimits }: ScheduledOrchestration,
  active: readonly ScheduledAgent[],
  ready: readonly ScheduledAgent[],
  decision: Decision,
): void {
  const starting = ready.filter(({ agentId }) => decision.start.includes(agentId));
  const waiting = ready.filter((agent) => !starting.includes(agent));
  mustEqual(decision.start, namesOf(starting), 'only ready agents start');
  mustEqual(namesOf(decision.waiting), namesOf(waiting), 'other ready agents wait');
  const after = [...active, ...starting];
  const limit = strategy === 'sequential' ? 1 : (maxConcurrent ?? Number.POSITIVE_INFINITY);
  const limits = new Map(Object.entries(roleLimits));
  const hasRoom = (role: string, count: number) =>
    after.length + count <= limit &&
    after.filter((agent) => agent.role === role).length + count <= (limits.get(role) ?? Number.POSITIVE_INFINITY);
  for (const { role } of after) must(hasRoom(role, 0), 'limits are never exceeded');
  for (const { role } of waiting) must(!hasRoom(role, 1), 'agents wait only for a limit');
}

function namesOf(agents: readonly { agentId: string }[]): string[] {
  return agents.map(({ agentId }) => agentId);
}

function comesBefore(strategy: string, other: ScheduledAgent, agent: ScheduledAgent): boolean {
  return agent.dependencies.includes(other.agentId) || (strategy === 'pipeline' && other.stage < agent.stage);
}

function isDone({ state, allowFailure }: ScheduledAgent): boolean {
  return state === 'completed' || (allowFailure && (state === 'failed' || state === 'cancelled'));
}

/**
 * Returns the names of the agents that can no longer succeed: agents that ended without success, and pending agents
 * that wait for them, directly or indirectly.
 */
function blockedAgents(strategy: string, agents: readonly ScheduledAgent[]): Set<string> {
  const isFinal = ({ state }: ScheduledAgent) => state !== 'pending' && !ACTIVE.includes(state);
  const blocked = new Set(agents.filter((agent) => isFinal(agent) && !isDone(agent)).map(({ agentId }) => agentId));
  for (let size = -1; size !== blocked.size; ) {
    size = blocked.size;
    for (const agent of agents) {
      if (agent.state !== 'pending') continue;
      if (agents.some((other) => blocked.has(other.agentId) && comesBefore(strategy, other, agent))) {
        blocked.add(agent.agentId);
      }
    }
  }
  return blocked;
}
