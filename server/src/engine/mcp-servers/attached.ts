import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKind, AgentKinds, SessionMcpServer } from '../../ports/agents.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { McpServerRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { mcpServerRow } from '../rows.ts';
import { readAll } from './values.ts';

type Read = Pick<Readers, 'sessionMcpServers' | 'mcpServers'>;

/** Returns the ids of a session's MCP servers, in the order they were attached. */
export async function attachedIds(read: Pick<Read, 'sessionMcpServers'>, sessionId: string): Promise<string[]> {
  return (await read.sessionMcpServers.find({ sessionId })).map(({ mcpServerId }) => mcpServerId);
}

export async function attachedTo(read: Read, sessionId: string): Promise<McpServerRow[]> {
  const ids = await attachedIds(read, sessionId);
  return ids.length === 0 ? [] : read.mcpServers.find({ id: ids, removedAt: null });
}

/**
 * Rejects MCP servers whose transport the agent's kind does not support.
 * @throws UNSUPPORTED, or NOT_FOUND for a removed MCP server.
 */
export async function refuseUnsupportedServers(
  { storage: { read }, kinds }: { storage: { read: Pick<Read, 'mcpServers'> }; kinds: AgentKinds },
  agent: { id: string; kind: AgentKind['id'] },
  ids: readonly string[],
): Promise<void> {
  const { name: kind, mcpTransports } = kinds(agent.kind);
  for (const id of ids) {
    const { name, transport } = await mcpServerRow(read.mcpServers, id);
    if (mcpTransports.includes(transport)) continue;
    const takes =
      mcpTransports.length === 0 ? 'no MCP servers' : `MCP servers with transport ${mcpTransports.join(' and ')}`;
    throw new ConsoleError(
      'UNSUPPORTED',
      `Agent ${agent.id} (${kind}) does not support MCP server ${name} with transport ${transport}. It supports ${takes}. Choose another agent, or create the session without this MCP server.`,
      { agentId: agent.id, mcpServerId: id, transport, takes: mcpTransports },
    );
  }
}

/**
 * Attaches MCP servers to a new session, in the transaction that stores the session. @throws NOT_FOUND for a removed
 * MCP server.
 */
export async function attach(
  tx: Transaction,
  deps: ChangeDeps,
  sessionId: string,
  ids: readonly string[],
): Promise<void> {
  const createdAt = deps.now().toISOString();
  for (const mcpServerId of ids) {
    await mcpServerRow(tx.mcpServers, mcpServerId);
    await tx.sessionMcpServers.insert({ id: deps.newId(), sessionId, mcpServerId, createdAt });
  }
}

/**
 * Returns the session's MCP servers for starting an agent of this kind, with a warning for each MCP server that is left
 * out.
 */
export async function serversToStart(
  { read, privateValues }: { read: Read; privateValues: Pick<PrivateValues, 'read'> },
  sessionId: string,
  { name: kind, mcpTransports }: Pick<AgentKind, 'name' | 'mcpTransports'>,
): Promise<{ servers: SessionMcpServer[]; warnings: string[] }> {
  const servers: SessionMcpServer[] = [];
  const warnings: string[] = [];
  for (const row of await attachedTo(read, sessionId)) {
    const { name, transport, command, url } = row;
    const own = await readAll(privateValues, transport === 'stdio' ? row.env : row.headers);
    if (!mcpTransports.includes(transport)) {
      warnings.push(
        `The agent runs without MCP server ${name}, because ${kind} does not support the transport ${transport}.`,
      );
    } else if (own.missing.length > 0) {
      warnings.push(
        `The agent runs without MCP server ${name}, because the values of ${own.missing.join(', ')} are missing. Set the values of this server again.`,
      );
    } else if (transport === 'stdio') {
      servers.push({ name, transport, command: command ?? [], env: own.values });
    } else {
      servers.push({ name, transport, url: url ?? '', headers: own.values });
    }
  }
  return { servers, warnings };
}
