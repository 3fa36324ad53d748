import * as v from 'valibot';
import { Timestamp } from '../time.ts';

export const McpTransport = v.picklist(['stdio', 'http', 'sse']);
export type McpTransport = v.InferOutput<typeof McpTransport>;

/** Another MCP server than the console's own, which sessions can be given. Values of variables and headers are not shown. */
export const McpServer = v.object({
  id: v.string(),
  name: v.string(),
  ownerId: v.string(),
  transport: McpTransport,
  /** Of stdio; null otherwise. */
  command: v.nullable(v.string()),
  args: v.array(v.string()),
  /** Names only. */
  env: v.array(v.string()),
  /** Of http and sse; null otherwise. */
  url: v.nullable(v.string()),
  /** Names only. */
  headers: v.array(v.string()),
  createdAt: Timestamp,
});
export type McpServer = v.InferOutput<typeof McpServer>;

/** As a session shows it. */
export const AttachedMcpServer = v.object({ id: v.string(), name: v.string(), transport: McpTransport });
