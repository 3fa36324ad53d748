import { basename } from 'node:path';
import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { type Agent, AgentKindName } from '@agent-console/shared/models/agent';
import { PermissionMode } from '@agent-console/shared/models/session';
import type { AgentKind, AgentKinds, AgentPrograms, EffectivePermission } from '../../ports/agents.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { reportedFeatures } from './features.ts';
import { installAdvice, installCommand } from './install-advice.ts';

/** An agent definition without the fields that `Catalogue.present` adds. */
type AgentDefinition = Omit<
  Agent,
  | 'installed'
  | 'version'
  | 'loggedIn'
  | 'modes'
  | 'defaultMode'
  | 'supports'
  | 'installCommand'
  | 'loginCommand'
  | 'note'
>;

/**
 * An installed agent, with its default permission mode. `permission` returns the effective mode for a requested mode.
 */
export interface ChosenAgent extends AgentDefinition {
  defaultMode: PermissionMode;
  permission(requested: PermissionMode): EffectivePermission;
}

export interface AgentCatalogue {
  all(): Promise<AgentDefinition[]>;
  find(id: string): Promise<AgentDefinition | undefined>;
  /** Returns the kind of the agent with this id, or `custom` if its definition was removed. */
  kindOf(id: string): Promise<AgentKind>;
  /** Returns the definition id for the alias `id`; undefined if `id` is not an alias. */
  aliasOf(id: string): string | undefined;
  get(id: string): Promise<AgentDefinition>;
  installed(definition: AgentDefinition): Promise<boolean>;
  /** Whether the executable of a command is installed. */
  runs(command: readonly string[]): Promise<boolean>;
  /**
   * Returns the agent `named`; if `named` is not set, the first of `others` that is set.
   * @throws VALIDATION if `named` is not a defined agent. AGENT_UNAVAILABLE if the chosen agent is not installed, or if
   * it was chosen from `others` and is not defined. The errors list the agents to choose from.
   */
  choose(named: string | null | undefined, ...others: (string | null | undefined)[]): Promise<ChosenAgent>;
  /** Returns the effective permission mode for a requested mode; `requested` itself if the definition was removed. */
  effectiveMode(id: string, requested: PermissionMode): Promise<PermissionMode>;
  /** Whether agents of this definition can resume a conversation in a new process. */
  resumes(id: string): Promise<boolean>;
  /** Returns the way in which the console communicates with agents of this definition. */
  driverOf(id: string): Promise<Agent['driver']>;
  present(definition: AgentDefinition): Promise<Agent>;
}

/** Programs that download a package and run it. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', 'uvx', 'pipx']);

/** Ids of built-in agents by alias. */
const ALIASES = new Map([['claude-code-builtin', 'claude-code']]);

function fromRow(row: AgentRow, driver: Agent['driver']): AgentDefinition {
  const { id, name, kind, command, env, queueWhenUnknown } = row;
  return { id, name, kind, driver, command, env, queueWhenUnknown, builtIn: false };
}

