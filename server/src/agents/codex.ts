import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Conversation, EffectivePermission, GivenMcpServer, Installation, StartRequest } from '../ports/agents.ts';
import { appendArgument } from './hooks.ts';
import type { AgentKind } from './kind.ts';
import { starterOf, starters } from './other-servers.ts';
import { byTable, CLEAR_LINES, commandOf, SERVER_NAME, takes, tomlString, variablesIn } from './parts.ts';
import { codexReading } from './reading/codex.ts';

/** Its four pairs of sandbox and approval, by the names callers use for them. */
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
const NATIVE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CONFIG = '.codex/config.toml';
/** The console's token travels in an environment: a header of Codex takes its value from nowhere else, or from arguments. */
const TOKEN_VARIABLE = 'AGENT_CONSOLE_MCP_TOKEN';

export const codexKind: AgentKind = {
  ...codexReading,
  id: 'codex',
  name: 'Codex',
  program: 'codex',
  commandCharacters: ['/', '!', '@', '$', '?'],
  safePrefix: 'Message:',
  blankBehind: true,
  environment: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  nativeId: 'theirs',
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: true,
  supportsFork: true,
  bracketedPaste: true,
  defaultMode: 'auto',
  permission,
  readsHelp: true,
  reports: 'turn',
  recordsEnds: true,
  connects: 'start',
  mcpTransports: ['stdio', 'http'],
  trustFolder: (cwd) => ({
    args: ['-c', `projects={${tomlString(cwd)}={trust_level="trusted"}}`],
    env: {},
  }),
  note: null,
  userFiles: [CONFIG],
  // A model provider of the person's own takes its key from a variable that they named.
  namedVariables: (files) => variablesIn(files[CONFIG], /^\s*(?:env_key|bearer_token_env_var)\s*=\s*["'](\w+)["']/gm),
  login: {
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
    files: [{ path: '.codex/auth.json', keys: [] }],
    trace: '.codex/',
  },
  keys: { interrupt: '\x1b', clearLine: CLEAR_LINES },
  start(request) {
    const { file, args } = commandOf(request, 'codex');
    const { mode, mcp, installed } = request;
    const server = `mcp_servers.${SERVER_NAME}`;
    const headers = headerVariables(request);
    const settings: [string, string][] = [
      [`${server}.url`, tomlString(mcp.url)],
      [`${server}.bearer_token_env_var`, tomlString(TOKEN_VARIABLE)],
      [`${server}.enabled`, 'true'],
      [`${server}.tool_timeout_sec`, String(Math.round(mcp.timeoutMs / 1_000))],
      // Our own tools are bounded by the console's gate; a question for each call would stop every delegation.
      [`${server}.default_tools_approval_mode`, tomlString('approve')],
      // Commands that Codex runs get an empty one: what they may do is what Codex asks the console for.
      ...[TOKEN_VARIABLE, ...Object.keys(headers)].map((name): [string, string] => [
        `shell_environment_policy.set.${name}`,
        tomlString(''),
      ]),
      ...request.servers.flatMap((other) => otherServer(request, other)),
      ['developer_instructions', tomlString(request.instructions)],
      // `notify` needs no trust. Hooks would report more, but without a trust that only its own dialog gives they run
      // by a flag that at once trusts the hooks which any repository brings along.
      ['notify', `[${appendArgument(request.signalsFile).map(tomlString).join(',')}]`],
      ['check_for_update_on_startup', 'false'],
    ];
    return {
      file,
      args: [
        ...args,
        ...conversationArgs(request.conversation),
        // Its daemon would give every session the first one's environment, and with it the first one's identity.
        ...(takes(installed.help, '--no-daemon') ? ['--no-daemon'] : []),
        ...permissionArgs(mode, installed),
        ...(mode === 'ask' ? [] : gitFolders(request).flatMap((folder) => ['--add-dir', folder])),
        ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      env: { [TOKEN_VARIABLE]: mcp.token, ...headers },
      files: starters(request),
      overlay: null,
    };
  },
  oneShot: (prompt) => ({ args: ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', '--', prompt], env: {} }),
};

/** The variable that holds a header of another server. */
const headerVariable = (server: string, at: number) =>
  `AGENT_CONSOLE_MCP_HEADER_${server.toUpperCase().replaceAll('-', '_')}_${at}`;

function headerVariables({ servers }: StartRequest): Record<string, string> {
  return Object.fromEntries(
    servers.flatMap((server) =>
      server.transport === 'stdio'
        ? []
        : Object.values(server.headers).map((value, at) => [headerVariable(server.name, at), value]),
    ),
  );
}

/** Settings are merged into the person's own; a server that is both kinds at once keeps Codex from starting (0.169.0). */
function ownKey({ userFiles }: StartRequest, name: string): string {
  const theirs = new RegExp(`(?:mcp_servers\\s*\\.\\s*|^\\s*)["']?${name}["']?\\s*[.\\]=]`, 'm');
  return theirs.test(userFiles[CONFIG] ?? '') ? `console-${name}` : name;
}

function otherServer(request: StartRequest, server: GivenMcpServer): [string, string][] {
  const key = `mcp_servers.${ownKey(request, server.name)}`;
  if (server.transport === 'stdio') {
    const { command, args } = starterOf(request, server.name);
    return [
      [`${key}.command`, tomlString(command)],
      [`${key}.args`, `[${args.map(tomlString).join(',')}]`],
      [`${key}.enabled`, 'true'],
    ];
  }
  const headers = Object.keys(server.headers).map(
    (name, at) => `${tomlString(name)}=${tomlString(headerVariable(server.name, at))}`,
  );
  return [
    [`${key}.url`, tomlString(server.url)],
    [`${key}.env_http_headers`, `{${headers.join(',')}}`],
    [`${key}.enabled`, 'true'],
  ];
}

/**
 * What a commit writes. A worktree's git directory is not in the worktree, so that the sandbox of the workspace would
 * let it edit but never commit. Hooks and configuration of the repository stay out of reach.
 */
function gitFolders({ repository }: StartRequest): string[] {
  if (repository === null || repository.gitDir === null || repository.gitDir === repository.commonDir) return [];
  const { commonDir, gitDir } = repository;
  return [...['objects', 'refs/heads', 'logs/refs/heads'].map((name) => join(commonDir, name)), gitDir];
}

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return [];
    case 'resume':
      return ['resume', nativeId(conversation.nativeId)];
    case 'fork':
      return ['fork', nativeId(conversation.from)];
  }
}

function nativeId(id: string): string {
  if (NATIVE_ID.test(id)) return id;
  throw new ConsoleError('VALIDATION', `A Codex conversation is known by a UUID, not ${JSON.stringify(id)}`, {
    nativeId: id,
  });
}

/** Whether this version takes an approval policy: newer ones dropped two of the four. Without help it is believed to. */
function knows({ help }: Installation, policy: 'untrusted' | 'on-failure'): boolean {
  return help === null || !help.includes('on-request') || help.includes(policy);
}

function permission(requested: PermissionMode, installed: Installation): EffectivePermission {
  const effective = byTable(MODES, 'Codex')(requested);
  if (effective.mode === 'on-failure' && !knows(installed, 'on-failure')) {
    const note = 'This version of Codex no longer runs first and asks on failure; "auto" asks when it thinks it must.';
    return { mode: 'auto', note };
  }
  if (effective.mode === 'ask' && !knows(installed, 'untrusted')) {
    const note = 'Read-only sandbox; this version of Codex asks when a command needs more (on-request).';
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
      return pair('read-only', knows(installed, 'untrusted') ? 'untrusted' : 'on-request');
  }
}
