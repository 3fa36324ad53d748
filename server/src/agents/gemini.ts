import { dirname, isAbsolute, relative, sep } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { parseJsonWithComments } from '../domain/json-with-comments.ts';
import type { Conversation, StartRequest } from '../ports/agents.ts';
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
/** The context file with its instructions, by a name that nobody else uses. */
const CONTEXT = 'AGENT_CONSOLE_SESSION.md';

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
  switchesConversation: true,
  // Its files are named by the first 8 digits, which all sessions of one minute share: the random end comes first here.
  conversationId: (sessionId) => sessionId.slice(-8) + sessionId.slice(8, -8) + sessionId.slice(0, 8),
  supportsResume: true,
  supportsFork: false,
  bracketedPaste: true,
  defaultMode: 'acceptEdits',
  permission: byTable(THREE_MODES, 'Gemini'),
  readsHelp: false,
  reports: 'start',
  recordsEnds: false,
  connects: 'start',
  mcpTransports: ['stdio', 'http', 'sse'],
  trustFolder: () => ({ args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
  note: 'It asks once whether a folder is to be trusted, before its first prompt there: trust your repository to spare the question for its worktrees. Settings changed inside a session of the console are forgotten when its agent ends; change them in a terminal of your own. Its commands do not see your global git configuration: where a repository has no user.name and user.email of its own, it cannot commit.',
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
    const trust = folderTrust(settings, request);
    const own = {
      'settings.json': JSON.stringify(overSettings(settings, request), null, 2),
      [CONTEXT]: `${request.instructions}\n`,
      ...trust.files,
    };
    // Once its question is answered it starts again with the same arguments, and would refuse an id that it has used.
    const choosesId = trust.asks && request.conversation.mode === 'new';
    return {
      file,
      args: [
        ...args,
        ...(choosesId ? [] : conversationArgs(request.conversation)),
        '--approval-mode',
        APPROVAL[request.mode] ?? 'default',
      ],
      env: { GEMINI_CLI_HOME: inFolder(request, HOME), GEMINI_CLI_TRUSTED_FOLDERS_PATH: trust.path },
      files: {
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`${HOME}/.gemini/${name}`, text])),
        ...starters(request),
      },
      choosesId,
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
    // Read from its home like the person's own: a folder added for it would have to be trusted, by a question of its own.
    context: { ...asFields(settings.context), fileName: [...contextNames(settings), CONTEXT] },
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

/** What its context files are called; the person may have chosen other names. */
function contextNames(settings: Fields): string[] {
  const chosen = asFields(settings.context).fileName;
  const names = (Array.isArray(chosen) ? chosen : [chosen]).filter(
    (name): name is string => typeof name === 'string' && name.trim() !== '',
  );
  return names.length > 0 ? names : ['GEMINI.md'];
}

/** Whether Gemini will ask if the folder is trusted, and the file in which it finds what people answered before. */
function folderTrust(
  settings: Fields,
  { userFiles, userPaths, cwd, repository, folder }: StartRequest,
): { asks: boolean; path: string; files: Record<string, string> } {
  const rules = readObject(userFiles[TRUSTED]);
  const isOff = asFields(asFields(settings.security).folderTrust).enabled === false;
  // What it is answered now, it keeps in the person's own file, by renaming another one over it.
  const theirs = { path: userPaths[TRUSTED] ?? '', files: {} };
  if (isOff || trustOf(rules, cwd) !== null) return { asks: false, ...theirs };
  const inherited = repository === null ? null : trustOf(rules, repository.path);
  if (inherited === null) return { asks: true, ...theirs };
  // A worktree is trusted as far as its repository is, as the other agents do it by themselves.
  const text = JSON.stringify({ ...rules, [cwd]: inherited ? 'TRUST_FOLDER' : 'DO_NOT_TRUST' }, null, 2);
  const name = 'trustedFolders.json';
  return { asks: false, path: inFolder({ folder }, `${HOME}/.gemini/${name}`), files: { [name]: text } };
}

/** What the longest rule that covers a folder says of it; null where none does. */
function trustOf(rules: Fields, folder: string): boolean | null {
  let found: { length: number; trusted: boolean } | null = null;
  for (const [path, level] of Object.entries(rules)) {
    const covered = level === 'TRUST_PARENT' ? dirname(path) : path;
    const below = relative(covered, folder);
    if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) continue;
    if (path.length > (found?.length ?? -1)) found = { length: path.length, trusted: level !== 'DO_NOT_TRUST' };
  }
  return found?.trusted ?? null;
}
