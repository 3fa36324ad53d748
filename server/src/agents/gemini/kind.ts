import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { type ParseError, parse } from 'jsonc-parser';
import type { Conversation, StartRequest } from '../../ports/agents.ts';
import { asFields, type Fields } from '../common/fields.ts';
import { appendInput, appendName } from '../common/hooks.ts';
import { type AgentKind, KIND_DEFAULTS, unsupportedConversation } from '../common/kind.ts';
import { stdioCommand, stdioScripts } from '../common/mcp-servers.ts';
import {
  CLEAR_LINES,
  commandOf,
  inFolder,
  permissionByTable,
  requireNativeId,
  SERVER_NAME,
  THREE_MODES,
  variablesIn,
} from '../common/start.ts';
import { geminiReading } from './reading.ts';
import { openGeminiConversations } from './transcript.ts';

export const APPROVAL_MODES: Readonly<Partial<Record<PermissionMode, string>>> = {
  default: 'default',
  acceptEdits: 'auto_edit',
  bypassPermissions: 'yolo',
};
const SETTINGS = '.gemini/settings.json';
const TRUSTED_FOLDERS = '.gemini/trustedFolders.json';
const REPORTED_HOOKS = ['SessionStart', 'BeforeAgent', 'Notification', 'AfterAgent', 'SessionEnd'];
/** Name of the folder, in the worker's folder, that contains Gemini's folder `.gemini`. */
const HOME = 'home';
/**
 * Name of the context file with the console's instructions. The name is unusual, so that no other context file has the
 * same name.
 */
const CONTEXT = 'AGENT_CONSOLE_SESSION.md';

/**
 * Kind of Gemini CLI. Gemini reads settings for a single process only from files that root owns. Therefore Gemini gets
 * a folder in place of ~/.gemini. The console writes the settings and a context file into this folder. Almost all other
 * entries are the user's own (login, commands, extensions, conversations).
 */
