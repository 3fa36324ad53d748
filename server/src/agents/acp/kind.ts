import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { StartRequest } from '../../ports/agents.ts';
import { type AgentKind, KIND_DEFAULTS, type Programs } from '../common/kind.ts';
import { stdioCommand, stdioScripts } from '../common/mcp-servers.ts';
import { commandOf, definedCommand, SERVER_NAME } from '../common/start.ts';
import { geminiKind } from '../gemini/kind.ts';
import { opencodeKind } from '../opencode/kind.ts';

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

/** Creates the kind of an agent that is driven over ACP. It has no terminal, so nothing is read from a screen. */
function acpKind(programs: Programs, { command, ...agent }: AcpAgent): AgentKind {
  return {
    ...KIND_DEFAULTS,
    ...agent,
    driver: 'acp',
    commandCharacters: ['/'],
    nativeId: 'agent',
    supportsFork: false,
    bracketedPaste: false,
    reports: 'start',
    connects: 'use',
    keys: { interrupt: '', clearLine: '' },
    start(request) {
      const files = { 'servers.json': JSON.stringify(serversOf(request, programs)), ...stdioScripts(request) };
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
 * Returns the MCP servers of a session, in the format of the protocol. The console's own server is described for HTTP
 * and for stdio, because an agent need not support HTTP.
 */
function serversOf(request: StartRequest, { cli }: Programs): object {
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

/** The kind of any agent that speaks ACP on its standard input and output. */
export const customAcpKind = (programs: Programs): AgentKind =>
  acpKind(programs, {
    id: 'acp',
    name: 'ACP agent',
    program: null,
    builtIn: false,
    environment: [],
    command: (request) => definedCommand(request, '--acp'),
    protocolModes: {},
  });

/** The kind of the console's own scripted agent, driven over ACP. */
export const scriptedAcpKind = (programs: Programs): AgentKind =>
  acpKind(programs, {
    id: 'scripted-acp',
    name: 'Scripted agent (ACP)',
    program: null,
    builtIn: true,
    environment: [],
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

/**
 * Creates the ACP form of an agent that also runs in a terminal. It gets the same configuration as in a terminal, which
 * already contains the console's instructions, tools and permissions. So no MCP servers are passed to it over the
 * protocol.
 */
function acpFormOf(
  kind: AgentKind,
  programs: Programs,
  form: Pick<AgentKind, 'id' | 'name' | 'protocolModes'> & { flag: string },
): AgentKind {
  const { flag, ...own } = form;
  const { program, environment, permission, readsHelp, userFiles, namedVariables, login, trustFolder } = kind;
  const commandOfKind = (request: StartRequest) => commandOf(request, program ?? '');
  return {
    ...acpKind(programs, { ...own, program, builtIn: true, environment, command: commandOfKind }),
    ...{ permission, readsHelp, userFiles, namedVariables, login, trustFolder },
    connects: kind.connects,
    start(request) {
      const { env, files, overlay } = kind.start({ ...request, conversation: NO_CONVERSATION });
      const { file, args } = commandOfKind(request);
      const servers = JSON.stringify({ own: null, others: [] });
      return { file, args: [...args, flag], env, files: { ...files, 'servers.json': servers }, overlay };
    },
  };
}

/**
 * Placeholder conversation for `kind.start`. The arguments that contain its id are not used, because the conversation
 * is opened over the protocol.
 */
const NO_CONVERSATION = { mode: 'new', nativeId: '00000000-0000-4000-8000-000000000000' } as const;

export const geminiAcpKind = (programs: Programs): AgentKind =>
  acpFormOf(geminiKind, programs, {
    id: 'gemini-acp',
    name: 'Gemini CLI (ACP)',
    flag: '--acp',
    protocolModes: { default: ['default'], acceptEdits: ['autoEdit'], bypassPermissions: ['yolo'], plan: ['plan'] },
  });

export const opencodeAcpKind = (programs: Programs): AgentKind =>
  acpFormOf(opencodeKind, programs, {
    id: 'opencode-acp',
    name: 'opencode (ACP)',
    flag: 'acp',
    protocolModes: { plan: ['plan'] },
  });
