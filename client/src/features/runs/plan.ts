import type { OrchestrationAgent, OrchestrationStrategy } from '@agent-console/shared/models/orchestration';

/** Fields of an agent that determine its position in the plan. */
export type PlanAgent = Pick<OrchestrationAgent, 'agentId' | 'dependencies' | 'stage'>;

/**
 * Returns the agents sorted so that each agent follows its dependencies and, in a pipeline, the agents of all earlier
 * stages. Parallel and sequential runs keep the given order.
 */
export function inOrder<A extends PlanAgent>(strategy: OrchestrationStrategy, agents: readonly A[]): A[] {
  if (strategy === 'sequential' || strategy === 'parallel') return [...agents];
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
  const given = strategy === 'pipeline' ? agents.toSorted((a, b) => a.stage - b.stage) : agents;
  const missing = new Map<string, number>();
  const successors = new Map<string, A[]>();
  for (const agent of given) {
    const known = agent.dependencies.filter((id) => byId.has(id));
    missing.set(agent.agentId, known.length);
    for (const id of known) successors.set(id, [...(successors.get(id) ?? []), agent]);
  }
  const order = given.filter(({ agentId }) => missing.get(agentId) === 0);
  for (const { agentId } of order) {
    for (const successor of successors.get(agentId) ?? []) {
      const left = (missing.get(successor.agentId) ?? 0) - 1;
      missing.set(successor.agentId, left);
      if (left === 0) order.push(successor);
    }
  }
  return strategy === 'pipeline' ? order.toSorted((a, b) => a.stage - b.stage) : order;
}

/**
 * Returns the column of each agent: 0 if the agent can start at once, otherwise one more than the highest column of the
 * agents that it waits for. Each stage of a pipeline begins a new column.
 */
export function columnsOf(strategy: OrchestrationStrategy, agents: readonly PlanAgent[]): Map<string, number> {
  const columns = new Map<string, number>();
  let stage = Number.NEGATIVE_INFINITY;
  let first = 0;
  let next = 0;
  for (const agent of inOrder(strategy, agents)) {
    if (strategy === 'pipeline' && agent.stage !== stage) {
      stage = agent.stage;
      first = next;
    }
    const after = strategy === 'parallel' ? [] : agent.dependencies.map((id) => (columns.get(id) ?? -1) + 1);
    const column = strategy === 'sequential' ? next : Math.max(first, ...after);
    columns.set(agent.agentId, column);
    next = Math.max(next, column + 1);
  }
  return columns;
}

/**
 * Returns the links between agents: from each dependency to the agent that waits for it or, in a sequential run, from
 * each agent to the next. A parallel run has no links.
 */
export function linksOf(strategy: OrchestrationStrategy, agents: readonly PlanAgent[]): { from: string; to: string }[] {
  if (strategy === 'parallel') return [];
  const known = new Set(agents.map(({ agentId }) => agentId));
  const links = agents.flatMap(({ agentId, dependencies }) =>
    dependencies.filter((id) => known.has(id)).map((id) => ({ from: id, to: agentId })),
  );
  if (strategy !== 'sequential') return links;
  return agents.flatMap(({ agentId }, index) => {
    const before = agents[index - 1];
    return before === undefined ? [] : [{ from: before.agentId, to: agentId }];
  });
}
