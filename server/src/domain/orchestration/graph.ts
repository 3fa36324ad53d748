/** An agent and the agents that it depends on. Dependencies on agents that are not in the given list are ignored. */
export interface AgentNode {
  agentId: string;
  dependencies: readonly string[];
}

interface Edges {
  /** For each agent, by position: the positions of the agents that depend on it. */
  successors: number[][];
  /** For each agent, by position: the number of its dependencies that `release` has not removed yet. */
  counts: number[];
}

function edgesOf(agents: readonly AgentNode[]): Edges {
  const positions = new Map(agents.map((agent, position) => [agent.agentId, position]));
  const successors: number[][] = agents.map(() => []);
  const counts = agents.map(({ dependencies }, position) => {
    let count = 0;
    for (const dependency of dependencies) {
      const dependencyPosition = positions.get(dependency);
      if (dependencyPosition === undefined) continue;
      successors[dependencyPosition]?.push(position);
      count += 1;
    }
    return count;
  });
  return { successors, counts };
}

/**
 * Removes an agent from the graph. Returns the positions of the dependent agents that then have no dependencies left.
 */
function release({ successors, counts }: Edges, position: number): number[] {
  return (successors[position] ?? []).filter((successor) => {
    const remaining = (counts[successor] ?? 0) - 1;
    counts[successor] = remaining;
    return remaining === 0;
  });
}

/**
 * Sorts agents into levels: an agent's level comes directly after the latest level of its dependencies. `rest` contains
 * the agents that are in a cycle or depend on an agent in a cycle. Within a level, agents keep the order of the list.
 */
export function levelsOf<T extends AgentNode>(agents: readonly T[]): { levels: T[][]; rest: T[] } {
  const edges = edgesOf(agents);
  const levels: T[][] = [];
  const sorted = new Set<T>();
  let positions = [...agents.keys()].filter((position) => edges.counts[position] === 0);
  while (positions.length > 0) {
    const level = positions.sort((a, b) => a - b).flatMap((position) => agents[position] ?? []);
    for (const agent of level) sorted.add(agent);
    levels.push(level);
    positions = positions.flatMap((position) => release(edges, position));
  }
  return { levels, rest: agents.filter((agent) => !sorted.has(agent)) };
}

/**
 * Returns the order in which agents run one at a time: the next agent is always the first in the list whose
 * dependencies have all run.
 */
export function oneByOne<T extends AgentNode>(agents: readonly T[]): T[] {
  const edges = edgesOf(agents);
  const ready = edges.counts.map((count) => count === 0);
  const order: T[] = [];
  let position = 0;
  while (position < agents.length) {
    const agent = agents[position];
    if (agent === undefined || !ready[position]) {
      position += 1;
      continue;
    }
    order.push(agent);
    ready[position] = false;
    let next = position + 1;
    for (const released of release(edges, position)) {
      ready[released] = true;
      next = Math.min(next, released);
    }
    position = next;
  }
  return order;
}
