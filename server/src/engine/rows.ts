import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import type { Call } from '../domain/call.ts';
import type {
  ApprovalRow,
  BoardRow,
  McpServerRow,
  RepositoryRow,
  SessionRow,
  WorkerRow,
  WorktreeRow,
  ZoneRow,
} from '../ports/rows.ts';
import type { Readers, StoreReader } from '../ports/storage.ts';

/**
 * Getters for rows that must exist. The gate has resolved the ids, but a row can disappear afterwards. All throw
 * NOT_FOUND.
 */

export async function sessionRow(store: StoreReader<SessionRow>, id: string): Promise<SessionRow> {
  const row = await store.get(id);
  if (row === undefined || row.removedAt !== null) throw notFound('Session', id);
  return row;
}

export async function repositoryRow(store: StoreReader<RepositoryRow>, id: string): Promise<RepositoryRow> {
  const row = await store.get(id);
  if (row === undefined || row.removedAt !== null) throw notFound('Repository', id);
  return row;
}

export async function worktreeRow(store: StoreReader<WorktreeRow>, id: string): Promise<WorktreeRow> {
  const row = await store.get(id);
  if (row === undefined || row.state === 'failed') throw notFound('Worktree', id);
  return row;
}

export async function boardRow(store: StoreReader<BoardRow>, id: string): Promise<BoardRow> {
  const row = await store.get(id);
  if (row === undefined || row.removedAt !== null) throw notFound('Board', id);
  return row;
}

export async function zoneRow(store: StoreReader<ZoneRow>, id: string): Promise<ZoneRow> {
  const row = await store.get(id);
  if (row === undefined) throw notFound('Zone', id);
  return row;
}

export async function mcpServerRow(store: StoreReader<McpServerRow>, id: string): Promise<McpServerRow> {
  const row = await store.get(id);
  if (row === undefined || row.removedAt !== null) throw notFound('MCP server', id);
  return row;
}

export async function approvalRow(store: StoreReader<ApprovalRow>, id: string): Promise<ApprovalRow> {
  const row = await store.get(id);
  if (row === undefined) throw notFound('Approval', id);
  return row;
}

export async function workerRow(store: StoreReader<WorkerRow>, id: string): Promise<WorkerRow> {
  const row = await store.get(id);
  if (row === undefined) throw notFound('Worker', id);
  return row;
}

/**
 * Returns a worker whose process can receive input.
 * @throws CONFLICT, reporting how the process ended.
 */
export async function livingWorker(store: StoreReader<WorkerRow>, id: string): Promise<WorkerRow> {
  const row = await workerRow(store, id);
  if (row.type === 'git-diff') {
    throw new ConsoleError(
      'UNSUPPORTED',
      'A git-diff worker has no process and no terminal. Use an agent or terminal worker.',
      { workerId: id },
    );
  }
  if (row.state !== 'running') {
    const start = see('workers.create', { sessionId: row.sessionId });
    throw new ConsoleError('CONFLICT', `Worker ${id} is ${row.state}. Start a new one with ${start.rest}.`, {
      workerId: id,
      state: row.state,
      see: start,
    });
  }
  return row;
}

/** Returns the session of the calling agent, or null for a person. */
export async function creatorOf(
  { storage }: { storage: { read: Pick<Readers, 'sessions'> } },
  call: Call,
): Promise<SessionRow | null> {
  return call.caller.kind === 'worker' ? sessionRow(storage.read.sessions, call.caller.sessionId) : null;
}
