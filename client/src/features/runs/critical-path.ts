import type { OrchestrationAgent, OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';
import { inOrder, type PlanAgent } from './plan.ts';

type TimedAgent = PlanAgent & Pick<OrchestrationAgent, 'state' | 'startedAt' | 'completedAt'>;

/** Duration assumed for each waiting agent while no agent of the run has ended, so that there is no average yet. */
const UNKNOWN_MS = 1;

/**
 * Returns the longest chain of agents by time, first to last. In a chain, each agent waits for the agent before it. The
 * longest chain decides when the run ends. An agent that has not ended counts with the average duration of ended
 * agents, or with its own time so far if that is longer. Empty if no agent waits for another.
 * @param now milliseconds since the epoch
 */
export function criticalPath(
  strategy: OrchestrationStrategy,
  agents: readonly TimedAgent[],
  now: number,
): readonly string[] {
  if (strategy === 'parallel') return [];
  const average = averageMs(agents);
  const ends = new Map<string, { at: number; before: string | undefined }>();
  let last: string | undefined;
  /**
   * Agents also wait for others without naming them: in a pipeline, for all earlier stages; in a sequence, for all
   * earlier agents. `barrier` is the agent that ends last among those that the next agent waits for in this way.
   */
  let barrier: string | undefined;
  let stage: number | undefined;
  const endOf = (id: string | undefined) => (id === undefined ? 0 : (ends.get(id)?.at ?? 0));
  for (const agent of inOrder(strategy, agents)) {
    if (strategy === 'pipeline' && agent.stage !== stage) {
      stage = agent.stage;
      barrier = last;
    }
    if (strategy === 'sequential') barrier = last;
    const predecessors = strategy === 'sequential' ? [] : agent.dependencies.filter((id) => ends.has(id));
    const before = predecessors.reduce((latest, id) => (endOf(id) > endOf(latest) ? id : latest), barrier);
    ends.set(agent.agentId, { at: endOf(before) + durationMs(agent, average, now), before });
    if (last === undefined || endOf(agent.agentId) > endOf(last)) last = agent.agentId;
  }
  const path: string[] = [];
  for (let id = last; id !== undefined; id = ends.get(id)?.before) path.unshift(id);
  return path.length > 1 ? path : [];
}

function durationMs({ state, startedAt, completedAt }: TimedAgent, average: number, now: number): number {
  if (state === 'skipped' || (isFinal(state) && startedAt === null)) return 0;
  if (startedAt === null) return average;
  if (completedAt !== null) return Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));
  return Math.max(average, now - Date.parse(startedAt));
}

function averageMs(agents: readonly TimedAgent[]): number {
  const ended = agents.flatMap(({ startedAt, completedAt }) =>
    startedAt === null || completedAt === null ? [] : [Date.parse(completedAt) - Date.parse(startedAt)],
  );
  if (ended.length === 0) return UNKNOWN_MS;
  return Math.max(UNKNOWN_MS, ended.reduce((sum, each) => sum + each, 0) / ended.length);
}
