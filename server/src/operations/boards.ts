import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { BOARDS_MAX, BOARDS_PER_SESSION_MAX } from '@agent-console/shared/limits/boards';
import { type Board, PLAIN_ZONE } from '@agent-console/shared/models/board';
import type { Call } from '../domain/call.ts';
import { beginCopies, type MadeCopy, makeCopies, planCopies, undoCopies } from '../engine/boards/copies.ts';
import {
  boardInList,
  personOf,
  recordBoard,
  refuseUnlessOwner,
  shownBoard,
  worktreesOn,
} from '../engine/boards/rows.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { ChangeDeps } from '../engine/changes/task-changes.ts';
import { toStoredError } from '../engine/present.ts';
import { boardRow, worktreeRow } from '../engine/rows.ts';
import { worktreeViews } from '../engine/worktrees/git-status.ts';
import type { BoardRow } from '../ports/rows.ts';
import type { Readers, Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf, slicePage } from './paging.ts';
import { OFF_BOARD, recordWorktree } from './placement.ts';
import { listSessions } from './sessions/list.ts';
import { insertZone } from './zones.ts';

/** Gap between the zones of a new board, in board units. */
const ZONE_GAP = 40;

/**
 * Returns the owner of a new board: the person whom the local owner named in the request or, by default, the caller. An
 * agent's board belongs to the person to whom its session belongs.
 */
async function ownerOf(context: OperationContext, call: Call, requested: string | undefined): Promise<string> {
  const person = await personOf(context, call);
  if (requested === undefined || requested === person) return person;
  if (call.caller.kind !== 'user' || call.caller.userId !== context.ownerId) {
    throw fieldError(
      'ownerId',
      'only the local owner can create boards for other people; omit `ownerId`',
      { ownerId: requested },
      'PERMISSION_DENIED',
    );
  }
  return requested;
}

/** @throws LIMIT_EXCEEDED at `BOARDS_MAX` boards, or `BOARDS_PER_SESSION_MAX` boards of the calling session. */
async function refuseMoreBoards(read: Pick<Readers, 'boards'>, { caller }: Call): Promise<void> {
  if ((await read.boards.count({ removedAt: null })) >= BOARDS_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `The limit of ${BOARDS_MAX} boards has been reached. Remove one first.`,
      { limit: BOARDS_MAX },
      { retryable: false },
    );
  }
  if (caller.kind !== 'worker') return;
  const { sessionId } = caller;
  if ((await read.boards.count({ viaSessionId: sessionId, removedAt: null })) < BOARDS_PER_SESSION_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `This session has reached its limit of ${BOARDS_PER_SESSION_MAX} boards. Use one of them, or ask the person you work for to remove some.`,
    { limit: BOARDS_PER_SESSION_MAX, sessionId },
    { retryable: false },
  );
}

async function insertBoard(
  tx: Transaction,
  deps: ChangeDeps,
  call: Call,
  board: { id?: string; name: string; description: string; ownerId: string },
): Promise<BoardRow> {
  await refuseMoreBoards(tx, call);
  return tx.boards.insert({ id: deps.newId(), ...board, createdAt: deps.now().toISOString() });
}

function createBoard(context: OperationContext): Implementation<'boards.create'> {
  return async ({ name, description, zones, ownerId: requestedOwner }, call) => {
    const ownerId = await ownerOf(context, call, requestedOwner);
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

/** Lists the sessions in the worktrees of a board, filtered for the caller as in `sessions.list`. */
function listBoardSessions(context: OperationContext): Implementation<'boards.sessions'> {
  const list = listSessions(context);
  return ({ boardId, limit, skip }, call) => list({ boardId, limit, skip, archived: false }, call);
}

function listBoardWorktrees({ storage: { read } }: OperationContext): Implementation<'boards.worktrees'> {
  return async ({ boardId, limit, skip }) => {
    const { data, ...page } = slicePage(await worktreesOn(read, boardId), { limit, skip });
    return { ...page, data: await worktreeViews(read, data) };
  };
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
      // All worktrees leave the board, even removed ones. Otherwise, a worktree that is restored later would be on a
      // removed board.
      for (const worktree of await tx.worktrees.find({ boardId })) {
        await tx.worktrees.update(worktree.id, OFF_BOARD);
        await recordWorktree(tx, worktree.id, OFF_BOARD);
      }
      await tx.zones.remove({ boardId });
      await tx.boards.update(boardId, { removedAt: now().toISOString() });
      await recordBoard(tx, 'board.removed', boardId, { name: row.name });
      return board;
    });
}

/**
 * Stores the copies of a board and its zones, and marks the copies of its worktrees ready and places them on the new
 * board, in one transaction.
 */
function storeCopy(
  context: OperationContext,
  call: Call,
  source: BoardRow,
  copy: { id: string; name: string; ownerId: string },
  copies: readonly MadeCopy[],
): Promise<Board> {
  return context.storage.write(authorOf(call), async (tx) => {
    const { description } = await boardRow(tx.boards, source.id);
    const row = await insertBoard(tx, context, call, { ...copy, description });
    const zones = new Map<string, string>();
    for (const zone of await tx.zones.find({ boardId: source.id })) {
      const id = context.newId();
      zones.set(zone.id, id);
      await tx.zones.insert({ ...zone, id, boardId: row.id, createdAt: row.createdAt });
    }
    for (const { source: original, id, built } of copies) {
      await context.maker.markReady(tx, id, built);
      const { boardId, zoneId, x, y } = await worktreeRow(tx.worktrees, original.id);
      const zone = zoneId === null ? null : (zones.get(zoneId) ?? null);
      // The original worktree may have been moved off the board while the board was copied. If so, its copy gets no
      // position on the new board.
      const position = boardId === source.id ? { zoneId: zone, x, y } : { zoneId: null, x: null, y: null };
      const placement = { boardId: row.id, ...position };
      await tx.worktrees.update(id, placement);
      await recordWorktree(tx, id, placement);
    }
    await recordBoard(tx, 'board.duplicated', row.id, { name: row.name, from: source.id, worktrees: copies.length });
    const board = await shownBoard(tx, row);
    await tx.remember(board);
    return board;
  });
}

function duplicateBoard(context: OperationContext): Implementation<'boards.duplicate'> {
  return async ({ boardId, newName, includeWorktrees }, call) => {
    const source = await boardRow(context.storage.read.boards, boardId);
    // The limit of boards is checked here, before any worktree is copied, because copying takes long. `insertBoard`
    // checks the limit again.
    await refuseMoreBoards(context.storage.read, call);
    const copy = { id: context.newId(), name: newName, ownerId: await personOf(context, call) };
    const copies = includeWorktrees ? await planCopies(context, call, boardId) : [];
    if (copies.length === 0) return storeCopy(context, call, source, copy, []);
    const job = await beginCopies(context, call, copy.id, copies);
    let result: { board: Board } | { error: unknown } | undefined;
    await context.jobs.run(job, async (progress) => {
      progress(0, 'copying worktrees');
      try {
        const made = await makeCopies(context, call, copies);
        result = { board: await storeCopy(context, call, source, copy, made) };
        return { boardId: copy.id };
      } catch (error) {
        result = { error };
        const ids = copies.map(({ id }) => id);
        await undoCopies(context, ids, toStoredError(error));
        throw error;
      }
    });
    if (result === undefined || 'error' in result) throw result?.error;
    return result.board;
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
    'boards.worktrees': listBoardWorktrees(context),
  } satisfies Partial<Implementations>;
}
