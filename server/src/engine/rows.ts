import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import type { Call } from '../domain/call.ts';
import type {
  ApprovalRow,
  BoardRow,
  IntegrationRow,
  McpServerRow,
  RepositoryRow,
  SessionRow,
  WorkerRow,
  WorktreeRow,
  ZoneRow,
} from '../ports/rows.ts';
import type { Readers, StoreReader } from '../ports/storage.ts';

/**
 * Getters for rows whose ids were resolved before the operation ran. A getter throws NOT_FOUND if its row was removed
 * since. `worktreeRow` also returns a removed worktree, which can be restored, but none whose creation failed.
 */

export const sessionRow = getter<SessionRow>('Session', isRemoved);
export const repositoryRow = getter<RepositoryRow>('Repository', isRemoved);
export const worktreeRow = getter<WorktreeRow>('Worktree', ({ state }) => state === 'failed');
export const boardRow = getter<BoardRow>('Board', isRemoved);
export const zoneRow = getter<ZoneRow>('Zone');
export const mcpServerRow = getter<McpServerRow>('MCP server', isRemoved);
export const integrationRow = getter<IntegrationRow>('Integration');
export const approvalRow = getter<ApprovalRow>('Approval');
export const workerRow = getter<WorkerRow>('Worker');

function getter<Row>(kind: string, isGone: (row: Row) => boolean = () => false) {
  return async (store: StoreReader<Row>, id: string): Promise<Row> => {
    const row = await store.get(id);
    if (row === undefined || isGone(row)) throw notFound(kind, id);
    return row;
  };
}

function isRemoved({ removedAt }: { removedAt: string | null }): boolean {
  return removedAt !== null;
}

/**
 * Returns a worker whose process can receive input. @throws UNSUPPORTED or CONFLICT if the worker has no such process.
 */
export async function runningWorker(store: StoreReader<WorkerRow>, id: string): Promise<WorkerRow> {
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
    throw new ConsoleError(
      'CONFLICT',
      `Worker ${id} is not running (state: ${row.state}). Start a new one with ${start.rest}.`,
      {
        workerId: id,
        state: row.state,
        see: start,
      },
    );
  }
  return row;
}

/** Returns the session of the calling worker; null for any other caller. */
export async function creatorOf(
  { storage }: { storage: { read: Pick<Readers, 'sessions'> } },
  call: Call,
): Promise<SessionRow | null> {
  return call.caller.kind === 'worker' ? sessionRow(storage.read.sessions, call.caller.sessionId) : null;
}
