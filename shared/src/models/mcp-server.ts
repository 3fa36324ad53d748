import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const McpTransport = v.picklist(['stdio', 'http', 'sse']);
export type McpTransport = v.InferOutput<typeof McpTransport>;

const transport = described(
  McpTransport,
  'stdio: a command started by the agent; http and sse: a URL called by the agent',
);

/** An MCP server that sessions can use besides the console's own. Values of variables and headers are never shown. */
export const McpServer = v.object({
  id: ownId('MCP server'),
  name: described(v.string(), "Name of the server, which agents use as a prefix of the names of the server's tools"),
  ownerId: idOf('user', 'Id of the user who owns the server. Only this user and the local owner may change the server'),
  transport,
  command: described(v.nullable(v.string()), 'Executable of a stdio server; otherwise null'),
  args: described(v.array(v.string()), 'Arguments of the executable'),
  env: described(v.array(v.string()), 'Names of environment variables; values are never shown'),
  url: described(v.nullable(v.string()), 'URL of an http or sse server; otherwise null'),
  headers: described(v.array(v.string()), 'Names of the headers sent with each request; values are never shown'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type McpServer = v.InferOutput<typeof McpServer>;

/** An MCP server that is attached to a session. */
export const AttachedMcpServer = v.object({ id: ownId('MCP server'), name: McpServer.entries.name, transport });
