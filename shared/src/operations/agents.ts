import * as v from 'valibot';
import { described } from '../describe.ts';
import { Agent, AgentId, AgentKindName, QueueWhenUnknown, StoredAgentId } from '../models/agent.ts';
import { AgentCheck } from '../models/agent-check.ts';
import { AgentDriver } from '../models/agent-driver.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { Title } from '../text.ts';

const CommandLine = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(4_000), v.regex(/^[^\x00]*$/, 'must not contain the NUL character'))),
  v.minLength(1),
  v.maxLength(100),
  v.description('Executable and arguments, run without a shell'),
);
const EnvNames = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, without its value'),
    ),
  ),
  v.maxLength(100),
  v.description(
    "Names of environment variables passed to the agent from the server's environment; values are never stored",
  ),
);
const id = described(StoredAgentId, 'Agent id');
const KindName = v.pipe(
  v.picklist(AgentKindName.options.filter((name) => !name.startsWith('scripted'))),
  v.description(
    'Adapter that starts, resumes and prompts the agent and reads its output; `custom` for any other executable',
  ),
);
const RegistryEntry = v.pipe(
  v.record(
    v.string(),
    v.unknown(),
    'must be one whole entry of the registry, as a JSON object with id, name and distribution',
  ),
  v.description(
    'Entry of the public registry of ACP agents; the entry contains the id, name and command (npx, uvx or an installed program)',
  ),
);
const columns = ['id', 'name', 'kind', 'installed', 'version', 'loggedIn', 'command'] as const;
const fields = {
  name: v.pipe(Title, v.minLength(1), v.description('Display name')),
  command: CommandLine,
  kind: v.optional(KindName, 'custom'),
  env: v.optional(EnvNames, []),
  driver: v.optional(AgentDriver, 'pty'),
  queueWhenUnknown: v.optional(QueueWhenUnknown, 'hold'),
};

export const agents = [
  operation({
    name: 'agents.list',
    summary: 'Agent definitions, built-in ones first',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/agents' },
    cli: { command: 'agents list', columns },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(Agent),
  }),
  operation({
    name: 'agents.create',
    summary: 'Define an agent by its command',
    access: 'owner',
    idempotent: true,
    rest: { method: 'POST', path: '/agents', status: 201 },
    cli: { command: 'agents create', positional: ['id'], file: 'registryEntry' },
    example: { id: 'my-agent', name: 'My agent', command: ['my-agent', '--interactive'] },
    input: v.pipe(
      v.strictObject({
        id: v.optional(described(AgentId, 'New agent id, such as my-agent')),
        ...fields,
        name: v.optional(fields.name),
        command: v.optional(CommandLine),
        registryEntry: v.optional(RegistryEntry),
      }),
      v.check(
        ({ id, name, command, registryEntry }) =>
          registryEntry !== undefined || (id !== undefined && name !== undefined && command !== undefined),
        'pass either `registryEntry`, or `id`, `name` and `command`',
      ),
    ),
    output: Agent,
  }),
  operation({
    name: 'agents.get',
    summary: 'One agent definition',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/agents/:id' },
    cli: { command: 'agents get', positional: ['id'] },
    example: { id: 'claude-code' },
    input: v.strictObject({ id }),
    output: Agent,
  }),
  operation({
    name: 'agents.update',
    summary: 'Change a custom agent definition',
    access: 'owner',
    rest: { method: 'PATCH', path: '/agents/:id' },
    cli: { command: 'agents update', positional: ['id'] },
    example: { id: 'my-agent', name: 'My agent' },
    input: v.strictObject({
      id,
      newId: v.optional(
        described(
          AgentId,
          'New id of the definition; its sessions, workers and the default agent setting are changed to the new id',
        ),
      ),
      name: v.optional(fields.name),
      kind: v.optional(KindName),
      command: v.optional(CommandLine),
      env: v.optional(EnvNames),
      queueWhenUnknown: v.optional(QueueWhenUnknown),
    }),
    output: Agent,
  }),
  operation({
    name: 'agents.remove',
    summary: 'Remove a custom agent definition that no live session uses',
    access: 'owner',
    rest: { method: 'DELETE', path: '/agents/:id' },
    cli: { command: 'agents remove', positional: ['id'] },
    example: { id: 'my-agent' },
    input: v.strictObject({ id }),
    output: Agent,
  }),
  operation({
    name: 'agents.check',
    summary: 'Start an agent briefly in a temporary repository and report what works',
    access: 'owner',
    rest: { method: 'POST', path: '/agents/:id/check' },
    cli: {
      command: 'agents check',
      positional: ['id'],
      rows: 'checks',
      columns: ['name', 'result', 'detail'],
      waits: { isDone: ({ complete }) => complete === true },
      isSuccess: ({ ok }) => ok === true,
    },
    example: { id: 'claude-code' },
    input: v.strictObject({
      id,
      deep: v.optional(described(v.boolean(), 'Also send the agent one short prompt, which costs tokens'), false),
    }),
    output: AgentCheck,
  }),
] as const;
