import { fieldError } from '@agent-console/shared/errors';
import { AgentId, type AgentKindName } from '@agent-console/shared/models/agent';
import * as v from 'valibot';

const Args = v.optional(v.array(v.string()), []);
const Variables = v.optional(v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_]\w*$/)), v.string()), {});
const Package = v.object({ package: v.pipe(v.string(), v.regex(/^[^\s-]\S*$/)), args: Args, env: Variables });
const Program = v.object({ cmd: v.pipe(v.string(), v.minLength(1)), args: Args, env: Variables });
const Entry = v.object({
  id: AgentId,
  name: v.pipe(v.string(), v.minLength(1)),
  distribution: v.object({
    npx: v.optional(Package),
    uvx: v.optional(Package),
    binary: v.optional(v.record(v.string(), Program)),
  }),
});

interface RegistryAgent {
  id: string;
  name: string;
  kind: AgentKindName;
  command: string[];
  /**
   * Whether a person must install the program first. False for `npx` and `uvx`, which download the agent themselves.
   */
  needsProgram: boolean;
}

/**
 * Kinds of agents by their package or program. Any other agent, and an agent with environment variables, has the kind
 * `acp`.
 */
const KNOWN: Readonly<Record<string, AgentKindName>> = {
  '@agentclientprotocol/claude-agent-acp': 'claude-acp',
  '@agentclientprotocol/codex-acp': 'codex-acp',
  '@google/gemini-cli': 'gemini-acp',
  'opencode-ai': 'opencode-acp',
  opencode: 'opencode-acp',
};

const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' };
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
const EXAMPLE =
  '{"id": "my-agent", "name": "My agent", "distribution": {"npx": {"package": "my-agent", "args": ["--acp"]}}}';

/**
 * Reads an entry of the public registry of ACP agents.
 * @throws VALIDATION if the entry is invalid or offers no program for this system
 */
export function readRegistryEntry(value: unknown, { platform, arch } = process): RegistryAgent {
  const parsed = v.safeParse(Entry, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = v.getDotPath(issue);
    const problem =
      path === null ? issue.message : issue.input === undefined ? `${path} is missing` : `${path}: ${issue.message}`;
    throw fieldError('registryEntry', `${problem}. Paste one whole entry of the registry, such as ${EXAMPLE}`);
  }
  const { id, name, distribution } = parsed.output;
  const { npx, uvx, binary } = distribution;
  const agentWith = (program: string, line: string[], env: Record<string, string>, needsProgram: boolean) => {
    const variables = Object.entries(env).map(([key, text]) => `${key}=${text}`);
    const kind = variables.length === 0 ? (KNOWN[program] ?? 'acp') : 'acp';
    return { id, name, kind, command: variables.length === 0 ? line : ['env', ...variables, ...line], needsProgram };
  };
  if (npx !== undefined) return agentWith(nameOf(npx.package), ['npx', '-y', npx.package, ...npx.args], npx.env, false);
  if (uvx !== undefined) return agentWith(nameOf(uvx.package), ['uvx', uvx.package, ...uvx.args], uvx.env, false);
  const system = `${SYSTEMS[platform] ?? platform}-${MACHINES[arch] ?? arch}`;
  const program = binary?.[system];
  if (program === undefined) {
    const systems = Object.keys(binary ?? {}).join(', ');
    const problem =
      systems === ''
        ? 'the field "distribution" of the entry has neither npx, uvx nor binary'
        : `the field "distribution" of the entry has no program for ${system}, only for ${systems}`;
    throw fieldError('registryEntry', `${problem}. Install the agent by other means and define it by its command.`);
  }
  // `cmd` is a path inside an archive that the console does not download. A person installs the program on PATH, so
  // only the file name is used.
  const file = program.cmd.replaceAll('\\', '/').split('/').at(-1) ?? program.cmd;
  return agentWith(file, [file, ...program.args], program.env, true);
}

/** Returns the name of a package without its version. */
const nameOf = (specifier: string) => specifier.replace(/(?<=.)@[^/]*$/, '');