/** Creates the catalogue: the built-in agents, followed by the agents that users have defined. */
export function createCatalogue(needs: {
  storage: Pick<Storage, 'read'>;
  host: Pick<Host, 'which'>;
  kinds: AgentKinds;
  programs: AgentPrograms;
}): AgentCatalogue {
  const { storage, host, kinds, programs } = needs;
  const definitions = AgentKindName.options.flatMap((kind): AgentDefinition[] => {
    const { name, program, driver, builtIn } = kinds(kind);
    const command = program === null ? [] : [program];
    return builtIn ? [{ id: kind, name, kind, driver, command, env: [], queueWhenUnknown: 'hold', builtIn }] : [];
  });
  const builtIns = new Map(definitions.map((definition) => [definition.id, definition]));

  const defined = (row: AgentRow) => fromRow(row, kinds(row.kind).driver);

  async function find(id: string): Promise<AgentDefinition | undefined> {
    const name = ALIASES.get(id) ?? id;
    const builtIn = builtIns.get(name);
    if (builtIn !== undefined) return builtIn;
    const row = await storage.read.agents.get(name);
    return row && defined(row);
  }

  async function kindOf(id: string): Promise<AgentKind> {
    return kinds((await find(id))?.kind ?? 'custom');
  }

  async function all(): Promise<AgentDefinition[]> {
    return [...builtIns.values(), ...(await storage.read.agents.find({})).map(defined)];
  }

  async function installed(definition: AgentDefinition): Promise<boolean> {
    const { builtIn, program: ownProgram } = kinds(definition.kind);
    if (builtIn && ownProgram === null) return true;
    return runs(definition.command);
  }

  async function runs([program]: readonly string[]): Promise<boolean> {
    return program !== undefined && (await host.which(program)) !== null;
  }

  async function unknownAgent(id: string, usable: readonly string[]): Promise<ConsoleError> {
    const known = (await all()).map((definition) => definition.id);
    return fieldError(
      'agentId',
      `no agent "${id}" is defined. Defined: ${known.join(', ')}; installed here: ${usable.join(', ')}. Choose an installed agent.`,
      { agents: known, installed: usable },
    );
  }

  /**
   * Returns the version and the help text of an agent's program. Both are null for custom agents and package runners,
   * which are never run with `--version` or `--help`: a custom agent could do anything, and a package runner would
   * download the package.
   */
  function known({ kind: name, command }: AgentDefinition) {
    const kind = kinds(name);
    if (kind.program === null || PACKAGE_RUNNERS.has(basename(command[0] ?? ''))) return { version: null, help: null };
    return programs.known(command, kind.readsHelp);
  }

  function permissionOf(definition: AgentDefinition) {
    return (requested: PermissionMode) => kinds(definition.kind).permission(requested, known(definition));
  }

  return {
    all,
    find,
    aliasOf: (id) => ALIASES.get(id),
    installed,
    runs,
    async effectiveMode(id, requested) {
      const definition = await find(id);
      return definition === undefined ? requested : permissionOf(definition)(requested).mode;
    },
    kindOf,
    resumes: async (id) => (await kindOf(id)).supportsResume,
    driverOf: async (id) => (await kindOf(id)).driver,
    async get(id) {
      const definition = await find(id);
      if (definition === undefined) throw notFound('Agent', id);
      return definition;
    },
    async choose(named, ...others) {
      const chosenId = [named, ...others].find((candidate) => candidate != null);
      const definition = chosenId == null ? undefined : await find(chosenId);
      if (definition !== undefined && (await installed(definition))) {
        const { defaultMode } = kinds(definition.kind);
        return { ...definition, defaultMode, permission: permissionOf(definition) };
      }
      const usable: string[] = [];
      for (const each of await all()) if (await installed(each)) usable.push(each.id);
      if (named != null && definition === undefined) throw await unknownAgent(named, usable);
      const why =
        definition === undefined
          ? `No agent "${chosenId}" is defined. Choose`
          : `The executable for agent "${chosenId}" was not found on PATH. ${installAdvice(definition, kinds(definition.kind))}, or choose`;
      throw new ConsoleError('AGENT_UNAVAILABLE', `${why} one of the agents installed here: ${usable.join(', ')}.`, {
        agentId: chosenId,
        installed: usable,
      });
    },
    async present(definition) {
      const kind = kinds(definition.kind);
      const { defaultMode, supportsResume, supportsFork, oneShot, readsImages, driver, note, login, builtIn } = kind;
      const isInstalled = await installed(definition);
      const permission = permissionOf(definition);
      const reported = await reportedFeatures(storage.read, definition.id);
      return {
        ...definition,
        installed: isInstalled,
        version: isInstalled ? known(definition).version : null,
        loggedIn: isInstalled && (login !== null || builtIn) ? await programs.loggedIn(login) : 'unknown',
        modes: PermissionMode.options.map((requested) => {
          const { mode, note: why } = permission(requested);
          return { requested, effective: mode, note: why };
        }),
        defaultMode,
        supports: {
          resume: supportsResume,
          fork: supportsFork,
          oneShot: oneShot !== null,
          images: readsImages || driver === 'acp',
          ...reported,
        },
        installCommand: installCommand(definition, kind),
        loginCommand: kind.loginCommand,
        note,
      };
    },
  };
}
