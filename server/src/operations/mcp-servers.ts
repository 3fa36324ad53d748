import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { MCP_SERVER_VALUES_MAX, MCP_SERVERS_MAX } from '@agent-console/shared/limits/mcp-servers';
import type { McpServer } from '@agent-console/shared/models/mcp-server';
import type { Call } from '../domain/call.ts';
import { authorOf } from '../engine/changes/author.ts';
import { merged, storeAll, valueIds } from '../engine/mcp-servers/values.ts';
import { mcpServerRow } from '../engine/rows.ts';
import type { McpServerRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

function present({ id, name, ownerId, transport, command, env, url, headers, createdAt }: McpServerRow): McpServer {
  const [program = null, ...args] = command ?? [];
  const names = { env: Object.keys(env), headers: Object.keys(headers) };
  return { id, name, ownerId, transport, command: program, args, url, ...names, createdAt };
}

async function refuseTakenName(tx: Transaction, name: string, ownId?: string): Promise<void> {
  const other = await tx.mcpServers.first({ name, removedAt: null });
  if (other === undefined || other.id === ownId) return;
  throw new ConsoleError('CONFLICT', `MCP server ${name} already exists: ${other.id}. Choose another name.`, {
    mcpServerId: other.id,
  });
}

/**
 * Rejects the call unless the caller is the server's owner or the local owner. Everyone can attach the server to
 * sessions.
 */
function refuseUnlessOwner({ caller }: Call, row: McpServerRow, ownerId: string): void {
  if (caller.kind === 'user' && (caller.userId === row.ownerId || caller.userId === ownerId)) return;
  throw new ConsoleError('PERMISSION_DENIED', 'Only the owner of this MCP server and the local owner can change it.', {
    mcpServerId: row.id,
    ownerId: row.ownerId,
  });
}

/**
 * Runs `change`. If it fails, deletes the environment variables and headers in `stored`, which were stored for this
 * change.
 */
async function withStoredValues<T>(
  { privateValues }: OperationContext,
  stored: Pick<McpServerRow, 'env' | 'headers'>,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    await privateValues.remove(valueIds(stored)).catch(() => undefined);
    throw error;
  }
}

function record(tx: Transaction, type: `mcpServer.${'created' | 'updated' | 'removed'}`, row: McpServerRow) {
  const { id, name, transport } = row;
  return tx.record({ type, subject: { kind: 'mcpServer', id }, data: { name, transport } });
}

function listMcpServers({ storage }: OperationContext): Implementation<'mcpServers.list'> {
  return (page) => pageOf(storage.read.mcpServers, { removedAt: null }, page, present);
}

function getMcpServer({ storage }: OperationContext): Implementation<'mcpServers.get'> {
  return async ({ mcpServerId }) => present(await mcpServerRow(storage.read.mcpServers, mcpServerId));
}

function createMcpServer(context: OperationContext): Implementation<'mcpServers.create'> {
  const { storage, privateValues, ownerId, now, newId } = context;
  return async ({ name, transport, command, args = [], env = {}, url = null, headers = {} }, call) => {
    const stored = { env: await storeAll(privateValues, env), headers: await storeAll(privateValues, headers) };
    return withStoredValues(context, stored, () =>
      storage.write(authorOf(call), async (tx) => {
        await refuseTakenName(tx, name);
        if ((await tx.mcpServers.count({ removedAt: null })) >= MCP_SERVERS_MAX) {
          throw new ConsoleError(
            'LIMIT_EXCEEDED',
            `The limit of ${MCP_SERVERS_MAX} MCP servers has been reached. Remove one first.`,
            { limit: MCP_SERVERS_MAX },
            { retryable: false },
          );
        }
        const row = await tx.mcpServers.insert({
          id: newId(),
          name,
          ownerId: call.caller.kind === 'user' ? call.caller.userId : ownerId,
          transport,
          url,
          command: command === undefined ? null : [command, ...args],
          headers: stored.headers,
          env: stored.env,
          createdAt: now().toISOString(),
        });
        await record(tx, 'mcpServer.created', row);
        const server = present(row);
        await tx.remember(server);
        return server;
      }),
    );
  };
}

