import { join } from 'node:path';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Conversation, StartRequest } from '../../ports/agents.ts';
import { appendInput, appendName } from '../common/hooks.ts';
import { type AgentKind, KIND_DEFAULTS } from '../common/kind.ts';
import { serversAsJson, stdioScripts } from '../common/mcp-servers.ts';
import { CLEAR_LINES, commandOf, inFolder, permissionByTable, requireNativeId, SERVER_NAME } from '../common/start.ts';
import { claudeCodeReading } from './reading.ts';
import { openClaudeCodeConversations } from './transcript.ts';

/** Value of `--permission-mode` for each mode of the console (Claude Code 2.1.197 and 2.1.330). */
const MODES: Readonly<Record<PermissionMode, PermissionMode>> = {
  default: 'default',
  acceptEdits: 'acceptEdits',
  bypassPermissions: 'bypassPermissions',
  plan: 'plan',
  ask: 'default',
  auto: 'acceptEdits',
  'on-failure': 'acceptEdits',
  'allow-all': 'bypassPermissions',
};
/**
 * Hooks whose whole input is written to the signals file. No hook runs when a person interrupts the agent with Esc;
 * only the screen shows the interruption.
 */
const REPORTED_HOOKS = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'Notification',
  'Stop',
  'StopFailure',
  'SessionEnd',
];
/**
 * Hooks of which only the name is written to the signals file, because their input contains the data that tools read
 * and wrote.
 */
const NAMED_HOOKS = ['PostToolUse', 'PostToolUseFailure'];

export const claudeCodeKind: AgentKind = {
  ...KIND_DEFAULTS,
  ...claudeCodeReading,
  id: 'claude-code',
  name: 'Claude Code',
  program: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  commandCharacters: ['/', '!', '#', '@'],
  safePrefix: 'Message:',
  trailingSpace: true,
  // IS_SANDBOX is included, because Claude Code bypasses permissions for the user root only if this variable is set.
  environment: [
    'ANTHROPIC_*',
    'CLAUDE_*',
    'AWS_*',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'CLOUD_ML_REGION',
    'IS_SANDBOX',
    'DISABLE_TELEMETRY',
    'DISABLE_AUTOUPDATER',
    'DISABLE_ERROR_REPORTING',
    'ENABLE_TOOL_SEARCH',
  ],
  nativeId: 'console',
  permission: permissionByTable(MODES, 'Claude Code'),
  reports: 'start',
  recordsTurnEnds: true,
  connects: 'start',
  trustFolder: () => ({ args: [], env: { CLAUDE_CODE_SANDBOXED: '1' } }),
  loginCommand: 'claude',
  login: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: [
      { path: '.claude/.credentials.json', keys: [] },
      { path: '.claude.json', keys: ['oauthAccount', 'primaryApiKey'] },
    ],
    trace: '.claude.json',
  },
  // An interrupt puts the prompt back into the input line (2.1.330), so the line is cleared before the next prompt.
  keys: { interrupt: '\x1b', clearLine: CLEAR_LINES },
  readsImages: true,
  start(request) {
    const { file, args } = commandOf(request, 'claude');
    const { mode, mcp } = request;
    return {
      file,
      args: [
        ...args,
        ...conversationArgs(request.conversation),
        '--permission-mode',
        mode,
        '--mcp-config',
        inFolder(request, 'mcp.json'),
        '--settings',
        inFolder(request, 'settings.json'),
        '--append-system-prompt-file',
        inFolder(request, 'instructions.md'),
        // The console itself checks calls of its own tools. An approval for each call would block every delegation.
        `--allowedTools=mcp__${SERVER_NAME}`,
      ],
      env: { MCP_TOOL_TIMEOUT: String(mcp.timeoutMs) },
      files: {
        'mcp.json': JSON.stringify({
          mcpServers: {
            ...serversAsJson(request),
            [SERVER_NAME]: { type: 'http', url: mcp.url, headers: { Authorization: `Bearer ${mcp.token}` } },
          },
        }),
        ...stdioScripts(request),
        'settings.json': JSON.stringify(settings(request)),
        'instructions.md': `${request.instructions}\n`,
      },
      overlay: null,
    };
  },
  oneShot: (prompt) => ({
    // The run has no tools, MCP servers or stored conversation, because only text is needed and the prompt may be
    // hostile.
    args: [
      '-p',
      '--permission-mode',
      'plan',
      '--tools',
      '',
      '--strict-mcp-config',
      '--no-session-persistence',
      '--',
      prompt,
    ],
    env: {},
  }),
  openConversations: openClaudeCodeConversations,
  registration: {
    configFiles: (env, home) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    // Claude Code silently skips an MCP server whose entry has no `type`.
    entry: { format: 'json', container: 'mcpServers', value: (url) => ({ type: 'http', url }) },
  },
};

const requireUuid = (id: string | null) => requireNativeId(id, 'Claude Code');

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return ['--session-id', requireUuid(conversation.nativeId)];
    case 'resume':
      return ['--resume', requireUuid(conversation.nativeId)];
    case 'fork':
      return [
        '--resume',
        requireUuid(conversation.from),
        '--fork-session',
        '--session-id',
        requireUuid(conversation.nativeId),
      ];
  }
}

/** Returns the settings for one agent process. Claude Code applies them in addition to the user's settings. */
function settings(request: StartRequest): Record<string, unknown> {
  const group = (command: string) => [{ hooks: [{ type: 'command', command, timeout: 10 }] }];
  const hooks = Object.fromEntries([
    ...REPORTED_HOOKS.map((event) => [event, group(appendInput(request.signalsFile))]),
    ...NAMED_HOOKS.map((event) => [event, group(appendName(request.signalsFile, event))]),
  ]);
  // Rules are used instead of --add-dir. With --add-dir, Claude Code 2.1.330 would ask whether to trust the folder, and
  // would load the folder's skills and subagents, which other agents may have written.
  const allow = folderRules(request);
  return {
    hooks,
    ...(allow.length > 0 && { permissions: { allow } }),
    // Without this setting, Claude Code asks a person to confirm the mode, although it was chosen for the session.
    ...(request.mode === 'bypassPermissions' && { skipDangerousModePermissionPrompt: true }),
  };
}

/** Returns rules that let Claude Code use files in the session's folders outside its cwd without asking. */
export function folderRules({
  addedFolders,
  readFolders,
}: Pick<StartRequest, 'addedFolders' | 'readFolders'>): string[] {
  // In these rules, `//` begins an absolute path, and `Edit` also allows new files.
  return [
    ...addedFolders.flatMap((folder) => [`Read(/${folder}/**)`, `Edit(/${folder}/**)`]),
    ...readFolders.map((folder) => `Read(/${folder}/**)`),
  ];
}
