import { join } from 'node:path';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type {
  Conversation,
  EffectivePermission,
  Installation,
  SessionMcpServer,
  StartRequest,
} from '../../ports/agents.ts';
import { appendArgument } from '../common/hooks.ts';
import { type AgentKind, KIND_DEFAULTS } from '../common/kind.ts';
import { headersOf, stdioCommand, stdioScripts } from '../common/mcp-servers.ts';
import {
  CLEAR_LINES,
  commandOf,
  hasOption,
  permissionByTable,
  requireNativeId,
  SERVER_NAME,
  tomlString,
  variablesIn,
} from '../common/start.ts';
import { codexReading } from './reading.ts';
import { openCodexConversations } from './transcript.ts';

/**
 * Mode in which Codex runs for each permission mode of the console. Codex has a sandbox and an approval policy. Four
 * modes of the console are combinations of sandbox and policy; the other modes run as one of the four.
 */
const MODES: Readonly<Record<PermissionMode, PermissionMode>> = {
  ask: 'ask',
  auto: 'auto',
  'on-failure': 'on-failure',
  'allow-all': 'allow-all',
  default: 'ask',
  acceptEdits: 'auto',
  bypassPermissions: 'allow-all',
  plan: 'ask',
};
const CONFIG = '.codex/config.toml';
/**
 * Variable that contains the console's token. Codex reads the value of a header only from a variable or an argument.
 */
const TOKEN_VARIABLE = 'AGENT_CONSOLE_MCP_TOKEN';

