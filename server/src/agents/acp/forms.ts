import type { PermissionMode } from '@agent-console/shared/models/session';
import * as v from 'valibot';
import type { EffectivePermission, Installation, StartPlan, StartRequest } from '../../ports/agents.ts';
import { claudeCodeKind, folderRules } from '../claude-code/kind.ts';
import { codexKind, codexSettings, codexVariables, writableFolders } from '../codex/kind.ts';
import type { AgentKind, Programs } from '../common/kind.ts';
import { stdioScripts } from '../common/mcp-servers.ts';
import { commandOf, permissionByTable, SERVER_NAME } from '../common/start.ts';
import { APPROVAL_MODES, geminiKind } from '../gemini/kind.ts';
import { opencodeKind } from '../opencode/kind.ts';
import { acpKind, EMPTY_OPENING, openingFile, serversOf } from './kind.ts';

/** The ACP version of an agent that can also run in a terminal. Both versions share login, variables and settings. */

type AcpVersion = Pick<AgentKind, 'id' | 'name' | 'protocolModes'> &
  Partial<Omit<AgentKind, 'start'>> & {
    /**
     * Plans the start of the agent. `flag` is the argument that makes the program use ACP; `more` are the arguments
     * after it.
     */
    plan(request: StartRequest): Omit<StartPlan, 'file' | 'args'> & { flag?: string; more?: readonly string[] };
  };

function acpVersionOf(kind: AgentKind, programs: Programs, { plan, ...own }: AcpVersion): AgentKind {
  const { environment, permission, defaultMode, userFiles, namedVariables, connects, mcpTransports } = kind;
  const { login, loginCommand } = kind;
  const shared = { environment, permission, defaultMode, userFiles, namedVariables, connects, mcpTransports };
  const version = {
    ...shared,
    login,
    loginCommand,
    program: kind.program,
    npmPackage: kind.npmPackage,
    builtIn: true,
    ...own,
  };
  const command = (request: StartRequest) => commandOf(request, version.program ?? '');
  return {
    ...acpKind(programs, { ...version, command }),
    ...version,
    start(request) {
      const { flag, more = [], ...planned } = plan(request);
      const { file, args } = command(request);
      // A command defined by the user may already contain the flag, which is then not added again.
      const flags = flag === undefined || args.includes(flag) ? [] : [flag];
      return { ...planned, file, args: [...args, ...flags, ...more] };
    },
  };
}

/**
 * Placeholder conversation for `kind.start`. The arguments that `kind.start` returns contain the placeholder's id.
 * These arguments are not used, because the actual conversation is opened over the protocol.
 */
const NO_CONVERSATION = { mode: 'new', nativeId: '00000000-0000-4000-8000-000000000000' } as const;

/**
 * Returns a function that plans the start of an agent that, over ACP, reads the console's instructions, tools and
 * permissions from the same files and variables as in a terminal. The console therefore does not send them over the
 * protocol.
 */
function sameSettings(kind: AgentKind, flag: string) {
  return (request: StartRequest) => {
    const { env, files, overlay } = kind.start({ ...request, conversation: NO_CONVERSATION });
    return { flag, env, files: { ...files, ...openingFile(EMPTY_OPENING) }, overlay };
  };
}

/**
 * Adds the mode `plan` to the permission modes of a kind. Some agents offer this mode over ACP but not on their command
 * line.
 */
const withPlan =
  ({ permission }: AgentKind) =>
  (requested: PermissionMode, installed: Installation): EffectivePermission =>
    requested === 'plan' ? { mode: 'plan', note: null } : permission(requested, installed);

export const geminiAcpKind = (programs: Programs): AgentKind =>
  acpVersionOf(geminiKind, programs, {
    id: 'gemini-acp',
    name: 'Gemini CLI (ACP)',
    permission: withPlan(geminiKind),
    trustFolder: geminiKind.trustFolder,
    protocolModes: { default: ['default'], acceptEdits: ['autoEdit'], bypassPermissions: ['yolo'], plan: ['plan'] },
    plan(request) {
      // The mode is passed as an argument, because Gemini (0.61.0) would report a mode change over the protocol as a
      // message of the agent.
      const mode = APPROVAL_MODES[request.mode];
      const planned = sameSettings(geminiKind, '--acp')(request);
      return { ...planned, more: mode === undefined ? [] : ['--approval-mode', mode] };
    },
  });

