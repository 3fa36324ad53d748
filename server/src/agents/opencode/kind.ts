import { join } from 'node:path';
import type { Conversation, StartRequest } from '../../ports/agents.ts';
import { type AgentKind, KIND_DEFAULTS } from '../common/kind.ts';
import { headersOf, stdioCommand, stdioScripts } from '../common/mcp-servers.ts';
import {
  CLEAR_LINES,
  commandOf,
  hasOption,
  inFolder,
  permissionByTable,
  requireNativeId,
  SERVER_NAME,
  THREE_MODES,
  variablesIn,
} from '../common/start.ts';
import { opencodeReading } from './reading.ts';
import { openOpencodeConversations } from './transcript.ts';

const CONFIGS = ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'];
const NATIVE_ID = /^ses_[A-Za-z0-9]{1,100}$/;

export const opencodeKind: AgentKind = {
  ...KIND_DEFAULTS,
  ...opencodeReading,
  id: 'opencode',
  name: 'opencode',
  program: 'opencode',
  npmPackage: 'opencode-ai',
  commandCharacters: ['/', '!', '@'],
  safePrefix: 'Message:',
  trailingSpace: true,
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
  nativeId: 'agent',
  permission: permissionByTable(THREE_MODES, 'opencode'),
  readsHelp: true,
  recordsTurnEnds: true,
  connects: 'start',
  userFiles: CONFIGS,
  namedVariables: (files) => CONFIGS.flatMap((name) => variablesIn(files[name], /\{env:(\w+)\}/g)),
  loginCommand: 'opencode auth login',
  login: {
    variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
    files: [{ path: '.local/share/opencode/auth.json', keys: [] }],
    trace: '.local/share/opencode',
  },
  // After the first Esc, opencode asks for a second Esc. Both are sent as key codes, because two plain Esc bytes in one
  // write would be read as Alt+Esc.
  keys: { interrupt: '\x1b[27u\x1b[27u', clearLine: CLEAR_LINES },
  readsImages: true,
  start(request) {
    const { file, args } = commandOf(request, 'opencode');
    const auto = request.mode === 'bypassPermissions' && hasOption(request.installed.help, '--auto');
    return {
      file,
      args: [...args, ...conversationArgs(request.conversation), ...(auto ? ['--auto'] : [])],
      // This variable overrides the user's and the repository's configuration, so that neither can send the token to
      // another server.
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(request, auto)) },
      files: {
        token: request.mcp.token,
        'instructions.md': `${request.instructions}\n`,
        ...stdioScripts(request),
        ...headerFiles(request),
      },
      overlay: null,
    };
  },
  // opencode allows every tool that is not denied, so all tools are denied. Without a title in the arguments, opencode
  // would ask the model for a title.
  oneShot: (prompt) => ({
    args: ['run', '--title', 'Agent Console', '--', prompt],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled', permission: DENIED }) },
  }),
  openConversations: openOpencodeConversations,
  registration: {
    configFiles(env, home) {
      const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
      return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
    },
    entry: {
      format: 'json',
      container: 'mcp',
      value: (url) => ({ type: 'remote', url, enabled: true, timeout: 180_000 }),
    },
  },
};

const DENIED = { '*': 'deny', edit: 'deny', bash: 'deny', webfetch: 'deny', external_directory: 'deny' };

const requireId = (id: string) => requireNativeId(id, 'opencode', NATIVE_ID, 'an id such as ses_1a2b3c');

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return [];
    case 'resume':
      return ['--session', requireId(conversation.nativeId)];
    case 'fork':
      return ['--session', requireId(conversation.from), '--fork'];
  }
}

/**
 * Returns opencode's configuration. The configuration does not open opencode's event port: the port has no password, so
 * every local process could type into the agent through it.
 */
function configuration(request: StartRequest, auto: boolean): Record<string, unknown> {
  const { mcp } = request;
  return {
    autoupdate: false,
    instructions: [inFolder(request, 'instructions.md')],
    mcp: {
      ...serverSettings(request),
      [SERVER_NAME]: {
        type: 'remote',
        url: mcp.url,
        enabled: true,
        oauth: false,
        // opencode reads the file itself, so the token is neither in arguments nor in the environment.
        headers: { Authorization: `Bearer {file:${inFolder(request, 'token')}}` },
        timeout: mcp.timeoutMs,
      },
    },
    permission: { ...permissionOf(request, auto), [`${SERVER_NAME}_*`]: 'allow' },
  };
}

/**
 * Returns a key for an MCP server in opencode's configuration. No MCP server of the user has this key, because opencode
 * would merge servers with the same key.
 */
function serverKey({ userFiles }: StartRequest, name: string): string {
  const isUsersOwn = CONFIGS.some((config) => userFiles[config]?.includes(`"${name}"`));
  return isUsersOwn ? `console-${name}` : name;
}

/**
 * Returns opencode's settings for the session's MCP servers. Secret values are read from files instead of the
 * environment, because every command that the agent runs inherits the environment.
 */
function serverSettings(request: StartRequest): Record<string, unknown> {
  return Object.fromEntries(
    request.servers.map((server) => {
      const key = serverKey(request, server.name);
      if (server.transport === 'stdio') {
        const { command, args } = stdioCommand(request, server.name);
        return [key, { type: 'local', command: [command, ...args], enabled: true }];
      }
      const headers = Object.keys(server.headers).map((name, index) => [
        name,
        `{file:${inFolder(request, headerFile(server.name, index))}}`,
      ]);
      // Without this replacement, opencode would expand `{env:NAME}` in the URL.
      const url = server.url.replaceAll('{', '%7B');
      return [key, { type: 'remote', url, enabled: true, headers: Object.fromEntries(headers) }];
    }),
  );
}

const headerFile = (server: string, index: number) => `servers/${server}.header-${index}`;

const headerFiles = ({ servers }: StartRequest): Record<string, string> =>
  Object.fromEntries(headersOf(servers).map(({ server, index, value }) => [headerFile(server, index), value]));

/**
 * Returns the permission rules. Returns none for `--auto`, with which opencode allows everything that the user's rules
 * do not deny.
 */
function permissionOf({ mode, addedFolders, readFolders }: StartRequest, auto: boolean): Record<string, unknown> {
  if (auto) return {};
  const all = mode === 'bypassPermissions' ? 'allow' : 'ask';
  const edit = mode === 'default' ? 'ask' : 'allow';
  const added = [...addedFolders, ...readFolders].map((folder) => [`${folder}/*`, 'allow']);
  // In opencode's permission rules, the last matching pattern decides, and `*` matches slashes as well.
  const outside = added.length === 0 ? all : { '*': all, ...Object.fromEntries(added) };
  return { edit, bash: all, webfetch: all, external_directory: outside };
}