export const geminiKind: AgentKind = {
  ...KIND_DEFAULTS,
  ...geminiReading,
  id: 'gemini',
  name: 'Gemini CLI',
  program: 'gemini',
  npmPackage: '@google/gemini-cli',
  commandCharacters: ['/', '!', '@', '?'],
  safePrefix: 'Message:',
  trailingSpace: true,
  environment: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_CONFIG'],
  nativeId: 'console',
  switchesConversation: true,
  // Gemini names its files by the first 8 digits of the id. Sessions created within a minute share these digits, so the
  // random end of the session's id is put first.
  conversationId: (sessionId) => sessionId.slice(-8) + sessionId.slice(8, -8) + sessionId.slice(0, 8),
  supportsFork: false,
  permission: permissionByTable(THREE_MODES, 'Gemini'),
  reports: 'start',
  connects: 'start',
  trustFolder: () => ({ args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
  note: 'Before the first prompt in a folder, Gemini asks whether to trust it. Trust your repository to avoid the question in its worktrees. Settings changed inside a session are lost when the agent ends; change them in your own terminal. Commands that Gemini runs do not see your global git configuration, so Gemini cannot commit in a repository that does not set user.name and user.email itself.',
  userFiles: [SETTINGS, TRUSTED_FOLDERS],
  namedVariables: (files) => variablesIn(files[SETTINGS], /\$\{?([A-Za-z_]\w*)/g),
  loginCommand: 'gemini',
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
      'settings.json': JSON.stringify(mergeSettings(settings, request), null, 2),
      [CONTEXT]: `${request.instructions}\n`,
      ...trust.files,
    };
    // After its trust question is answered, Gemini restarts itself with the same arguments. It would then refuse an id
    // in the arguments, because a conversation with this id has existed since the first start. So if Gemini will ask,
    // it chooses the id itself.
    const choosesId = trust.asks && request.conversation.mode === 'new';
    return {
      file,
      args: [
        ...args,
        ...(choosesId ? [] : conversationArgs(request.conversation)),
        ...request.addedFolders.flatMap((folder) => ['--include-directories', folder]),
        '--approval-mode',
        APPROVAL_MODES[request.mode] ?? 'default',
      ],
      env: { GEMINI_CLI_HOME: inFolder(request, HOME), GEMINI_CLI_TRUSTED_FOLDERS_PATH: trust.path },
      files: {
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`${HOME}/.gemini/${name}`, text])),
        ...stdioScripts(request),
      },
      choosesId,
      overlay: {
        of: '.gemini',
        into: `${HOME}/.gemini`,
        // Gemini saves projects.json by replacing the file, which would replace a link to the user's file. The file is
        // left out, because Gemini does not need it: each project folder contains the path of its working directory.
        except: [...Object.keys(own), 'projects.json'],
        make: ['tmp', 'history'],
      },
    };
  },
  // Without a terminal, Gemini denies every tool that requires permission. Without permission, Gemini can only read its
  // own folder, which is empty.
  oneShot: (prompt) => ({
    args: ['--approval-mode', 'default', '-p', prompt],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
  openConversations: openGeminiConversations,
  registration: {
    configFiles: (env, home) => [join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json')],
    entry: { format: 'json', container: 'mcpServers', value: (url) => ({ httpUrl: url, timeout: 180_000 }) },
  },
};

function conversationArgs(conversation: Conversation): string[] {
  if (conversation.mode === 'fork') throw unsupportedConversation('gemini', 'fork');
  const nativeId = requireNativeId(conversation.nativeId, 'Gemini');
  return conversation.mode === 'resume' ? ['--resume', nativeId] : ['--session-id', nativeId];
}

/** Parses Gemini's settings, which are JSON with comments. Malformed settings count as empty. */
function readObject(text: string | undefined): Fields {
  if (text === undefined) return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace('\ufeff', ''), errors, { allowTrailingComma: true });
  return errors.length === 0 ? asFields(value) : {};
}

function mergeSettings(settings: Fields, request: StartRequest): Fields {
  const { mcp, signalsFile } = request;
  const hook = (command: string) => ({ hooks: [{ name: SERVER_NAME, type: 'command', command, timeout: 10_000 }] });
  const hooks: Fields = { ...asFields(settings.hooks) };
  const add = (event: string, command: string) => {
    const own = hooks[event];
    hooks[event] = [...(Array.isArray(own) ? own : []), hook(command)];
  };
  for (const event of REPORTED_HOOKS) add(event, appendInput(signalsFile));
  add('AfterTool', appendName(signalsFile, 'AfterTool'));
  return {
    ...settings,
    // Gemini reads the context file from its configuration folder, like the user's own context files. An additional
    // folder for the file would cause another trust question.
    context: { ...asFields(settings.context), fileName: [...contextNames(settings), CONTEXT] },
    // Without this setting, Gemini would read every file whose name follows an `@` in pasted text.
    ui: { ...asFields(settings.ui), escapePastedAtSymbols: true },
    hooks,
    mcpServers: {
      ...asFields(settings.mcpServers),
      ...serverSettings(request),
      [SERVER_NAME]: {
        httpUrl: mcp.url,
        headers: { Authorization: `Bearer ${mcp.token}` },
        timeout: mcp.timeoutMs,
        // The console itself checks calls of its own tools. An approval for each call would block every delegation.
        trust: true,
      },
    },
  };
}

function serverSettings(request: StartRequest): Fields {
  return Object.fromEntries(
    request.servers.map((server) => {
      if (server.transport === 'stdio') return [server.name, stdioCommand(request, server.name)];
      const { url, headers } = server;
      return [server.name, server.transport === 'http' ? { httpUrl: url, headers } : { url, type: 'sse', headers }];
    }),
  );
}

/** Returns the names of the context files, as the user's settings define them. */
function contextNames(settings: Fields): string[] {
  const chosen = asFields(settings.context).fileName;
  const names = (Array.isArray(chosen) ? chosen : [chosen]).filter(
    (name): name is string => typeof name === 'string' && name.trim() !== '',
  );
  return names.length > 0 ? names : ['GEMINI.md'];
}

/**
 * Returns whether Gemini will ask whether to trust the folder (`asks`). Also returns the path of the file with the
 * trusted folders, and its content if the console writes that file.
 */
function folderTrust(
  settings: Fields,
  { userFiles, userPaths, cwd, repository, folder }: StartRequest,
): { asks: boolean; path: string; files: Record<string, string> } {
  const rules = readObject(userFiles[TRUSTED_FOLDERS]);
  const isOff = asFields(asFields(settings.security).folderTrust).enabled === false;
  // Gemini stores the user's answer to a trust question by replacing this file. If the path were a link, Gemini would
  // replace only the link. So the path must be the user's own file.
  const usersFile = { path: userPaths[TRUSTED_FOLDERS] ?? '', files: {} };
  if (isOff || trustOf(rules, cwd) !== null) return { asks: false, ...usersFile };
  const inherited = repository === null ? null : trustOf(rules, repository.path);
  if (inherited === null) return { asks: true, ...usersFile };
  // A worktree is trusted if the user trusts its repository's folder. The console does the same for other agents.
  const text = JSON.stringify({ ...rules, [cwd]: inherited ? 'TRUST_FOLDER' : 'DO_NOT_TRUST' }, null, 2);
  const name = 'trustedFolders.json';
  return { asks: false, path: inFolder({ folder }, `${HOME}/.gemini/${name}`), files: { [name]: text } };
}

/**
 * Returns whether the user trusts a folder: of the rules for the folder and its parent folders, the one with the
 * longest path decides. Returns null if there is no such rule.
 */
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
