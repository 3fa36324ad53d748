import { nearest } from '../domain/nearest.ts';

/** An entry of the list `agents` in a definition, with its agents: with `forEach` any number of them, otherwise one. */
export interface AgentEntry {
  /** Position of the entry in the file's list of agents. */
  at: number;
  isMapped: boolean;
  /**
   * The entry's `agentId`, `role` and `suffix`. They contain the values of parameters, but not the items of `forEach`.
   */
  naming: { agentId?: unknown; role?: unknown; suffix?: unknown };
  agents: unknown[];
}

interface NameMistake {
  /** Position of the entry in the file's list of agents. */
  entry: number;
  field: 'agentId' | 'dependencies';
  /**
   * Position of the wrong dependency in the entry's list of dependencies; null if the mistake is not in a dependency.
   */
  item: number | null;
  message: string;
}

interface NamedAgent {
  entry: number;
  value: unknown;
}

/**
 * Names all agents, and replaces each dependency on an entry by the names of all agents of the entry. Values of an
 * unexpected type stay as they are, because the validation reports them.
 *
 * - An entry is named after its `agentId` or, without one, after its role and suffix.
 * - An entry with `forEach` is named after its `agentId` or role. The name of each agent of the entry is this name,
 *   followed by the suffix of the agent or, without one, the position of the agent in the entry.
 * - If several entries with neither `agentId` nor `forEach` have the same name, their agents are numbered. A dependency
 *   on this name means all of them.
 */
export function nameAgents(entries: readonly AgentEntry[]): { agents: NamedAgent[]; mistakes: NameMistake[] } {
  const mistakes: NameMistake[] = [];
  const entriesByName = new Map<string | null, AgentEntry[]>();
  for (const entry of entries) {
    const name = nameOf(entry);
    entriesByName.set(name, [...(entriesByName.get(name) ?? []), entry]);
  }
  const idsOf = new Map<string, string[]>();
  const taken = new Set<string>();
  const named: NamedAgent[] = [];
  for (const entry of entries) {
    const name = nameOf(entry);
    const same = entriesByName.get(name) ?? [];
    const isNumbered =
      same.length > 1 && same.every(({ isMapped, naming }) => !isMapped && naming.agentId === undefined);
    if (name !== null && same.length > 1 && !isNumbered && entry !== same[0]) {
      const message = `another entry of the list "agents" is also named "${name}"; set another agentId`;
      mistakes.push({ entry: entry.at, field: 'agentId', item: null, message });
      continue;
    }
    const ids = name === null ? [] : (idsOf.get(name) ?? []);
    if (name !== null) idsOf.set(name, ids);
    for (const [index, agent] of entry.agents.entries()) {
      if (name === null || !isRecord(agent)) {
        named.push({ entry: entry.at, value: agent });
        continue;
      }
      const suffix = entry.isMapped ? (agent.suffix ?? String(index + 1)) : isNumbered ? String(ids.length + 1) : null;
      const agentId = suffix === null ? name : `${name}-${suffix}`;
      if (taken.has(agentId)) {
        mistakes.push({
          entry: entry.at,
          field: 'agentId',
          item: null,
          message: `two agents are named "${agentId}"; set another agentId`,
        });
      }
      taken.add(agentId);
      ids.push(agentId);
      named.push({ entry: entry.at, value: { ...agent, ...(suffix === null ? {} : { suffix }), agentId } });
    }
  }
  const agents = named.map(({ entry, value }) => {
    if (!isRecord(value) || !Array.isArray(value.dependencies)) return { entry, value };
    const dependencies = value.dependencies.flatMap((name: unknown, item) => {
      const ids = typeof name === 'string' ? (idsOf.get(name) ?? (taken.has(name) ? [name] : undefined)) : [name];
      if (ids !== undefined) return ids;
      const near = nearest(String(name), [...idsOf.keys()]);
      mistakes.push({
        entry,
        field: 'dependencies',
        item,
        message: `no agent is named "${name}"; nearest: ${near.join(', ')}`,
      });
      return [];
    });
    return { entry, value: { ...value, dependencies: [...new Set(dependencies)] } };
  });
  return { agents, mistakes };
}

/** Returns the name of an entry; null if it has none. */
function nameOf({ isMapped, naming: { agentId, role, suffix } }: AgentEntry): string | null {
  if (agentId !== undefined) return typeof agentId === 'string' ? agentId : null;
  if (typeof role !== 'string') return null;
  return typeof suffix === 'string' && !isMapped ? `${role}-${suffix}` : role;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
