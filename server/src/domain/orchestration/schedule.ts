import type {
  FailurePolicy,
  OrchestrationAgentState,
  OrchestrationState,
  OrchestrationStrategy,
} from '@agent-console/shared/models/orchestration';
import { FINAL_AGENT_STATES } from './states.ts';

/** The stored fields of an agent that determine whether the agent can run. */
export interface ScheduledAgent {
  agentId: string;
  role: string;
  state: OrchestrationAgentState;
  dependencies: readonly string[];
  stage: number;
  allowFailure: boolean;
  attempt: number;
  maxAttempts: number;
  reason: string | null;
}

/** The stored fields of an orchestration that determine which of its agents may run. */
export interface ScheduledOrchestration {
  state: OrchestrationState;
  strategy: OrchestrationStrategy;
  onFailure: FailurePolicy;
  maxConcurrent: number | null;
  roleLimits: Readonly<Record<string, number>>;
}

type SkipReason = 'upstream_failed' | 'upstream_cancelled' | 'fail_fast';

/** Next step of an orchestration. The console stores all of its changes in one transaction. */
export interface Decision {
  /** Agents to start, in this order, at most as many as the strategy and the limits allow. */
  start: string[];
  /** Agents that can never run. */
  skip: { agentId: string; reason: SkipReason }[];
  /** Running, paused and interrupted agents to cancel, because an agent failed and `onFailure` is `fail_fast`. */
  cancel: string[];
  /**
   * Agents that are ready but wait because of a limit. The reason must stay the same while the limit is reached,
   * because each new reason is stored for each waiting agent.
   */
  waiting: { agentId: string; reason: string }[];
  /**
   * How the orchestration ends if all agents are final after `skip` and `cancel`, otherwise null. `errorMessage` names
   * the failed, skipped and cancelled agents.
   */
  end: { state: 'completed' | 'failed'; errorMessage: string | null } | null;
}

/** Maximum number of agents named for each state in the error message of an orchestration. */
const NAMED_AGENTS = 10;

/**
 * Returns the next step of an orchestration. It depends only on the stored state, so this function can be called after
 * every event and after a crash.
 * @param agents in creation order. Completed agents may be left out: a dependency that is not in this list counts as
 * completed. An agent to be retried must already be `pending`.
 */
export function schedule(orchestration: ScheduledOrchestration, agents: readonly ScheduledAgent[]): Decision {
  const decision: Decision = { start: [], skip: [], cancel: [], waiting: [], end: null };
  if (orchestration.state !== 'running') return decision;
  const isAborted = orchestration.onFailure === 'fail_fast' && agents.some(hasFailed);
  const upstreamOf = upstreams(orchestration.strategy, agents);
  const open: ScheduledAgent[] = [];
  const ready: ScheduledAgent[] = [];
  for (const agent of agents) {
    if (FINAL_AGENT_STATES.includes(agent.state)) continue;
    const isPending = agent.state === 'pending';
    const upstream = isPending ? upstreamOf(agent) : 'open';
    if (upstream === 'upstream_failed' || upstream === 'upstream_cancelled') {
      decision.skip.push({ agentId: agent.agentId, reason: upstream });
    } else if (isAborted) {
      if (isPending) decision.skip.push({ agentId: agent.agentId, reason: 'fail_fast' });
      else decision.cancel.push(agent.agentId);
    } else {
      open.push(agent);
      if (upstream === 'done') ready.push(agent);
    }
  }
  if (open.length === 0) decision.end = endOf(agents, decision);
  else distribute(orchestration, inFirstStage(orchestration.strategy, ready, open), open, decision);
  return decision;
}

/** Whether an agent without `allowFailure` has failed. */
export function hasFailed({ state, allowFailure }: ScheduledAgent): boolean {
  return state === 'failed' && !allowFailure;
}

/**
 * Effect of an agent on the agents that run after it: `done` lets them run, `open` makes them wait, and the other
 * values are the reasons why they can never run.
 */
type Upstream = 'done' | 'open' | 'upstream_cancelled' | 'upstream_failed';

/** Ranks of the effects. If an agent runs after several agents, only the effect with the highest rank applies. */
const RANK: Record<Upstream, number> = { done: 0, open: 1, upstream_cancelled: 2, upstream_failed: 3 };

/**
 * Returns the effect that an agent has on the agents that run after it. A pending agent counts as `open` here;
 * `effectOfPending` also considers its dependencies. The agents after a skipped agent can never run, because the
 * skipped agent did no work.
 */
function effectOf({ state, allowFailure, reason }: ScheduledAgent): Upstream {
  switch (state) {
    case 'completed':
      return 'done';
    case 'failed':
      return allowFailure ? 'done' : 'upstream_failed';
    case 'cancelled':
      return allowFailure ? 'done' : 'upstream_cancelled';
    case 'skipped':
      return reason === 'upstream_cancelled' ? 'upstream_cancelled' : 'upstream_failed';
    default:
      return 'open';
  }
}

/**
 * Returns a function that combines the effects of all agents that run before a pending agent. Results are cached, so
 * that each dependency is visited once.
 */
