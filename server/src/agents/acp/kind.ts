import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { OPENING_FILE } from '../../domain/protocol.ts';
import type { StartRequest } from '../../ports/agents.ts';
import { type AgentKind, KIND_DEFAULTS, type Programs } from '../common/kind.ts';
import { stdioCommand, stdioScripts } from '../common/mcp-servers.ts';
import { readQuotaReset } from '../common/quota.ts';
import { definedCommand, SERVER_NAME } from '../common/start.ts';

/** The properties in which agents driven over the Agent Client Protocol (ACP) differ. */
interface AcpAgent {
  id: AgentKindName;
  name: string;
  program: string | null;
  builtIn: boolean;
  environment: readonly string[];
  /** Returns the command line that starts the agent. */
  command(request: StartRequest): { file: string; args: string[] };
  protocolModes: AgentKind['protocolModes'];
}

/** Parameters with which a conversation is opened, besides its cwd. Each is sent only if the agent supports it. */
export interface Opening {
  /** The console's MCP server over HTTP and over stdio; null for an agent that finds it in its own settings. */
  own: { http: object; stdio: object } | null;
  /** The session's MCP servers besides the console's own. */
  others: readonly object[];
  /** Instructions about the session; null for an agent that finds them in its own settings. */
  instructions: string | null;
  /** Directories, besides the cwd, to which the agent may write. */
  directories: readonly string[];
  /** Settings for the field `_meta`, which the protocol leaves to each agent to define; null if there are none. */
  meta: object | null;
}

/**
 * Parameters for an agent that reads instructions, MCP servers and directories from its own settings, so that the
 * console sends none over ACP.
 */
export const EMPTY_OPENING: Opening = { own: null, others: [], instructions: null, directories: [], meta: null };

/**
 * Returns the file `OPENING_FILE` of a start plan, with `opening` as its content. The console later reads this file to
 * open the conversation.
 */
export const openingFile = (opening: Opening) => ({ [OPENING_FILE]: JSON.stringify(opening) });

/**
 * Creates the kind of an agent that is driven over ACP. Such an agent has no terminal, so nothing is read from a
 * screen.
 */
export function acpKind(programs: Programs, { command, ...agent }: AcpAgent): AgentKind {
  return {
    ...KIND_DEFAULTS,
    ...agent,
    driver: 'acp',
    readQuotaReset,
    commandCharacters: ['/'],
    safePrefix: 'Message:',
    nativeId: 'agent',
    supportsFork: false,
    bracketedPaste: false,
    reports: 'start',
    connects: 'use',
    keys: { interrupt: '', clearLine: '' },
    start(request) {
      const { instructions, addedFolders: directories } = request;
      const opening = { ...EMPTY_OPENING, ...serversOf(request, programs), instructions, directories };
      const files = { ...openingFile(opening), ...stdioScripts(request) };
      return { ...command(request), env: {}, files, overlay: null };
    },
    openConversations: null,
    readTitle: () => null,
    readProgress: {},
    readScreen: () => null,
    readInput: null,
    readSignal: () => [],
  };
}

/**
 * Returns the MCP servers of a session, in the format of ACP. The console's own server is described for HTTP and for
 * stdio, because not every agent supports HTTP.
 */
export function serversOf(request: StartRequest, { cli }: Programs): Pick<Opening, 'own' | 'others'> {
  const { url, token } = request.mcp;
  const name = SERVER_NAME;
  const variables = [
    { name: 'AGENT_CONSOLE_BASE_URL', value: new URL(url).origin },
    { name: 'AGENT_CONSOLE_TOKEN', value: token },
  ];
  const others = request.servers.map((server) =>
    server.transport === 'stdio'
      ? { name: server.name, ...stdioCommand(request, server.name), env: [] }
      : { name: server.name, type: server.transport, url: server.url, headers: headersOf(server.headers) },
  );
  return {
    own: {
      http: { name, type: 'http', url, headers: headersOf({ authorization: `Bearer ${token}` }) },
      stdio: { name, command: process.execPath, args: [cli, 'mcp', 'serve'], env: variables },
    },
    others,
  };
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/**
 * Names that agents use for each permission mode. For an agent of an unknown kind, the first of these names that the
 * agent offers is used.
 */
const COMMON_MODES: Readonly<Record<PermissionMode, readonly string[]>> = {
  default: ['default', 'ask', 'manual'],
  ask: ['ask', 'read-only', 'default', 'manual'],
  plan: ['plan', 'architect'],
  acceptEdits: ['acceptEdits', 'accept-edits', 'autoEdit', 'auto_edit', 'auto-edit'],
  auto: ['workspace-write', 'acceptEdits', 'accept-edits', 'autoEdit', 'auto_edit', 'auto-edit'],
  'on-failure': ['on-failure', 'workspace-write', 'acceptEdits', 'autoEdit'],
  bypassPermissions: ['bypassPermissions', 'bypass', 'yolo', 'agent-full-access', 'full-access'],
  'allow-all': ['agent-full-access', 'full-access', 'bypassPermissions', 'bypass', 'yolo'],
};

/** The kind of every agent that communicates over ACP and has no kind of its own. */
export const customAcpKind = (programs: Programs): AgentKind =>
  acpKind(programs, {
    id: 'acp',
    name: 'ACP agent',
    program: null,
    builtIn: false,
    environment: [],
    command: (request) => definedCommand(request, '--acp'),
    protocolModes: COMMON_MODES,
  });

export const scriptedAcpKind = (programs: Programs): AgentKind =>
  acpKind(programs, {
    id: 'scripted-acp',
    name: 'Scripted agent (ACP)',
    program: null,
    builtIn: true,
    environment: ['SCRIPTED_AGENT_LOGIN'],
    command: ({ transcriptDir }) => ({
      file: process.execPath,
      args: [programs.scriptedAgent, '--acp', transcriptDir],
    }),
    protocolModes: {
      default: ['default'],
      acceptEdits: ['acceptEdits'],
      plan: ['plan'],
      bypassPermissions: ['bypassPermissions'],
    },
  });
