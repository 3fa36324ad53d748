import type {
  FailurePolicy,
  OrchestrationAgentState,
  OrchestrationState,
  OrchestrationStrategy,
} from '@agent-console/shared/models/orchestration';
import { FINAL_AGENT_STATES } from './states.ts';

/** An agent as stored. */
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

/** The orchestration as stored. */
export interface ScheduledOrchestration {
  state: OrchestrationState;
  strategy: OrchestrationStrategy;
  onFailure: FailurePolicy;
  maxConcurrent: number | null;
  roleLimits: Readonly<Record<string, number>>;
}

/** Why an agent can never run. */
type SkipReason = 'upstream_failed' | 'upstream_cancelled' | 'fail_fast';

/** What to do now. All of it is applied in one transaction. */
export interface Decision {
  /** Agents to start, in this order, at most as many as the strategy and the limits allow. */
  start: string[];
  /** Agents that can never run. */
  skip: { agentId: string; reason: SkipReason }[];
  /** Running, paused and interrupted agents to cancel because of `fail_fast`. */
  cancel: string[];
  /**
   * Agents that are ready and must wait. The reason does not change while a limit stays reached, so that storing it is
   * not one write per waiting agent and event.
   */
  waiting: { agentId: string; reason: string }[];
  /** Set if the run is over once the skips and cancellations are applied. `errorMessage` names the agents. */
  end: { state: 'completed' | 'failed'; errorMessage: string | null } | null;
}

/** Agents named per state in the error message of an orchestration. */
const NAMED_AGENTS = 10;

/**
 * Chooses what an orchestration does next. Depends only on the stored state, so that it can be called after every event
 * and after a crash.
 * @param agents in creation order. A dependency that is not in this list counts as completed: completed agents can be
 * left out. An agent that is to be tried again must already be `pending`.
 */
export function schedule(orchestration: ScheduledOrchestration, agents: readonly ScheduledAgent[]): Decision {
  const decision: Decision = { start: [], skip: [], cancel: [], waiting: [], end: null };
  if (orchestration.state !== 'running') return decision;
  const isAborted = orchestration.onFailure === 'fail_fast' && agents.some(hasFailed);
  const skipReason = skipReasons(orchestration.strategy, agents);
  const open: ScheduledAgent[] = [];
  for (const agent of agents) {
    if (FINAL_AGENT_STATES.includes(agent.state)) continue;
    const reason = agent.state === 'pending' ? (skipReason(agent) ?? (isAborted ? 'fail_fast' : null)) : null;
    if (reason !== null) decision.skip.push({ agentId: agent.agentId, reason });
    else if (isAborted) decision.cancel.push(agent.agentId);
    else open.push(agent);
  }
  if (open.length === 0) decision.end = endOf(agents, decision);
  else distribute(orchestration, readyAgents(orchestration.strategy, agents, open), open, decision);
  return decision;
}

/** Whether an agent's failure counts. */
function hasFailed({ state, allowFailure }: ScheduledAgent): boolean {
  return state === 'failed' && !allowFailure;
}

/** Whether the agents that depend on this one may run. A skipped agent always blocks them, since it did nothing. */
function isSatisfied({ state, allowFailure }: ScheduledAgent): boolean {
  return state === 'completed' || ((state === 'failed' || state === 'cancelled') && allowFailure);
}

/** Why the agents after a final agent are skipped; null if it does not block them. */
function blockOf(agent: ScheduledAgent): SkipReason | null {
  if (!FINAL_AGENT_STATES.includes(agent.state) || isSatisfied(agent)) return null;
  const isCancelled = agent.state === 'cancelled' || agent.reason === 'upstream_cancelled';
  return isCancelled ? 'upstream_cancelled' : 'upstream_failed';
}

/**
 * Returns a function from a pending agent to the reason why it can never run, or null. An agent behind both a failed
 * and a cancelled one is skipped because of the failure.
 */
