import type { PermissionMode } from '@agent-console/shared/models/session';
import * as v from 'valibot';
import type { EffectivePermission, Installation, StartPlan, StartRequest } from '../../ports/agents.ts';
import { claudeCodeKind } from '../claude-code/kind.ts';
import { codexKind, codexSettings, codexVariables, gitFolders } from '../codex/kind.ts';
import type { AgentKind, Programs } from '../common/kind.ts';
import { stdioScripts } from '../common/mcp-servers.ts';
import { commandOf, permissionByTable, SERVER_NAME } from '../common/start.ts';
import { APPROVAL_MODES, geminiKind } from '../gemini/kind.ts';
import { opencodeKind } from '../opencode/kind.ts';
import { acpKind, NOTHING_TO_OFFER, openingFile, serversOf } from './kind.ts';

/** The ACP forms of agents that also run in a terminal. They share login, variables and settings with that form. */

type Form = Pick<AgentKind, 'id' | 'name' | 'protocolModes'> &
  Partial<Omit<AgentKind, 'start'>> & {
    /** Plans a start. `flag` is the argument with which the program speaks ACP. */
    plan(request: StartRequest): Omit<StartPlan, 'file' | 'args'> & { flag?: string; more?: readonly string[] };
  };

function formOf(kind: AgentKind, programs: Programs, { plan, ...own }: Form): AgentKind {
  const { environment, permission, defaultMode, userFiles, namedVariables, login, connects, mcpTransports } = kind;
  const shared = { environment, permission, defaultMode, userFiles, namedVariables, login, connects, mcpTransports };
  const form = { ...shared, program: kind.program, builtIn: true, ...own };
  const command = (request: StartRequest) => commandOf(request, form.program ?? '');
  return {
    ...acpKind(programs, { ...form, command }),
    ...form,
    start(request) {
      const { flag, more = [], ...planned } = plan(request);
      const { file, args } = command(request);
      // The command of a definition may contain the flag already.
      const flags = flag === undefined || args.includes(flag) ? [] : [flag];
      return { ...planned, file, args: [...args, ...flags, ...more] };
    },
  };
}

/**
 * Placeholder conversation for `kind.start`. The arguments that contain its id are not used, because the conversation
 * is opened over the protocol.
 */
const NO_CONVERSATION = { mode: 'new', nativeId: '00000000-0000-4000-8000-000000000000' } as const;

/**
 * Plans an agent that reads the same settings in both forms: the console's instructions, tools and permissions. So
 * nothing is left to offer over the protocol.
 */
function sameSettings(kind: AgentKind, flag: string) {
  return (request: StartRequest) => {
    const { env, files, overlay } = kind.start({ ...request, conversation: NO_CONVERSATION });
    return { flag, env, files: { ...files, ...openingFile(NOTHING_TO_OFFER) }, overlay };
  };
}

/** Adds the mode `plan`, which these agents offer over ACP but not on their command line. */
const withPlan =
  ({ permission }: AgentKind) =>
  (requested: PermissionMode, installed: Installation): EffectivePermission =>
    requested === 'plan' ? { mode: 'plan', note: null } : permission(requested, installed);

export const geminiAcpKind = (programs: Programs): AgentKind =>
  formOf(geminiKind, programs, {
    id: 'gemini-acp',
    name: 'Gemini CLI (ACP)',
    permission: withPlan(geminiKind),
    trustFolder: geminiKind.trustFolder,
    protocolModes: { default: ['default'], acceptEdits: ['autoEdit'], bypassPermissions: ['yolo'], plan: ['plan'] },
    plan(request) {
      // Changed over the protocol, the mode would appear as a message of the agent (0.61.0).
      const mode = APPROVAL_MODES[request.mode];
      const planned = sameSettings(geminiKind, '--acp')(request);
      return { ...planned, more: mode === undefined ? [] : ['--approval-mode', mode] };
    },
  });

export const opencodeAcpKind = (programs: Programs): AgentKind =>
  formOf(opencodeKind, programs, {
    id: 'opencode-acp',
    name: 'opencode (ACP)',
    permission: withPlan(opencodeKind),
    readsHelp: true,
    protocolModes: { plan: ['plan'] },
    plan: sameSettings(opencodeKind, 'acp'),
  });

/** The adapter of Claude Code contains Claude Code, and takes its settings with each conversation. */
export const claudeAcpKind = (programs: Programs): AgentKind =>
  formOf(claudeCodeKind, programs, {
    id: 'claude-acp',
    name: 'Claude Code (ACP)',
    program: 'claude-agent-acp',
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
          ...NOTHING_TO_OFFER,
          ...serversOf(request, programs),
          meta: {
            systemPrompt: { append: request.instructions },
            // The console's gate already checks these tools, and an approval for each call would block every delegation.
            claudeCode: { options: { allowedTools: [`mcp__${SERVER_NAME}`] } },
          },
        }),
        ...stdioScripts(request),
      },
      overlay: null,
    }),
  });

/** The adapter has no approval policy `on-failure`, and no mode that never asks but stays in the sandbox. */
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

/** The adapter ends a turn that failed as if it had been completed, with the error as its last message (2.6.0). */
function hasThreadFailed(extra: Readonly<Record<string, unknown>>): boolean | null {
  const read = v.safeParse(ThreadStatus, extra);
  return read.success ? read.output.codex.threadStatus.type === 'systemError' : null;
}

/**
 * The adapter of Codex contains Codex. It reads the settings that the command line of Codex takes from a variable, and
 * starts no daemon.
 */
export const codexAcpKind = (programs: Programs): AgentKind =>
  formOf(codexKind, programs, {
    id: 'codex-acp',
    name: 'Codex (ACP)',
    program: 'codex-acp',
    commandCharacters: ['/', '$'],
    permission: permissionByTable(CODEX_MODES, 'Codex over ACP'),
    environment: [...codexKind.environment, 'MODEL_PROVIDER', 'DEFAULT_AUTH_REQUEST', 'NO_BROWSER'],
    note: 'The adapter trusts the folder of each session without asking. In the mode "allow-all" it runs without a sandbox.',
    readTurnFailure: hasThreadFailed,
    protocolModes: {
      ask: ['read-only'],
      auto: ['workspace-write'],
      'allow-all': ['agent-full-access'],
    },
    plan: (request) => ({
      env: { CODEX_CONFIG: JSON.stringify(codexSettings(request)), ...codexVariables(request) },
      files: {
        ...openingFile({ ...NOTHING_TO_OFFER, directories: request.mode === 'ask' ? [] : gitFolders(request) }),
        ...stdioScripts(request),
      },
      overlay: null,
    }),
  });
