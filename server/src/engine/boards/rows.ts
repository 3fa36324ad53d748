import { ConsoleError } from '@agent-console/shared/errors';
import type { Board, BoardRow as BoardInList } from '@agent-console/shared/models/board';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import type { Call } from '../../domain/call.ts';
import { PRESENT_STATES } from '../../domain/states.ts';
import type { BoardRow, WorktreeRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';
import { sessionRow } from '../rows.ts';

/** Returns the worktrees placed on a board, oldest first. */
export function worktreesOn(read: Pick<Readers, 'worktrees'>, boardId: string): Promise<WorktreeRow[]> {
  return read.worktrees.find({ boardId, state: PRESENT_STATES });
}

export function countOn(read: Pick<Readers, 'worktrees'>, boardId: string): Promise<number> {
  return read.worktrees.count({ boardId, state: PRESENT_STATES });
}

/** Returns a board in the form that the operation `boards.get` returns. */
export async function shownBoard(read: Pick<Readers, 'zones' | 'worktrees'>, row: BoardRow): Promise<Board> {
  const { id, name, description, ownerId, createdAt } = row;
  const zones = await read.zones.find({ boardId: id });
  const worktrees = (await worktreesOn(read, id)).map((worktree) => worktree.id);
  return { id, name, description, ownerId, zones, worktrees, createdAt };
}

export async function boardInList(read: Pick<Readers, 'zones' | 'worktrees'>, row: BoardRow): Promise<BoardInList> {
  const { id, name, description, ownerId, createdAt } = row;
  const zoneCount = await read.zones.count({ boardId: id });
  return { id, name, description, ownerId, zoneCount, worktreeCount: await countOn(read, id), createdAt };
}

/**
 * Rejects a change of a board by anyone but the board's owner and the local owner. Not used for reads, because everyone
 * can see boards. @throws PERMISSION_DENIED
 */
export function refuseUnlessOwner(call: Call, board: BoardRow, ownerId: string): void {
  const { caller } = call;
  if (caller.kind === 'user' && (caller.userId === board.ownerId || caller.userId === ownerId)) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    'Only the owner of this board and the local owner can change it. Duplicate the board to get your own copy.',
    { boardId: board.id, ownerId: board.ownerId },
  );
}

/**
 * Returns the person behind a call: the calling user, the owner of the calling worker's session, or the local owner for
 * any other caller.
 */
export async function personOf(
  { storage, ownerId }: Pick<EngineContext, 'storage' | 'ownerId'>,
  call: Call,
): Promise<string> {
  const { caller } = call;
  if (caller.kind !== 'worker') return caller.kind === 'user' ? caller.userId : ownerId;
  return (await sessionRow(storage.read.sessions, caller.sessionId)).createdByUserId ?? ownerId;
}

export function recordBoard(
  tx: Transaction,
  type: 'board.created' | 'board.updated' | 'board.duplicated' | 'board.removed',
  boardId: string,
  data: EventDataOf<typeof type> = {},
): Promise<void> {
  return tx.record({ type, subject: { kind: 'board', id: boardId }, data: { boardId, ...data } });
}
