/** An agent and the agents that it depends on. Dependencies outside a list of nodes are ignored. */
export interface AgentNode {
  agentId: string;
  dependencies: readonly string[];
}

/**
 * Sorts agents into levels: an agent's level comes directly after the latest level of its dependencies. `rest` are the
 * agents that are part of a cycle or depend on one. Order within a level is the order of the list.
 */
export function levelsOf<T extends AgentNode>(agents: readonly T[]): { levels: T[][]; rest: T[] } {
  const missing = new Map(agents.map((agent) => [agent.agentId, 0]));
  const successors = new Map<string, T[]>();
  for (const agent of agents) {
    for (const dependency of agent.dependencies) {
      if (!missing.has(dependency)) continue;
      missing.set(agent.agentId, (missing.get(agent.agentId) ?? 0) + 1);
      const known = successors.get(dependency);
      if (known === undefined) successors.set(dependency, [agent]);
      else known.push(agent);
    }
  }
  const levelByName = new Map<string, number>();
  const queue = agents.filter((agent) => missing.get(agent.agentId) === 0);
  for (const agent of queue) levelByName.set(agent.agentId, 0);
  for (const agent of queue) {
    const next = (levelByName.get(agent.agentId) ?? 0) + 1;
    for (const successor of successors.get(agent.agentId) ?? []) {
      const left = (missing.get(successor.agentId) ?? 0) - 1;
      missing.set(successor.agentId, left);
      if (left > 0) continue;
      levelByName.set(successor.agentId, next);
      queue.push(successor);
    }
  }
  const levels: T[][] = [];
  const rest: T[] = [];
  for (const agent of agents) {
    const level = levelByName.get(agent.agentId);
    if (level === undefined) rest.push(agent);
    else {
      while (levels.length <= level) levels.push([]);
      levels[level]?.push(agent);
    }
  }
  return { levels, rest };
}

/**
 * Returns the order in which agents run one at a time: always the first one of the list whose dependencies have run.
 */
export function oneByOne<T extends AgentNode>(agents: readonly T[]): T[] {
  const waiting = new Map(agents.map((agent) => [agent.agentId, agent]));
  const order: T[] = [];
  for (let next = firstReady(waiting); next !== undefined; next = firstReady(waiting)) {
    waiting.delete(next.agentId);
    order.push(next);
  }
  return order;
}

function firstReady<T extends AgentNode>(waiting: ReadonlyMap<string, T>): T | undefined {
  for (const agent of waiting.values()) {
    if (!agent.dependencies.some((dependency) => waiting.has(dependency))) return agent;
  }
  return undefined;
}
