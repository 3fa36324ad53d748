import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { parseJsonWithComments } from '../domain/json-with-comments.ts';
import type { Conversation, StartRequest } from '../operations/ports/agents.ts';
import { appendInput, appendName } from './hooks.ts';
import { type AgentKind, unsupportedConversation } from './kind.ts';
import { starterOf, starters } from './other-servers.ts';
import { byTable, CLEAR_LINES, commandOf, inFolder, SERVER_NAME, THREE_MODES, variablesIn } from './parts.ts';
import { geminiReading } from './reading/gemini.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const APPROVAL: Readonly<Partial<Record<PermissionMode, string>>> = {
  default: 'default',
  acceptEdits: 'auto_edit',
  bypassPermissions: 'yolo',
};
const SETTINGS = '.gemini/settings.json';
const TRUSTED = '.gemini/trustedFolders.json';
const REPORTED = ['SessionStart', 'BeforeAgent', 'Notification', 'AfterAgent', 'SessionEnd'];
/** Where it finds its configuration, in the worker's folder. */
const HOME = 'home';

/**
 * Gemini takes settings of one process from files only that root owns. So it is shown a folder of ours in place of
 * ~/.gemini in which everything but the settings is the person's own: log-in, commands, extensions, conversations.
 */
export const geminiKind: AgentKind = {
  ...geminiReading,
  id: 'gemini',
  name: 'Gemini CLI',
  program: 'gemini',
  commandCharacters: ['/', '!', '@', '?'],
  safePrefix: 'Message:',
  blankBehind: true,
  environment: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_CONFIG'],
  nativeId: 'ours',
  // Its files are named by the first 8 digits, which all sessions of one minute share: the random end comes first here.
  conversationId: (sessionId) => sessionId.slice(-8) + sessionId.slice(8, -8) + sessionId.slice(0, 8),
  supportsResume: true,
  supportsFork: false,
  bracketedPaste: true,
  defaultMode: 'acceptEdits',
  permission: byTable(THREE_MODES, 'Gemini'),
  readsHelp: false,
  reports: 'start',
  connects: 'start',
  mcpTransports: ['stdio', 'http', 'sse'],
  trustFolder: () => ({ args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
  note: 'Settings changed inside a session of the console are forgotten when its agent ends; change them in a terminal of your own. Its commands do not see your global git configuration: where a repository has no user.name and user.email of its own, it cannot commit.',
  userFiles: [SETTINGS, TRUSTED],
  namedVariables: (files) => variablesIn(files[SETTINGS], /\$\{?([A-Za-z_]\w*)/g),
  login: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: [{ path: '.gemini/oauth_creds.json', keys: [] }],
    trace: '.gemini',
  },
  keys: { interrupt: '\x1b', clearLine: CLEAR_LINES },
  start(request) {
    const { file, args } = commandOf(request, 'gemini');
    const settings = readObject(request.userFiles[SETTINGS]);
    const trusted = inheritedTrust(request);
    const own = { 'settings.json': JSON.stringify(overSettings(settings, request), null, 2), ...trusted };
    return {
      file,
      args: [
        ...args,
        ...conversationArgs(request.conversation),
        '--approval-mode',
        APPROVAL[request.mode] ?? 'default',
        '--include-directories',
        inFolder(request, 'context'),
      ],
      env: { GEMINI_CLI_HOME: inFolder(request, HOME) },
      files: {
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`${HOME}/.gemini/${name}`, text])),
        ...starters(request),
        [`context/${contextName(settings)}`]: `${request.instructions}\n`,
      },
      overlay: {
        of: '.gemini',
        into: `${HOME}/.gemini`,
        // It replaces the list of projects as a whole file; the folders themselves say whose they are.
        except: [...Object.keys(own), 'projects.json'],
        make: ['tmp', 'history'],
      },
    };
  },
  // Without a terminal whatever it would have to ask for is denied; its folder is ours and empty.
  oneShot: (prompt) => ({
    args: ['--approval-mode', 'default', '-p', prompt],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
};

function conversationArgs(conversation: Conversation): string[] {
  if (conversation.mode === 'fork') throw unsupportedConversation('gemini', 'fork');
  const { mode, nativeId } = conversation;
  if (nativeId === null || !UUID.test(nativeId)) {
    throw new ConsoleError('VALIDATION', `A Gemini conversation needs a UUID, not ${JSON.stringify(nativeId)}`, {
      nativeId,
    });
  }
  return mode === 'resume' ? ['--resume', nativeId] : ['--session-id', nativeId];
}

type Fields = Record<string, unknown>;

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function readObject(text: string | undefined): Fields {
  return text === undefined ? {} : asFields(parseJsonWithComments(text));
}

function overSettings(settings: Fields, request: StartRequest): Fields {
  const { mcp, signalsFile } = request;
  const hook = (command: string) => ({ hooks: [{ name: SERVER_NAME, type: 'command', command, timeout: 10_000 }] });
  const hooks: Fields = { ...asFields(settings.hooks) };
  const add = (event: string, command: string) => {
    const theirs = hooks[event];
    hooks[event] = [...(Array.isArray(theirs) ? theirs : []), hook(command)];
  };
  for (const event of REPORTED) add(event, appendInput(signalsFile));
  add('AfterTool', appendName(signalsFile, 'AfterTool'));
  return {
    ...settings,
    // In pasted text `@` is a sign like any other: else it is followed by a file, a path with a blank before it.
    ui: { ...asFields(settings.ui), escapePastedAtSymbols: true },
    hooks,
    mcpServers: {
      ...asFields(settings.mcpServers),
      ...otherServers(request),
      [SERVER_NAME]: {
        httpUrl: mcp.url,
        headers: { Authorization: `Bearer ${mcp.token}` },
        timeout: mcp.timeoutMs,
        // Our own tools are bounded by the console's gate; a question for each call would stop every delegation.
        trust: true,
      },
    },
  };
}

function otherServers(request: StartRequest): Fields {
  return Object.fromEntries(
    request.servers.map((server) => {
      if (server.transport === 'stdio') return [server.name, starterOf(request, server.name)];
      const { url, headers } = server;
      return [server.name, server.transport === 'http' ? { httpUrl: url, headers } : { url, type: 'sse', headers }];
    }),
  );
}

/** What its context files are called; the person may have chosen another name. */
function contextName(settings: Fields): string {
  const chosen = asFields(settings.context).fileName;
  const name: unknown = Array.isArray(chosen) ? chosen[0] : chosen;
  return typeof name === 'string' && /^[\w-][\w.-]{0,99}$/.test(name) ? name : 'GEMINI.md';
}

/** A worktree is trusted as far as its repository is, as the other agents do it by themselves. */
function inheritedTrust(request: StartRequest): Record<string, string> {
  const { repository, cwd } = request;
  if (repository === null || repository.path === cwd) return {};
  const folders = readObject(request.userFiles[TRUSTED]);
  const trust = folders[cwd] ?? folders[repository.path];
  if (trust === undefined || folders[cwd] !== undefined) return {};
  return { 'trustedFolders.json': JSON.stringify({ ...folders, [cwd]: trust }, null, 2) };
}
