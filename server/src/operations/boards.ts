import { ConsoleError } from '@agent-console/shared/errors';
import { BOARDS_MAX, BOARDS_PER_SESSION_MAX } from '@agent-console/shared/limits/boards';
import { type Board, PLAIN_ZONE } from '@agent-console/shared/models/board';
import type { Call } from '../domain/call.ts';
import { authorOf } from '../engine/author.ts';
import { beginCopies, type MadeCopy, makeCopies, planCopies, undoCopies } from '../engine/boards/copies.ts';
import { boardInList, personOf, recordBoard, refuseUnlessOwner, shownBoard } from '../engine/boards/rows.ts';
import { toStoredError } from '../engine/present.ts';
import { boardRow, worktreeRow } from '../engine/rows.ts';
import type { ChangeDeps } from '../engine/task-changes.ts';
import type { BoardRow } from '../ports/rows/boards.ts';
import type { Readers, Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';
import { OFF_BOARD, recordPlacement } from './placement.ts';
import { listSessions } from './sessions/list.ts';
import { insertZone } from './zones.ts';

/** Between the zones that a board begins with, in its own units. */
const ZONE_GAP = 40;

/** Whose the new board is: the caller's, or whom the local owner says. */
async function ownerOf(context: OperationContext, call: Call, wanted: string | undefined): Promise<string> {
  const person = await personOf(context, call);
  if (wanted === undefined || wanted === person) return person;
  if (call.caller.kind !== 'user' || call.caller.userId !== context.ownerId) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'Only the local owner creates boards for other people. Leave ownerId out.',
      { ownerId: wanted },
    );
  }
  return wanted;
}

/** Boards are bounded: those of everybody together, and for agents those that one session made. LIMIT_EXCEEDED. */
async function refuseMoreBoards(read: Pick<Readers, 'boards'>, { caller }: Call): Promise<void> {
  if ((await read.boards.count({ removedAt: null })) >= BOARDS_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `There are ${BOARDS_MAX} boards already. Remove one first.`,
      { limit: BOARDS_MAX },
      { retryable: false },
    );
  }
  if (caller.kind !== 'worker') return;
  const { sessionId } = caller;
  if ((await read.boards.count({ viaSessionId: sessionId, removedAt: null })) < BOARDS_PER_SESSION_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `A session makes ${BOARDS_PER_SESSION_MAX} boards at most, and this one has them. Use one of those, or ask the person you work for to remove some.`,
    { limit: BOARDS_PER_SESSION_MAX, sessionId },
    { retryable: false },
  );
}

/** Stores a board with nothing on it. */
async function insertBoard(
  tx: Transaction,
  deps: ChangeDeps,
  call: Call,
  board: { id?: string; name: string; description: string; ownerId: string },
): Promise<BoardRow> {
  await refuseMoreBoards(tx, call);
  const row: BoardRow = { id: deps.newId(), ...board, createdAt: deps.now().toISOString(), removedAt: null };
  await tx.boards.insert(row);
  return row;
}

function createBoard(context: OperationContext): Implementation<'boards.create'> {
  return async ({ name, description, zones, ownerId: wanted }, call) => {
    const ownerId = await ownerOf(context, call, wanted);
    return context.storage.write(authorOf(call), async (tx) => {
      const row = await insertBoard(tx, context, call, { name, description, ownerId });
      await recordBoard(tx, 'board.created', row.id, { name, ownerId });
      for (const [at, zone] of zones.entries()) {
        const x = at * (PLAIN_ZONE.width + ZONE_GAP);
        await insertZone(tx, context, { ...PLAIN_ZONE, boardId: row.id, name: zone, x });
      }
      const board = await shownBoard(tx, row);
      await tx.remember(board);
      return board;
    });
  };
}

function listBoards({ storage: { read } }: OperationContext): Implementation<'boards.list'> {
  const present = (row: BoardRow) => boardInList(read, row);
  return ({ limit, skip, ownerId }) =>
    pageOf(read.boards, { removedAt: null, ...omitUndefined({ ownerId }) }, { limit, skip }, present, ['-id']);
}

function getBoard({ storage }: OperationContext): Implementation<'boards.get'> {
  return async ({ boardId }) => shownBoard(storage.read, await boardRow(storage.read.boards, boardId));
}

/** The sessions of a board are those of its worktrees, as the list of all sessions shows them to the same caller. */
function listBoardSessions(context: OperationContext): Implementation<'boards.sessions'> {
  const list = listSessions(context);
  return ({ boardId, limit, skip }, call) => list({ boardId, limit, skip, archived: false }, call);
}

