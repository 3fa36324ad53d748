import { ConsoleError } from '@agent-console/shared/errors';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { Conversation, StartRequest } from '../ports/agents.ts';
import { appendInput, appendName } from './hooks.ts';
import type { AgentKind } from './kind.ts';
import { serversAsJson, starters } from './other-servers.ts';
import { byTable, CLEAR_LINES, commandOf, inFolder, SERVER_NAME } from './parts.ts';
import { claudeCodeReading } from './reading/claude-code.ts';

/** Its own names for what may be asked; `--permission-mode` takes them as they are (2.1.197 and 2.1.330). */
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
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Hooks whose whole report is wanted. Esc is reported by none of them, which the screen makes up for. */
const REPORTED = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'Notification',
  'Stop',
  'StopFailure',
  'SessionEnd',
];
/** Hooks whose coming is all that is wanted: their reports hold what tools read and wrote. */
const NAMED = ['PostToolUse', 'PostToolUseFailure'];

export const claudeCodeKind: AgentKind = {
  ...claudeCodeReading,
  id: 'claude-code',
  name: 'Claude Code',
  program: 'claude',
  commandCharacters: ['/', '!', '#', '@'],
  safePrefix: 'Message:',
  blankBehind: true,
  // IS_SANDBOX is asked for by root before permissions may be bypassed.
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
  nativeId: 'ours',
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: true,
  supportsFork: true,
  bracketedPaste: true,
  defaultMode: 'acceptEdits',
  permission: byTable(MODES, 'Claude Code'),
  readsHelp: false,
  reports: 'start',
  recordsEnds: true,
  connects: 'start',
  mcpTransports: ['stdio', 'http', 'sse'],
  trustFolder: () => ({ args: [], env: { CLAUDE_CODE_SANDBOXED: '1' } }),
  note: null,
  userFiles: [],
  namedVariables: () => [],
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
  // An interrupted prompt is put back into the input line (2.1.330), so the line is cleared before the next one.
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
        // Our own tools are bounded by the console's gate; a question for each call would stop every delegation.
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
        ...starters(request),
        'settings.json': JSON.stringify(settings(request)),
        'instructions.md': `${request.instructions}\n`,
      },
      overlay: null,
    };
  },
  oneShot: (prompt) => ({
    // No tool, no server of the person's own, and nothing kept: it is asked for words, and what it reads may be hostile.
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
};

function conversationArgs(conversation: Conversation): string[] {
  switch (conversation.mode) {
    case 'new':
      return ['--session-id', uuid(conversation.nativeId)];
    case 'resume':
      return ['--resume', uuid(conversation.nativeId)];
    case 'fork':
      return ['--resume', uuid(conversation.from), '--fork-session', '--session-id', uuid(conversation.nativeId)];
  }
}

function uuid(id: string | null): string {
  if (id !== null && UUID.test(id)) return id;
  throw new ConsoleError('VALIDATION', `A Claude Code conversation needs a UUID, not ${JSON.stringify(id)}`, {
    nativeId: id,
  });
}

/** Settings of this process alone; the person's own stay in force beside them. */
function settings(request: StartRequest): Record<string, unknown> {
  const group = (command: string) => [{ hooks: [{ type: 'command', command, timeout: 10 }] }];
  const hooks = Object.fromEntries([
    ...REPORTED.map((event) => [event, group(appendInput(request.signalsFile))]),
    ...NAMED.map((event) => [event, group(appendName(request.signalsFile, event))]),
  ]);
  // The person who chose this mode for the session has said yes already; the dialog would wait for a keyboard.
  return request.mode === 'bypassPermissions' ? { hooks, skipDangerousModePermissionPrompt: true } : { hooks };
}
