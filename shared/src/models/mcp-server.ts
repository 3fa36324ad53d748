import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const McpTransport = v.picklist(['stdio', 'http', 'sse']);
export type McpTransport = v.InferOutput<typeof McpTransport>;

const transport = described(McpTransport, 'stdio: a program that the agent starts; http and sse: a URL that it calls');

/** An MCP server that sessions can use besides the console’s own. Values of variables and headers are never shown. */
export const McpServer = v.object({
  id: ownId('MCP server'),
  name: described(v.string(), 'Name under which agents know its tools'),
  ownerId: idOf('user', 'Owner; the owner and the local owner may change the server'),
  transport,
  command: described(v.nullable(v.string()), 'Program of a stdio server; null otherwise'),
  args: described(v.array(v.string()), 'Arguments of the program'),
  env: described(v.array(v.string()), 'Names of the program’s environment variables; values are never shown'),
  url: described(v.nullable(v.string()), 'URL of an http or sse server; null otherwise'),
  headers: described(v.array(v.string()), 'Names of the headers sent with each request; values are never shown'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type McpServer = v.InferOutput<typeof McpServer>;

/** An MCP server in a session. */
export const AttachedMcpServer = v.object({ id: ownId('MCP server'), name: McpServer.entries.name, transport });