export const codexKind: AgentKind = {
  ...KIND_DEFAULTS,
  ...codexReading,
  id: 'codex',
  name: 'Codex',
  program: 'codex',
  npmPackage: '@openai/codex',
  commandCharacters: ['/', '!', '@', '$', '?'],
  safePrefix: 'Message:',
  trailingSpace: true,
  environment: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  nativeId: 'agent',
  defaultMode: 'auto',
  permission,
  readsHelp: true,
  reports: 'turn',
  recordsTurnEnds: true,
  connects: 'start',
  mcpTransports: ['stdio', 'http'],
  trustFolder: (cwd) => ({ args: ['-c', `projects={${tomlString(cwd)}={trust_level="trusted"}}`], env: {} }),
  userFiles: [CONFIG],
  // In the user's configuration, each model provider names the variable that contains its API key.
  namedVariables: (files) => variablesIn(files[CONFIG], /^\s*(?:env_key|bearer_token_env_var)\s*=\s*["'](\w+)["']/gm),
  loginCommand: 'codex login',
  login: {
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
    files: [{ path: '.codex/auth.json', keys: [] }],
    trace: '.codex/',
  },
  keys: { interrupt: '\x1b', clearLine: CLEAR_LINES },
  readsImages: true,
  start(request) {
    const { file, args } = commandOf(request, 'codex');
    const { mode, installed } = request;
    // Hooks would report more than `notify`, but Codex runs only trusted hooks. Hooks become trusted only in Codex's
    // own dialog, or by a flag that also trusts the hooks of every repository.
    const settings = { ...codexSettings(request), notify: appendArgument(request.signalsFile) };
    return {
      file,
      args: [
        ...args,
        ...conversationArgs(request.conversation),
        // Codex's daemon would run every session in the environment of the first session, so all sessions would use the
        // first session's token.
        ...(hasOption(installed.help, '--no-daemon') ? ['--no-daemon'] : []),
        ...permissionArgs(mode, installed),
        ...writableFolders(request).flatMap((folder) => ['--add-dir', folder]),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${tomlValue(value)}`]),
      ],
      env: codexVariables(request),
      files: stdioScripts(request),
      overlay: null,
    };
  },
  oneShot: (prompt) => ({ args: ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', '--', prompt], env: {} }),
  openConversations: openCodexConversations,
  registration: {
    configFiles: (env, home) => [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
    entry: {
      format: 'toml',
      container: 'mcp_servers',
      values: (url) => [`url = ${JSON.stringify(url)}`, 'tool_timeout_sec = 180'],
    },
  },
};

/** Value of a Codex setting. It is passed to Codex as TOML on the command line, and to Codex's ACP adapter as JSON. */
type SettingValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

function tomlValue(value: SettingValue): string {
  if (typeof value === 'string') return tomlString(value);
  if (Array.isArray(value)) return `[${value.map(tomlString).join(',')}]`;
  if (typeof value !== 'object') return String(value);
  const pairs = Object.entries(value).map(([name, text]) => `${tomlString(name)}=${tomlString(text)}`);
  return `{${pairs.join(',')}}`;
}

/** Returns the settings of one Codex process (MCP servers and instructions), by their path in Codex's configuration. */
export function codexSettings(request: StartRequest): Record<string, SettingValue> {
  const { mcp } = request;
  const server = `mcp_servers.${SERVER_NAME}`;
  const secret = Object.keys(codexVariables(request));
  return {
    [`${server}.url`]: mcp.url,
    [`${server}.bearer_token_env_var`]: TOKEN_VARIABLE,
    [`${server}.enabled`]: true,
    [`${server}.tool_timeout_sec`]: Math.round(mcp.timeoutMs / 1_000),
    // The console itself checks calls of its own tools. An approval for each call would block every delegation.
    [`${server}.default_tools_approval_mode`]: 'approve',
    // Commands that Codex runs get these variables with empty values, so that no command can call the console as Codex.
    ...Object.fromEntries(secret.map((name) => [`shell_environment_policy.set.${name}`, ''])),
    ...Object.assign({}, ...request.servers.map((each) => serverSettings(request, each))),
    developer_instructions: request.instructions,
    check_for_update_on_startup: false,
  };
}

/**
 * Returns the environment variables that `codexSettings` refers to: the console's token, and the header values of the
 * session's MCP servers.
 */
export function codexVariables({ mcp, servers }: StartRequest): Record<string, string> {
  const headers = headersOf(servers).map(({ server, index, value }) => [headerVariable(server, index), value]);
  return { [TOKEN_VARIABLE]: mcp.token, ...Object.fromEntries(headers) };
}

/** Returns the name of the environment variable that contains the value of an MCP server's header. */
const headerVariable = (server: string, index: number) =>
  `AGENT_CONSOLE_MCP_HEADER_${server.toUpperCase().replaceAll('-', '_')}_${index}`;

/**
 * Returns a key for an MCP server in Codex's configuration. No MCP server of the user has this key. Codex (0.169.0)
 * merges servers with the same key, and does not start if the merged server has both transports.
 */
function serverKey({ userFiles }: StartRequest, name: string): string {
  const usersOwn = new RegExp(`(?:mcp_servers\\s*\\.\\s*|^\\s*)["']?${name}["']?\\s*[.\\]=]`, 'm');
  return usersOwn.test(userFiles[CONFIG] ?? '') ? `console-${name}` : name;
}

function serverSettings(request: StartRequest, server: SessionMcpServer): Record<string, SettingValue> {
  const key = `mcp_servers.${serverKey(request, server.name)}`;
  if (server.transport === 'stdio') {
    const { command, args } = stdioCommand(request, server.name);
    return { [`${key}.command`]: command, [`${key}.args`]: args, [`${key}.enabled`]: true };
  }
  const headers = Object.keys(server.headers).map((name, index) => [name, headerVariable(server.name, index)]);
  return {
    [`${key}.url`]: server.url,
    [`${key}.env_http_headers`]: Object.fromEntries(headers),
    [`${key}.enabled`]: true,
  };
}

/**
 * Returns the folders to which git writes during a commit. A worktree's git directory is outside the worktree, so the
 * workspace sandbox alone would allow edits but no commits. The repository's hooks and configuration stay read-only.
 */
function gitFolders({ repository }: StartRequest): string[] {
  if (repository === null || repository.gitDir === null || repository.gitDir === repository.commonDir) return [];
  const { commonDir, gitDir } = repository;
  return [...['objects', 'refs/heads', 'logs/refs/heads'].map((name) => join(commonDir, name)), gitDir];
}

/** Returns the folders, besides its cwd, to which the agent may write. In the mode `ask` there are none. */
export function writableFolders(request: StartRequest): string[] {
  return request.mode === 'ask' ? [] : [...gitFolders(request), ...request.addedFolders];
}

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return [];
    case 'resume':
      return ['resume', requireNativeId(conversation.nativeId, 'Codex')];
    case 'fork':
      return ['fork', requireNativeId(conversation.from, 'Codex')];
  }
}

/**
 * Whether this version of Codex has the approval policy `policy`. Newer versions have only two of the four policies.
 * Returns true while the version's help text is unknown.
 */
function hasPolicy({ help }: Installation, policy: 'untrusted' | 'on-failure'): boolean {
  return help === null || !help.includes('on-request') || help.includes(policy);
}

function permission(requested: PermissionMode, installed: Installation): EffectivePermission {
  const effective = permissionByTable(MODES, 'Codex')(requested);
  if (effective.mode === 'on-failure' && !hasPolicy(installed, 'on-failure')) {
    const note =
      'This version of Codex no longer has the mode "on-failure". Codex runs in the mode "auto" instead and decides when to ask.';
    return { mode: 'auto', note };
  }
  if (effective.mode === 'ask' && !hasPolicy(installed, 'untrusted')) {
    const note =
      'Codex runs in a read-only sandbox. This version of Codex asks only when a command needs more access (policy on-request).';
    return { mode: 'ask', note };
  }
  return effective;
}

function permissionArgs(mode: PermissionMode, installed: Installation): string[] {
  const pair = (sandbox: string, approval: string) => ['--sandbox', sandbox, '--ask-for-approval', approval];
  switch (permission(mode, installed).mode) {
    case 'auto':
      return pair('workspace-write', 'on-request');
    case 'on-failure':
      return pair('workspace-write', 'on-failure');
    case 'allow-all':
      return pair('workspace-write', 'never');
    default:
      return pair('read-only', hasPolicy(installed, 'untrusted') ? 'untrusted' : 'on-request');
  }
}
