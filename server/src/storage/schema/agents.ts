import type { AgentKindName } from '@agent-console/shared/models/agent';
import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sessions } from './sessions.ts';

/** Definitions of agents, and the other MCP servers they are given. */

export const agents = sqliteTable('agents', {
  id: text().primaryKey(),
  name: text().notNull(),
  kind: text().$type<AgentKindName>().notNull().default('custom'),
  command: text({ mode: 'json' }).$type<string[]>().notNull(),
  env: text({ mode: 'json' }).$type<string[]>().notNull(),
  queueWhenUnknown: text().$type<'hold' | 'send'>().notNull(),
  createdAt: text().notNull(),
});

/** Other MCP servers that sessions can be given. Values of headers and variables are in files of their own. */
export const mcpServers = sqliteTable('mcp_servers', {
  id: text().primaryKey(),
  name: text().notNull(),
  ownerId: text().notNull(),
  transport: text().$type<'http' | 'sse' | 'stdio'>().notNull(),
  url: text(),
  command: text({ mode: 'json' }).$type<string[]>(),
  /** Names of headers and variables, each with the id of its private value. */
  headers: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  env: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  createdAt: text().notNull(),
  removedAt: text(),
});

export const sessionMcpServers = sqliteTable(
  'session_mcp_servers',
  {
    id: text().primaryKey(),
    sessionId: text()
      .notNull()
      .references(() => sessions.id),
    mcpServerId: text()
      .notNull()
      .references(() => mcpServers.id),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('session_mcp_servers_pair').on(t.sessionId, t.mcpServerId)],
);