/** @throws VALIDATION for a field that the server's transport does not have. */
function refuseOtherTransport({ transport }: McpServerRow, changes: Readonly<Record<string, unknown>>): void {
  const unsupported = transport === 'stdio' ? ['url', 'headers'] : ['command', 'args', 'env'];
  const field = unsupported.find((name) => changes[name] !== undefined);
  if (field === undefined) return;
  throw fieldError(field, `is not supported by the transport ${transport} of this server; omit this field`, {
    transport,
  });
}

function updateMcpServer(context: OperationContext): Implementation<'mcpServers.update'> {
  const { storage, privateValues, ownerId } = context;
  return async ({ mcpServerId, name, command, args, env = {}, url, headers = {} }, call) => {
    const before = await mcpServerRow(storage.read.mcpServers, mcpServerId);
    refuseUnlessOwner(call, before, ownerId);
    refuseOtherTransport(before, { command, args, url, env: nonEmpty(env), headers: nonEmpty(headers) });
    const stored = { env: await storeAll(privateValues, env), headers: await storeAll(privateValues, headers) };
    const { server, unused } = await withStoredValues(context, stored, () =>
      storage.write(authorOf(call), async (tx) => {
        const row = await mcpServerRow(tx.mcpServers, mcpServerId);
        if (name !== undefined) await refuseTakenName(tx, name, mcpServerId);
        const [program = '', ...currentArgs] = row.command ?? [];
        const patch = {
          ...omitUndefined({ name, url }),
          ...(row.command === null ? {} : { command: [command ?? program, ...(args ?? currentArgs)] }),
          env: merged(row.env, env, stored.env),
          headers: merged(row.headers, headers, stored.headers),
        };
        refuseTooManyValues(patch);
        await tx.mcpServers.update(mcpServerId, patch);
        const after = { ...row, ...patch };
        await record(tx, 'mcpServer.updated', after);
        const used = new Set(valueIds(after));
        return { server: present(after), unused: valueIds(row).filter((id) => !used.has(id)) };
      }),
    );
    await privateValues.remove(unused);
    return server;
  };
}

function nonEmpty(values: Readonly<Record<string, unknown>>): object | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

function refuseTooManyValues(values: Pick<McpServerRow, 'env' | 'headers'>): void {
  if (valueIds(values).length <= MCP_SERVER_VALUES_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `An MCP server can have at most ${MCP_SERVER_VALUES_MAX} variables or headers. Remove one first.`,
    { limit: MCP_SERVER_VALUES_MAX },
    { retryable: false },
  );
}

function removeMcpServer(context: OperationContext): Implementation<'mcpServers.remove'> {
  const { storage, privateValues, ownerId, now } = context;
  return async ({ mcpServerId }, call) => {
    const row = await storage.write(authorOf(call), async (tx) => {
      const found = await mcpServerRow(tx.mcpServers, mcpServerId);
      refuseUnlessOwner(call, found, ownerId);
      await tx.sessionMcpServers.remove({ mcpServerId });
      await tx.mcpServers.update(mcpServerId, { removedAt: now().toISOString(), env: {}, headers: {} });
      await record(tx, 'mcpServer.removed', found);
      return found;
    });
    await privateValues.remove(valueIds(row));
    return present(row);
  };
}

export function mcpServerOperations(context: OperationContext) {
  return {
    'mcpServers.list': listMcpServers(context),
    'mcpServers.get': getMcpServer(context),
    'mcpServers.create': createMcpServer(context),
    'mcpServers.update': updateMcpServer(context),
    'mcpServers.remove': removeMcpServer(context),
  } satisfies Partial<Implementations>;
}