function upstreams(
  strategy: OrchestrationStrategy,
  agents: readonly ScheduledAgent[],
): (agent: ScheduledAgent) => Upstream {
  const byName = new Map(agents.map((agent) => [agent.agentId, agent]));
  const earlierStages = strategy === 'pipeline' ? blockedStages(agents) : null;
  const known = new Map<string, Upstream>();
  const worstRank = agents.reduce((rank, agent) => Math.max(rank, RANK[effectOf(agent)]), RANK.open);

  function upstreamOf(agent: ScheduledAgent): Upstream {
    const found = known.get(agent.agentId);
    if (found !== undefined) return found;
    let worst: Upstream = earlierStages?.(agent.stage) ?? 'done';
    for (const name of agent.dependencies) {
      if (RANK[worst] === worstRank) break;
      const dependency = byName.get(name);
      if (dependency === undefined) continue;
      const upstream = dependency.state === 'pending' ? effectOfPending(dependency) : effectOf(dependency);
      if (RANK[upstream] > RANK[worst]) worst = upstream;
    }
    known.set(agent.agentId, worst);
    return worst;
  }

  function effectOfPending(agent: ScheduledAgent): Upstream {
    const upstream = upstreamOf(agent);
    return upstream === 'done' ? 'open' : upstream;
  }

  return upstreamOf;
}

/**
 * Returns a function that tells whether a failed, cancelled or skipped agent in an earlier stage prevents a stage from
 * ever running. Agents that are still open are ignored.
 */
function blockedStages(agents: readonly ScheduledAgent[]): (stage: number) => Upstream {
  const first = { done: Infinity, open: Infinity, upstream_cancelled: Infinity, upstream_failed: Infinity };
  for (const agent of agents) {
    const upstream = effectOf(agent);
    first[upstream] = Math.min(first[upstream], agent.stage);
  }
  return (stage) => {
    if (stage > first.upstream_failed) return 'upstream_failed';
    return stage > first.upstream_cancelled ? 'upstream_cancelled' : 'done';
  };
}

/**
 * Returns the ready agents that may run. In a pipeline, these are the agents of the first stage that has not ended.
 * `open` contains all agents that are not final.
 */
function inFirstStage(
  strategy: OrchestrationStrategy,
  ready: readonly ScheduledAgent[],
  open: readonly ScheduledAgent[],
): readonly ScheduledAgent[] {
  if (strategy !== 'pipeline') return ready;
  const stage = open.reduce((first, agent) => Math.min(first, agent.stage), Number.POSITIVE_INFINITY);
  return ready.filter((agent) => agent.stage === stage);
}

/** Divides the ready agents, in creation order, into agents to start and agents that must wait because of a limit. */
function distribute(
  { strategy, maxConcurrent, roleLimits }: ScheduledOrchestration,
  ready: readonly ScheduledAgent[],
  open: readonly ScheduledAgent[],
  decision: Decision,
): void {
  const limit = strategy === 'sequential' ? 1 : (maxConcurrent ?? Number.POSITIVE_INFINITY);
  const roleLimitOf = (role: string) =>
    (Object.hasOwn(roleLimits, role) ? roleLimits[role] : undefined) ?? Number.POSITIVE_INFINITY;
  let active = 0;
  const activeByRole = new Map<string, number>();
  const activeIn = (role: string) => activeByRole.get(role) ?? 0;
  const add = ({ role }: ScheduledAgent) => {
    active += 1;
    activeByRole.set(role, activeIn(role) + 1);
  };
  // Paused and interrupted agents run again later. So they count towards the limits, as running agents do.
  for (const agent of open) if (agent.state !== 'pending') add(agent);
  const left: ScheduledAgent[] = [];
  for (const agent of ready) {
    if (active >= limit || activeIn(agent.role) >= roleLimitOf(agent.role)) left.push(agent);
    else {
      add(agent);
      decision.start.push(agent.agentId);
    }
  }
  // Agents to start already count as running in these reasons. So the reasons stay the same in the next decision, when
  // these agents run.
  const reached = strategy === 'sequential' ? ONE_AT_A_TIME : maxConcurrentReached(limit);
  for (const { agentId, role } of left) {
    const reason = active >= limit ? reached : roleLimitReached(roleLimitOf(role), role);
    decision.waiting.push({ agentId, reason });
  }
}

const ONE_AT_A_TIME = 'another agent is running, and the strategy sequential runs one agent at a time';

function maxConcurrentReached(limit: number): string {
  return limit === 1
    ? 'another agent already runs (limit maxConcurrent)'
    : `${limit} agents already run (limit maxConcurrent)`;
}

function roleLimitReached(limit: number, role: string): string {
  const agents = limit === 1 ? 'another agent' : `${limit} agents`;
  return `${agents} of the role ${role} already ${limit === 1 ? 'runs' : 'run'} (limit roleLimits)`;
}

/** Returns how the orchestration ends. After the skips and cancellations of `decision`, all agents must be final. */
function endOf(agents: readonly ScheduledAgent[], decision: Decision): Decision['end'] {
  const skipped = new Set(decision.skip.map((skip) => skip.agentId));
  const cancelled = new Set(decision.cancel);
  const names = (isListed: (agent: ScheduledAgent) => boolean) => agents.filter(isListed).map((agent) => agent.agentId);
  const parts = [
    listed('Failed', names(hasFailed)),
    listed(
      'Skipped',
      names(({ agentId, state }) => state === 'skipped' || skipped.has(agentId)),
    ),
    listed(
      'Cancelled',
      names(({ agentId, state, allowFailure }) => (state === 'cancelled' && !allowFailure) || cancelled.has(agentId)),
    ),
  ].filter((part) => part !== '');
  if (parts.length === 0) return { state: 'completed', errorMessage: null };
  return { state: 'failed', errorMessage: parts.join(' ') };
}

function listed(heading: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > NAMED_AGENTS ? ` and ${names.length - NAMED_AGENTS} more` : '';
  return `${heading}: ${names.slice(0, NAMED_AGENTS).join(', ')}${more}.`;
}
