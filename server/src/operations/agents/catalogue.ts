import { ConsoleError, notFound } from '@agent-console/shared/errors';
import type { Agent } from '@agent-console/shared/models/agent';
import type { Places } from '../ports/places.ts';
import type { AgentRow } from '../ports/rows.ts';
import type { Storage } from '../ports/storage.ts';

/** A definition without what has to be looked up on this machine. */
type AgentDefinition = Omit<Agent, 'installed'>;

export interface AgentCatalogue {
  all(): Promise<AgentDefinition[]>;
  find(id: string): Promise<AgentDefinition | undefined>;
  /** The id that this one is only another name for, or undefined. */
  aliasOf(id: string): string | undefined;
  get(id: string): Promise<AgentDefinition>;
  installed(definition: AgentDefinition): Promise<boolean>;
  /** The first of these that was named; AGENT_UNAVAILABLE, listing what there is, when it cannot be run. */
  choose(...candidates: (string | null | undefined)[]): Promise<AgentDefinition>;
  present(definition: AgentDefinition): Promise<Agent>;
}

/** Other names of built-in definitions. */
const ALIASES: Record<string, string> = { 'claude-code-builtin': 'claude-code' };

const BUILT_IN: readonly AgentDefinition[] = [
  {
    id: 'scripted',
    name: 'Scripted agent',
    kind: 'scripted',
    driver: 'pty',
    command: [],
    env: [],
    queueWhenUnknown: 'hold',
    builtIn: true,
  },
];

function fromRow(row: AgentRow): AgentDefinition {
  const { id, name, command, env, queueWhenUnknown } = row;
  return { id, name, kind: 'custom', driver: 'pty', command, env, queueWhenUnknown, builtIn: false };
}

/** Agent definitions: those that come with the product, then those people made. */
export function createCatalogue({
  storage,
  places,
}: {
  storage: Pick<Storage, 'read'>;
  places: Pick<Places, 'which'>;
}): AgentCatalogue {
  async function find(id: string): Promise<AgentDefinition | undefined> {
    const name = ALIASES[id] ?? id;
    const builtIn = BUILT_IN.find((definition) => definition.id === name);
    if (builtIn !== undefined) return builtIn;
    const row = await storage.read.agents.get(name);
    return row && fromRow(row);
  }

  async function all(): Promise<AgentDefinition[]> {
    return [...BUILT_IN, ...(await storage.read.agents.find({})).map(fromRow)];
  }

  async function installed(definition: AgentDefinition): Promise<boolean> {
    if (definition.kind === 'scripted') return true;
    const [program] = definition.command;
    return program !== undefined && (await places.which(program)) !== null;
  }

  return {
    all,
    find,
    aliasOf: (id) => ALIASES[id],
    installed,
    async get(id) {
      const definition = await find(id);
      if (definition === undefined) throw notFound('Agent', id);
      return definition;
    },
    async choose(...candidates) {
      const wanted = candidates.find((candidate) => candidate != null);
      const definition = wanted == null ? undefined : await find(wanted);
      if (definition !== undefined && (await installed(definition))) return definition;
      const usable: string[] = [];
      for (const each of await all()) if (await installed(each)) usable.push(each.id);
      const why =
        definition === undefined
          ? `No agent "${wanted}" is defined`
          : `The program of agent "${wanted}" was not found on PATH`;
      throw new ConsoleError(
        'AGENT_UNAVAILABLE',
        `${why}. Installed here: ${usable.join(', ')}. Name one of them as agentId.`,
        {
          agentId: wanted,
          installed: usable,
        },
      );
    },
    async present(definition) {
      return { ...definition, installed: await installed(definition) };
    },
  };
}
