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
/** Hooks whose whole input is reported. No hook reports that a person pressed Esc; only the screen shows it. */
const REPORTED_HOOKS = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'Notification',
  'Stop',
  'StopFailure',
  'SessionEnd',
];
/** Hooks that report only their name, because their input contains what tools read and wrote. */
const NAMED_HOOKS = ['PostToolUse', 'PostToolUseFailure'];

export const claudeCodeKind: AgentKind = {
  ...KIND_DEFAULTS,
  ...claudeCodeReading,
  id: 'claude-code',
  name: 'Claude Code',
  program: 'claude',
  commandCharacters: ['/', '!', '#', '@'],
  safePrefix: 'Message:',
  trailingSpace: true,
  // Run by root, Claude Code bypasses permissions only if IS_SANDBOX is set.
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
        // The console's gate already checks these tools, and an approval for each call would block every delegation.
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
    // No tools, no MCP servers and no record, because only text is wanted and the prompt may be hostile.
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
    // Claude Code silently skips an entry without a type.
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

/** Returns the settings of this process alone, in addition to the user's own. */
function settings(request: StartRequest): Record<string, unknown> {
  const group = (command: string) => [{ hooks: [{ type: 'command', command, timeout: 10 }] }];
  const hooks = Object.fromEntries([
    ...REPORTED_HOOKS.map((event) => [event, group(appendInput(request.signalsFile))]),
    ...NAMED_HOOKS.map((event) => [event, group(appendName(request.signalsFile, event))]),
  ]);
  // Without this setting, Claude Code asks to confirm the mode. Whoever chose the mode for the session has already
  // agreed.
  return request.mode === 'bypassPermissions' ? { hooks, skipDangerousModePermissionPrompt: true } : { hooks };
}
