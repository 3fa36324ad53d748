import type { StartRequest } from '../ports/agents.ts';
import { inFolder, shellWord } from './parts.ts';

/** How the MCP servers that a session is given, besides the console's own, get into an agent's configuration. */

const file = (name: string) => `servers/${name}.sh`;

/**
 * What starts a stdio server: a script in the worker's folder. So its variables stand neither in arguments nor in the
 * agent's environment, and no agent takes a `$` in them for a variable of its own.
 */
export function starterOf(request: Pick<StartRequest, 'folder'>, name: string): { command: string; args: string[] } {
  return { command: '/bin/sh', args: [inFolder(request, file(name))] };
}

/** The scripts of all stdio servers, as files of a plan. */
export function starters({ servers }: Pick<StartRequest, 'servers'>): Record<string, string> {
  return Object.fromEntries(
    servers.flatMap((server) => {
      if (server.transport !== 'stdio') return [];
      const variables = Object.entries(server.env).map(([name, value]) => `export ${name}=${shellWord(value)}\n`);
      return [[file(server.name), `${variables.join('')}exec ${server.command.map(shellWord).join(' ')}\n`]];
    }),
  );
}

/** By name, in the form that the file of `--mcp-config` has. */
export function serversAsJson(request: StartRequest): Record<string, unknown> {
  return Object.fromEntries(
    request.servers.map((server) => {
      const { name, transport: type } = server;
      if (server.transport === 'stdio') return [name, { type, ...starterOf(request, name) }];
      return [name, { type, url: server.url, headers: server.headers }];
    }),
  );
}