function updateBoard({ storage, ownerId }: OperationContext): Implementation<'boards.update'> {
  return ({ boardId, ...changes }, call) =>
    storage.write(authorOf(call), async (tx) => {
      refuseUnlessOwner(call, await boardRow(tx.boards, boardId), ownerId);
      const patch = omitUndefined(changes);
      await tx.boards.update(boardId, patch);
      await recordBoard(tx, 'board.updated', boardId, { changed: Object.keys(patch) });
      return shownBoard(tx, await boardRow(tx.boards, boardId));
    });
}

function removeBoard({ storage, ownerId, now }: OperationContext): Implementation<'boards.remove'> {
  return ({ boardId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await boardRow(tx.boards, boardId);
      refuseUnlessOwner(call, row, ownerId);
      const board = await shownBoard(tx, row);
      // Removed worktrees too: when one is restored, it must not lie on a board that is gone.
      for (const worktree of await tx.worktrees.find({ boardId })) {
        await tx.worktrees.update(worktree.id, OFF_BOARD);
        await recordPlacement(tx, worktree.id, OFF_BOARD);
      }
      await tx.zones.remove({ boardId });
      await tx.boards.update(boardId, { removedAt: now().toISOString() });
      await recordBoard(tx, 'board.removed', boardId, { name: row.name });
      return board;
    });
}

/** Stores the copy of a board with its zones; the copied worktrees become ready with it, and lie where the first ones lie. */
function storeCopy(
  context: OperationContext,
  call: Call,
  from: BoardRow,
  copy: { id: string; name: string; ownerId: string },
  copies: readonly MadeCopy[],
): Promise<Board> {
  return context.storage.write(authorOf(call), async (tx) => {
    const { description } = await boardRow(tx.boards, from.id);
    const row = await insertBoard(tx, context, call, { ...copy, description });
    const zones = new Map<string, string>();
    for (const zone of await tx.zones.find({ boardId: from.id })) {
      const id = context.newId();
      zones.set(zone.id, id);
      await tx.zones.insert({ ...zone, id, boardId: row.id, createdAt: row.createdAt });
    }
    for (const { source, id, built } of copies) {
      await context.maker.markReady(tx, id, built);
      const { boardId, zoneId, x, y } = await worktreeRow(tx.worktrees, source.id);
      const zone = zoneId === null ? null : (zones.get(zoneId) ?? null);
      // One that was moved away meanwhile lies on the copy, but nowhere in particular.
      const place = boardId === from.id ? { zoneId: zone, x, y } : { zoneId: null, x: null, y: null };
      const placement = { boardId: row.id, ...place };
      await tx.worktrees.update(id, placement);
      await recordPlacement(tx, id, placement);
    }
    await recordBoard(tx, 'board.duplicated', row.id, { name: row.name, from: from.id, worktrees: copies.length });
    const board = await shownBoard(tx, row);
    await tx.remember(board);
    return board;
  });
}

function duplicateBoard(context: OperationContext): Implementation<'boards.duplicate'> {
  return async ({ boardId, newName, includeWorktrees }, call) => {
    const from = await boardRow(context.storage.read.boards, boardId);
    // Counted again when it is stored; this spares making copies for nothing.
    await refuseMoreBoards(context.storage.read, call);
    const copy = { id: context.newId(), name: newName, ownerId: await personOf(context, call) };
    const copies = includeWorktrees ? await planCopies(context, call, boardId) : [];
    if (copies.length === 0) return storeCopy(context, call, from, copy, []);
    const job = await beginCopies(context, call, copy.id, copies);
    let end: { board: Board } | { error: unknown } | undefined;
    await context.jobs.run(job, async (progress) => {
      progress(0, 'copying worktrees');
      try {
        const made = await makeCopies(context, call, copies);
        end = { board: await storeCopy(context, call, from, copy, made) };
        return { boardId: copy.id };
      } catch (error) {
        end = { error };
        const ids = copies.map(({ id }) => id);
        await undoCopies(context, ids, toStoredError(error));
        throw error;
      }
    });
    if (end === undefined || 'error' in end) throw end?.error;
    return end.board;
  };
}

export function boardOperations(context: OperationContext) {
  return {
    'boards.list': listBoards(context),
    'boards.get': getBoard(context),
    'boards.create': createBoard(context),
    'boards.update': updateBoard(context),
    'boards.duplicate': duplicateBoard(context),
    'boards.remove': removeBoard(context),
    'boards.sessions': listBoardSessions(context),
  } satisfies Partial<Implementations>;
}
