import type { AgentKindName } from '@agent-console/shared/models/agent';

/** Definitions of agents, and the other MCP servers they are given, as stored. Columns are explained in storage/schema/agents.ts. */

export interface AgentRow {
  id: string;
  name: string;
  kind: AgentKindName;
  command: string[];
  env: string[];
  queueWhenUnknown: 'hold' | 'send';
  createdAt: string;
}

export interface McpServerRow {
  id: string;
  name: string;
  ownerId: string;
  transport: 'http' | 'sse' | 'stdio';
  url: string | null;
  /** Program and arguments of a stdio server. */
  command: string[] | null;
  /** Names, each with the id of its private value. */
  headers: Record<string, string>;
  env: Record<string, string>;
  createdAt: string;
  removedAt: string | null;
}

export interface SessionMcpServerRow {
  id: string;
  sessionId: string;
  mcpServerId: string;
  createdAt: string;
}