function skipReasons(
  strategy: OrchestrationStrategy,
  agents: readonly ScheduledAgent[],
): (agent: ScheduledAgent) => SkipReason | null {
  const behind = (reason: SkipReason): ((agent: ScheduledAgent) => boolean) => {
    const blockers = agents.filter((agent) => blockOf(agent) === reason);
    if (blockers.length === 0) return () => false;
    const blocked = pendingBehind(blockers, agents);
    const stage =
      strategy === 'pipeline' ? Math.min(...blockers.map((agent) => agent.stage)) : Number.POSITIVE_INFINITY;
    return (agent) => blocked.has(agent.agentId) || agent.stage > stage;
  };
  const isBehindFailure = behind('upstream_failed');
  const isBehindCancelled = behind('upstream_cancelled');
  return (agent) => {
    if (isBehindFailure(agent)) return 'upstream_failed';
    return isBehindCancelled(agent) ? 'upstream_cancelled' : null;
  };
}

/** Returns the names of the pending agents that depend on one of these, directly or not. */
function pendingBehind(blockers: readonly ScheduledAgent[], agents: readonly ScheduledAgent[]): Set<string> {
  const successors = new Map<string, string[]>();
  for (const { agentId, state, dependencies } of agents) {
    if (state !== 'pending') continue;
    for (const dependency of dependencies) {
      const known = successors.get(dependency);
      if (known === undefined) successors.set(dependency, [agentId]);
      else known.push(agentId);
    }
  }
  const behind = new Set<string>();
  const queue = blockers.map((agent) => agent.agentId);
  for (const agentId of queue) {
    for (const successor of successors.get(agentId) ?? []) {
      if (behind.has(successor)) continue;
      behind.add(successor);
      queue.push(successor);
    }
  }
  return behind;
}

/** Returns the pending agents that nothing but a limit can hold back. `open` are the agents that are not final. */
function readyAgents(
  strategy: OrchestrationStrategy,
  agents: readonly ScheduledAgent[],
  open: readonly ScheduledAgent[],
): ScheduledAgent[] {
  const unsatisfied = new Set<string>();
  for (const agent of agents) if (!isSatisfied(agent)) unsatisfied.add(agent.agentId);
  const stage = strategy === 'pipeline' ? Math.min(...open.map((agent) => agent.stage)) : Number.POSITIVE_INFINITY;
  return open.filter(
    (agent) =>
      agent.state === 'pending' &&
      agent.stage <= stage &&
      !agent.dependencies.some((dependency) => unsatisfied.has(dependency)),
  );
}

/** Divides the ready agents, in creation order, into those that start and those for which a limit leaves no place. */
function distribute(
  { strategy, maxConcurrent, roleLimits }: ScheduledOrchestration,
  ready: readonly ScheduledAgent[],
  open: readonly ScheduledAgent[],
  decision: Decision,
): void {
  // Paused and interrupted agents occupy a place, because they are going to be continued.
  const active = open.filter((agent) => agent.state !== 'pending');
  const activeByRole = new Map<string, number>();
  const add = (role: string) => activeByRole.set(role, (activeByRole.get(role) ?? 0) + 1);
  for (const agent of active) add(agent.role);
  let activeCount = active.length;
  const limit = strategy === 'sequential' ? 1 : (maxConcurrent ?? Number.POSITIVE_INFINITY);
  for (const { agentId, role } of ready) {
    const roleLimit = Object.hasOwn(roleLimits, role) ? (roleLimits[role] ?? null) : null;
    if (activeCount >= limit) {
      decision.waiting.push({ agentId, reason: strategy === 'sequential' ? ONE_AT_A_TIME : reached(limit) });
    } else if (roleLimit !== null && (activeByRole.get(role) ?? 0) >= roleLimit) {
      decision.waiting.push({ agentId, reason: roleReached(roleLimit, role) });
    } else {
      decision.start.push(agentId);
      activeCount += 1;
      add(role);
    }
  }
}

const ONE_AT_A_TIME = 'another agent runs, and the strategy sequential runs one at a time';

function reached(limit: number): string {
  return limit === 1 ? 'another agent already runs (maxConcurrent)' : `${limit} agents already run (maxConcurrent)`;
}

function roleReached(limit: number, role: string): string {
  const agents = limit === 1 ? 'another agent' : `${limit} agents`;
  return `${agents} of the role ${role} already ${limit === 1 ? 'runs' : 'run'} (roleLimits)`;
}

/** Returns how the run ended, if all agents are final after the skips and cancellations of a decision. */
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
