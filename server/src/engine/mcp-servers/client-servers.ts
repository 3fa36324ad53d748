import type { ClientMcpServer } from '@agent-console/shared/operations/mcp-servers';
import { LIVE_STATES } from '../../domain/states.ts';
import type { AgentKind, SessionMcpServer } from '../../ports/agents.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/**
 * MCP servers that a client, such as an editor, provides for one process of an agent. Their description contains
 * secrets, so it is stored as a private value, which is deleted when the process has ended.
 */

type Read = Pick<Readers, 'workers'>;

/**
 * Stores the description of a client's MCP servers as a private value. Returns the reference that is stored with the
 * worker; null if the client provides no MCP servers.
 */
export async function storeClientServers(
  privateValues: Pick<PrivateValues, 'store'>,
  servers: readonly ClientMcpServer[],
): Promise<WorkerRow['clientServers']> {
  if (servers.length === 0) return null;
  return { valueId: await privateValues.store(JSON.stringify(servers)), names: servers.map(({ name }) => name) };
}

/**
 * Returns the session's MCP servers and those that the worker's client, such as an editor, provides. A warning names
 * each server that is left out, because:
 * - the agent cannot use it,
 * - the session has a server of that name, or
 * - the client provided it earlier, but does not provide it now.
 */
export async function clientServersToStart(
  { read, privateValues }: { read: Read; privateValues: Pick<PrivateValues, 'read'> },
  { id, sessionId, clientServers }: Pick<WorkerRow, 'id' | 'sessionId' | 'clientServers'>,
  attached: { servers: readonly SessionMcpServer[]; warnings: readonly string[] },
  { name: kind, mcpTransports }: Pick<AgentKind, 'name' | 'mcpTransports'>,
): Promise<{ servers: SessionMcpServer[]; warnings: string[] }> {
  const servers = [...attached.servers];
  const warnings = [...attached.warnings];
  const stored = clientServers && (await privateValues.read(clientServers.valueId));
  const provided = stored === null ? [] : (JSON.parse(stored) as ClientMcpServer[]);
  for (const server of provided) {
    const { name, transport } = server;
    if (!mcpTransports.includes(transport)) {
      warnings.push(
        `The agent runs without MCP server ${name}, because ${kind} does not support the transport ${transport}.`,
      );
    } else if (servers.some((other) => other.name === name)) {
      warnings.push(
        `The agent runs without the editor's MCP server ${name}, because the session already has an MCP server with this name.`,
      );
    } else {
      servers.push(toStart(server));
    }
  }
  const last = await read.workers.first({ sessionId, type: 'agent', clientServers: { not: null } }, { order: ['-id'] });
  const names = provided.map(({ name }) => name);
  const missing = last === undefined ? [] : (last.clientServers?.names ?? []).filter((name) => !names.includes(name));
  if (missing.length > 0) {
    warnings.push(
      `The agent runs without the editor's MCP servers ${missing.join(', ')}, because ${last?.id === id ? 'their stored settings are missing' : 'the editor provided them only to an earlier process of the agent'}. Open the session in the editor to add these servers.`,
    );
  }
  return { servers, warnings };
}

function toStart(server: ClientMcpServer): SessionMcpServer {
  const { name, transport } = server;
  return transport === 'stdio'
    ? { name, transport, command: [server.command ?? '', ...(server.args ?? [])], env: server.env ?? {} }
    : { name, transport, url: server.url ?? '', headers: server.headers ?? {} };
}

/**
 * Deletes the description of the MCP servers that a client provided for an ended worker, unless a live worker uses it.
 */
export async function removeClientServers(
  { read, privateValues }: { read: Read; privateValues: Pick<PrivateValues, 'remove'> },
  workerId: string,
): Promise<void> {
  const worker = await read.workers.get(workerId);
  const valueId = worker?.clientServers?.valueId;
  if (worker === undefined || valueId === undefined) return;
  const live = await read.workers.find({ sessionId: worker.sessionId, state: LIVE_STATES });
  if (!live.some(({ clientServers }) => clientServers?.valueId === valueId)) await privateValues.remove([valueId]);
}
