import type { SessionMcpServer, StartRequest } from '../../ports/agents.ts';
import { inFolder, shellWord } from './start.ts';

const scriptName = (server: string) => `servers/${server}.sh`;

/**
 * Returns the command that starts a stdio server: a script in the worker's folder, which sets the server's variables.
 * The variables therefore appear neither in arguments nor in the agent's environment, and no agent expands a `$` in
 * them.
 */
export function stdioCommand(
  request: Pick<StartRequest, 'folder'>,
  server: string,
): { command: string; args: string[] } {
  return { command: '/bin/sh', args: [inFolder(request, scriptName(server))] };
}

/** Returns the scripts that start the stdio servers, as files of a start plan. */
export function stdioScripts({ servers }: Pick<StartRequest, 'servers'>): Record<string, string> {
  return Object.fromEntries(
    servers.flatMap((server) => {
      if (server.transport !== 'stdio') return [];
      const variables = Object.entries(server.env).map(([name, value]) => `export ${name}=${shellWord(value)}\n`);
      return [[scriptName(server.name), `${variables.join('')}exec ${server.command.map(shellWord).join(' ')}\n`]];
    }),
  );
}

/**
 * Returns the header values of HTTP and SSE servers, each with its server and its index among that server's headers.
 */
export function headersOf(servers: readonly SessionMcpServer[]): { server: string; index: number; value: string }[] {
  return servers.flatMap((server) =>
    server.transport === 'stdio'
      ? []
      : Object.values(server.headers).map((value, index) => ({ server: server.name, index, value })),
  );
}

/** Returns the servers by name, in the format of Claude Code's `--mcp-config` file. */
export function serversAsJson(request: StartRequest): Record<string, unknown> {
  return Object.fromEntries(
    request.servers.map((server) => {
      const { name, transport: type } = server;
      if (server.transport === 'stdio') return [name, { type, ...stdioCommand(request, name) }];
      return [name, { type, url: server.url, headers: server.headers }];
    }),
  );
}
