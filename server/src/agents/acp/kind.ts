import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { StartRequest } from '../../ports/agents.ts';
import { type AgentKind, KIND_DEFAULTS, type Programs } from '../common/kind.ts';
import { stdioCommand, stdioScripts } from '../common/mcp-servers.ts';

/** What differs between agents that are driven over the Agent Client Protocol. */
interface AcpAgent {
  id: AgentKindName;
  name: string;
  program: string | null;
  builtIn: boolean;
  environment: readonly string[];
  /** The command line. */
  command(request: StartRequest): readonly string[];
  protocolModes: AgentKind['protocolModes'];
}

/** Creates the kind of an agent that is driven over ACP. It has no terminal, so nothing is read from a screen. */
function acpKind({ command, ...agent }: AcpAgent): AgentKind {
  return {
    ...KIND_DEFAULTS,
    ...agent,
    driver: 'acp',
    commandCharacters: ['/'],
    nativeId: 'agent',
    supportsFork: false,
    bracketedPaste: false,
    reports: 'start',
    connects: 'start',
    keys: { interrupt: '', clearLine: '' },
    start(request) {
      const [file, ...args] = command(request);
      if (!file) {
        const message = `Agent ${request.definition.id} has no command; set one, e.g. ["my-agent", "--acp"]`;
        throw new ConsoleError('VALIDATION', message, { agentId: request.definition.id });
      }
      const files = { 'servers.json': JSON.stringify(serversOf(request)), ...stdioScripts(request) };
      return { file, args, env: {}, files, overlay: null };
    },
    openConversations: null,
    readTitle: () => null,
    readProgress: {},
    readScreen: () => null,
    readInput: null,
    readSignal: () => [],
  };
}

/** The MCP servers of a session, the console's own first, as the connection offers them to the agent. */
function serversOf(request: StartRequest): object[] {
  const { url, token } = request.mcp;
  const own = { name: 'agent-console', type: 'http', url, headers: headersOf({ authorization: `Bearer ${token}` }) };
  const others = request.servers.map((server) =>
    server.transport === 'stdio'
      ? { name: server.name, ...stdioCommand(request, server.name), env: [] }
      : { name: server.name, type: server.transport, url: server.url, headers: headersOf(server.headers) },
  );
  return [own, ...others];
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** Any agent that speaks ACP on its standard streams. */
export const customAcpKind = acpKind({
  id: 'acp',
  name: 'ACP agent',
  program: null,
  builtIn: false,
  environment: [],
  command: ({ definition }) => definition.command,
  protocolModes: {},
});

/** The console's own agent over ACP. */
export const scriptedAcpKind = (programs: Programs): AgentKind =>
  acpKind({
    id: 'scripted-acp',
    name: 'Scripted agent (ACP)',
    program: null,
    builtIn: true,
    environment: [],
    command: ({ transcriptDir }) => [process.execPath, programs.scriptedAgent, '--acp', transcriptDir],
    protocolModes: {
      default: ['default'],
      acceptEdits: ['acceptEdits'],
      plan: ['plan'],
      bypassPermissions: ['bypassPermissions'],
    },
  });
