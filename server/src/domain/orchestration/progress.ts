import { SECOND } from '@agent-console/shared/limits/units';
import type {
  OrchestrationAgentState,
  OrchestrationState,
  OrchestrationStrategy,
  RoleStats,
} from '@agent-console/shared/models/orchestration';
import { wavesOf } from './plan.ts';
import { FINAL_AGENT_STATES } from './states.ts';

/** Returns the number of agents in each state by role. The states of a role add up to its total. */
export function roleDistribution(
  agents: readonly { role: string; state: OrchestrationAgentState }[],
): Record<string, RoleStats> {
  const byRole = new Map<string, RoleStats>();
  for (const { role, state } of agents) {
    const stats = byRole.get(role) ?? noAgents();
    stats.total += 1;
    stats[state] += 1;
    byRole.set(role, stats);
  }
  return Object.fromEntries(byRole);
}

function noAgents(): RoleStats {
  return {
    total: 0,
    pending: 0,
    running: 0,
    paused: 0,
    interrupted: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    skipped: 0,
  };
}

/**
 * Returns the completed fraction: an agent in a final state counts fully, a started agent by the progress that it
 * reported. Returns 1 if there are no agents.
 * @param floor largest value since the start, or since a caller last retried or added agents. The result is never
 * smaller, even if an agent reports less progress or is restarted.
 */
export function progressOf(
  agents: readonly { state: OrchestrationAgentState; progress: number | null }[],
  floor: number,
): number {
  if (agents.length === 0) return 1;
  let done = 0;
  for (const { state, progress } of agents) {
    if (FINAL_AGENT_STATES.includes(state)) done += 1;
    else if (state !== 'pending') done += progress ?? 0;
  }
  return Math.max(done / agents.length, floor);
}

/** An agent with the times of its first start and of its end. */
export interface TimedAgent {
  agentId: string;
  state: OrchestrationAgentState;
  dependencies: readonly string[];
  stage: number;
  startedAt: string | null;
  completedAt: string | null;
}

/**
 * Estimates when an orchestration ends. Its unfinished agents are divided into groups of at most `maxConcurrent` agents
 * that can run at the same time. Each group adds the mean duration of the completed and failed agents to the current
 * time. Returns null if the orchestration is not running, if no agent has completed or failed yet, or if all agents
 * have ended.
 */
export function estimateEnd(
  orchestration: { state: OrchestrationState; strategy: OrchestrationStrategy; maxConcurrent: number | null },
  agents: readonly TimedAgent[],
  now: Date,
): string | null {
  if (orchestration.state !== 'running') return null;
  const durations = agents.map(durationOf).filter((duration) => duration !== null);
  const unfinished = agents.filter((agent) => !FINAL_AGENT_STATES.includes(agent.state));
  if (durations.length === 0 || unfinished.length === 0) return null;
  const mean = durations.reduce((sum, duration) => sum + duration, 0) / durations.length;
  const size = orchestration.maxConcurrent ?? Number.POSITIVE_INFINITY;
  const rounds = wavesOf(orchestration.strategy, unfinished)
    .map((wave) => Math.ceil(wave.length / size) || 1)
    .reduce((sum, count) => sum + count, 0);
  return new Date(now.getTime() + Math.max(mean, SECOND) * rounds).toISOString();
}

function durationOf({ state, startedAt, completedAt }: TimedAgent): number | null {
  if ((state !== 'completed' && state !== 'failed') || startedAt === null || completedAt === null) return null;
  return Math.max(Date.parse(completedAt) - Date.parse(startedAt), 0);
}
