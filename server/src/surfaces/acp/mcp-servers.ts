import { MCP_SERVER_NAME_MAX_CHARS } from '@agent-console/shared/limits/mcp-servers';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import type { McpServer } from '@agentclientprotocol/sdk';

export type ClientMcpServers = NonNullable<RequestOf<Extract<OperationName, 'sessions.resume'>>['clientMcpServers']>;

/**
 * Name of the console's own MCP server. Every agent has this server, so it is removed from the editor's list of
 * servers.
 */
const OWN_NAME = 'agent-console';

/**
 * Converts an editor's MCP servers to the console's model. Changes the servers' names so that agents accept them as
 * prefixes of tool names.
 */
export function clientServersOf(servers: readonly McpServer[]): ClientMcpServers {
  const names = new Set([OWN_NAME]);
  return servers
    .filter(({ name }) => plainName(name) !== OWN_NAME)
    .map((server) => {
      const name = freeName(plainName(server.name), names);
      names.add(name);
      if (!('type' in server)) return { name, transport: 'stdio', ...pick(server, ['command', 'args', 'env']) };
      return { name, transport: server.type, ...pick(server, ['url', 'headers']) };
    });
}

function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-|-$/g, '').slice(0, MCP_SERVER_NAME_MAX_CHARS) || 'server';
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; number += 1) {
    if (!taken.has(free)) return free;
    free = `${name.slice(0, MCP_SERVER_NAME_MAX_CHARS - 3)}-${number}`;
  }
}

function pick<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, K>;
}