export const opencodeAcpKind = (programs: Programs): AgentKind =>
  acpVersionOf(opencodeKind, programs, {
    id: 'opencode-acp',
    name: 'opencode (ACP)',
    supportsFork: true,
    permission: withPlan(opencodeKind),
    readsHelp: true,
    protocolModes: { plan: ['plan'] },
    plan: sameSettings(opencodeKind, 'acp'),
  });

/**
 * Kind of the ACP adapter of Claude Code. The adapter contains Claude Code, and receives Claude Code's settings with
 * each conversation.
 */
export const claudeAcpKind = (programs: Programs): AgentKind =>
  acpVersionOf(claudeCodeKind, programs, {
    id: 'claude-acp',
    name: 'Claude Code (ACP)',
    program: 'claude-agent-acp',
    npmPackage: '@agentclientprotocol/claude-agent-acp',
    supportsFork: true,
    environment: [...claudeCodeKind.environment, 'MAX_THINKING_TOKENS'],
    protocolModes: {
      default: ['default'],
      acceptEdits: ['acceptEdits'],
      plan: ['plan'],
      bypassPermissions: ['bypassPermissions'],
    },
    plan: (request) => ({
      env: { MCP_TOOL_TIMEOUT: String(request.mcp.timeoutMs) },
      files: {
        ...openingFile({
          ...EMPTY_OPENING,
          ...serversOf(request, programs),
          meta: {
            systemPrompt: { append: request.instructions },
            // The console itself checks calls of its own tools. An approval for each call would block every delegation.
            claudeCode: { options: { allowedTools: [`mcp__${SERVER_NAME}`, ...folderRules(request)] } },
          },
        }),
        ...stdioScripts(request),
      },
      overlay: null,
    }),
  });

/**
 * Mode of the adapter for each mode of the console. The adapter has no approval policy `on-failure`. It also has no
 * mode that stays in the sandbox and never asks.
 */
const CODEX_MODES: Readonly<Record<PermissionMode, PermissionMode>> = {
  ask: 'ask',
  default: 'ask',
  plan: 'ask',
  auto: 'auto',
  acceptEdits: 'auto',
  'on-failure': 'auto',
  'allow-all': 'allow-all',
  bypassPermissions: 'allow-all',
};

const ThreadStatus = v.object({ codex: v.object({ threadStatus: v.object({ type: v.string() }) }) });

/**
 * Whether the status of Codex's conversation (`threadStatus`) reports a failure; null if `extra` contains no status.
 * Only the status shows a failure, because the adapter (2.6.0) ends a failed turn like a completed one.
 */
function hasThreadFailed(extra: Readonly<Record<string, unknown>>): boolean | null {
  const read = v.safeParse(ThreadStatus, extra);
  return read.success ? read.output.codex.threadStatus.type === 'systemError' : null;
}

/**
 * Kind of the ACP adapter of Codex. The adapter contains Codex. The settings that Codex takes on its command line are
 * passed to the adapter in an environment variable.
 */
export const codexAcpKind = (programs: Programs): AgentKind =>
  acpVersionOf(codexKind, programs, {
    id: 'codex-acp',
    name: 'Codex (ACP)',
    program: 'codex-acp',
    npmPackage: '@agentclientprotocol/codex-acp',
    supportsFork: true,
    commandCharacters: ['/', '$'],
    permission: permissionByTable(CODEX_MODES, 'Codex (ACP)'),
    environment: [...codexKind.environment, 'MODEL_PROVIDER', 'DEFAULT_AUTH_REQUEST', 'NO_BROWSER'],
    note: 'The ACP adapter of Codex trusts the folder of each session without asking. In the mode "allow-all", Codex runs without a sandbox.',
    readTurnFailure: hasThreadFailed,
    protocolModes: {
      ask: ['read-only'],
      auto: ['workspace-write'],
      'allow-all': ['agent-full-access'],
    },
    plan: (request) => ({
      env: { CODEX_CONFIG: JSON.stringify(codexSettings(request)), ...codexVariables(request) },
      files: {
        ...openingFile({ ...EMPTY_OPENING, directories: writableFolders(request) }),
        ...stdioScripts(request),
      },
      overlay: null,
    }),
  });
