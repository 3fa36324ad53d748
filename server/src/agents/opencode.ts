import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Conversation, StartRequest } from '../ports/agents.ts';
import type { AgentKind } from './kind.ts';
import { starterOf, starters } from './other-servers.ts';
import { byTable, CLEAR_LINES, commandOf, inFolder, SERVER_NAME, THREE_MODES, takes, variablesIn } from './parts.ts';
import { opencodeReading } from './reading/opencode.ts';

const CONFIGS = ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'];
const NATIVE_ID = /^ses_[A-Za-z0-9]{1,100}$/;

export const opencodeKind: AgentKind = {
  ...opencodeReading,
  id: 'opencode',
  name: 'opencode',
  program: 'opencode',
  commandCharacters: ['/', '!', '@'],
  safePrefix: 'Message:',
  blankBehind: true,
  environment: [
    'OPENCODE_*',
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'OPENROUTER_API_KEY',
    'GROQ_API_KEY',
    'MISTRAL_API_KEY',
    'DEEPSEEK_API_KEY',
    'XAI_API_KEY',
    'GITHUB_TOKEN',
  ],
  nativeId: 'theirs',
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: true,
  supportsFork: true,
  bracketedPaste: true,
  defaultMode: 'acceptEdits',
  permission: byTable(THREE_MODES, 'opencode'),
  readsHelp: true,
  reports: 'never',
  recordsEnds: true,
  connects: 'start',
  mcpTransports: ['stdio', 'http', 'sse'],
  trustFolder: () => ({ args: [], env: {} }),
  note: null,
  userFiles: CONFIGS,
  namedVariables: (files) => CONFIGS.flatMap((name) => variablesIn(files[name], /\{env:(\w+)\}/g)),
  login: {
    variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
    files: [{ path: '.local/share/opencode/auth.json', keys: [] }],
    trace: '.local/share/opencode',
  },
  // The first Esc only asks whether the second is meant; written as two plain ones at once they would be one key with Alt.
  keys: { interrupt: '\x1b[27u\x1b[27u', clearLine: CLEAR_LINES },
  start(request) {
    const { file, args } = commandOf(request, 'opencode');
    const auto = request.mode === 'bypassPermissions' && takes(request.installed.help, '--auto');
    return {
      file,
      args: [...args, ...conversationArgs(request.conversation), ...(auto ? ['--auto'] : [])],
      // Merged over the person's configuration and over the repository's, so that neither can send our header elsewhere.
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(request, auto)) },
      files: {
        token: request.mcp.token,
        'instructions.md': `${request.instructions}\n`,
        ...starters(request),
        ...headerFiles(request),
      },
      overlay: null,
    };
  },
  // It may do everything unless it is told otherwise; a title of its own spares one more question to its model.
  oneShot: (prompt) => ({
    args: ['run', '--title', 'Agent Console', '--', prompt],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled', permission: DENIED }) },
  }),
};

const DENIED = { '*': 'deny', edit: 'deny', bash: 'deny', webfetch: 'deny', external_directory: 'deny' };

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return [];
    case 'resume':
      return ['--session', nativeId(conversation.nativeId)];
    case 'fork':
      return ['--session', nativeId(conversation.from), '--fork'];
  }
}

function nativeId(id: string): string {
  if (NATIVE_ID.test(id)) return id;
  throw new ConsoleError('VALIDATION', `An opencode conversation is known by ses_..., not ${JSON.stringify(id)}`, {
    nativeId: id,
  });
}

/** Its event port stays closed: without a password every local program could type into the agent there. */
function configuration(request: StartRequest, auto: boolean): Record<string, unknown> {
  const { mcp, mode } = request;
  return {
    autoupdate: false,
    instructions: [inFolder(request, 'instructions.md')],
    mcp: {
      ...otherServers(request),
      [SERVER_NAME]: {
        type: 'remote',
        url: mcp.url,
        enabled: true,
        oauth: false,
        // Read from the file by opencode itself: the token stands neither in arguments nor in the environment.
        headers: { Authorization: `Bearer {file:${inFolder(request, 'token')}}` },
        timeout: mcp.timeoutMs,
      },
    },
    permission: { ...permissionOf(mode, auto), [`${SERVER_NAME}_*`]: 'allow' },
  };
}

/** Its configurations are merged key by key: a server of the person's own would become one with ours of the same name. */
function ownKey({ userFiles }: StartRequest, name: string): string {
  const theirs = CONFIGS.some((config) => userFiles[config]?.includes(`"${name}"`));
  return theirs ? `console-${name}` : name;
}

/** Its configuration stands in its environment, which its commands inherit: values are read from files. */
function otherServers(request: StartRequest): Record<string, unknown> {
  return Object.fromEntries(
    request.servers.map((server) => {
      const key = ownKey(request, server.name);
      if (server.transport === 'stdio') {
        const { command, args } = starterOf(request, server.name);
        return [key, { type: 'local', command: [command, ...args], enabled: true }];
      }
      const headers = Object.keys(server.headers).map((name, at) => [
        name,
        `{file:${inFolder(request, headerFile(server.name, at))}}`,
      ]);
      // Else `{env:NAME}` in it would be taken for a variable.
      const url = server.url.replaceAll('{', '%7B');
      return [key, { type: 'remote', url, enabled: true, headers: Object.fromEntries(headers) }];
    }),
  );
}

const headerFile = (server: string, at: number) => `servers/${server}.header-${at}`;

function headerFiles({ servers }: StartRequest): Record<string, string> {
  return Object.fromEntries(
    servers.flatMap((server) =>
      server.transport === 'stdio'
        ? []
        : Object.values(server.headers).map((value, at) => [headerFile(server.name, at), value]),
    ),
  );
}

/** With `--auto` the person's own rules stay, and what they do not deny is allowed. */
function permissionOf(mode: PermissionMode, auto: boolean): Record<string, string> {
  if (auto) return {};
  const all = mode === 'bypassPermissions' ? 'allow' : 'ask';
  const edit = mode === 'default' ? 'ask' : 'allow';
  return { edit, bash: all, webfetch: all, external_directory: all };
}
