import type { Agent, AgentKindName } from '@agent-console/shared/models/agent';
import type { McpTransport } from '@agent-console/shared/models/mcp-server';
import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { referenceTo } from './common.ts';
import { sessions } from './sessions.ts';

export const agents = sqliteTable('agents', {
  id: text().primaryKey(),
  name: text().notNull(),
  kind: text().$type<AgentKindName>().notNull().default('custom'),
  command: text({ mode: 'json' }).$type<string[]>().notNull(),
  env: text({ mode: 'json' }).$type<string[]>().notNull(),
  queueWhenUnknown: text().$type<Agent['queueWhenUnknown']>().notNull(),
  createdAt: text().notNull(),
});

/**
 * MCP servers, besides the console's own, that sessions can use. Values of headers and environment variables may be
 * secret, so each is stored in its own file and not in this table.
 */
export const mcpServers = sqliteTable('mcp_servers', {
  id: text().primaryKey(),
  name: text().notNull(),
  ownerId: text().notNull(),
  transport: text().$type<McpTransport>().notNull(),
  url: text(),
  /** Executable and arguments of a stdio server. */
  command: text({ mode: 'json' }).$type<string[]>(),
  /** Maps each header name to the id of its private value. `env` does the same for environment variables. */
  headers: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  env: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  createdAt: text().notNull(),
  removedAt: text(),
});

export const sessionMcpServers = sqliteTable(
  'session_mcp_servers',
  {
    id: text().primaryKey(),
    sessionId: referenceTo(() => sessions.id),
    mcpServerId: referenceTo(() => mcpServers.id),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('session_mcp_servers_pair').on(t.sessionId, t.mcpServerId)],
);
