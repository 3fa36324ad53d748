import { ConsoleError } from '@agent-console/shared/errors';
import { BOARDS_MAX, BOARDS_PER_SESSION_MAX } from '@agent-console/shared/limits/boards';
import { PLAIN_ZONE } from '@agent-console/shared/models/board';
import type { Call } from '../../domain/call.ts';
import { authorOf } from '../../engine/author.ts';
import { personOf, recordBoard, shownBoard } from '../../engine/boards/rows.ts';
import type { ChangeDeps } from '../../engine/task-changes.ts';
import type { BoardRow } from '../../ports/rows/boards.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { insertZone } from '../zones/zones.ts';

type Needs = Pick<OperationContext, 'storage' | 'ownerId' | 'now' | 'newId'>;

/** Between the zones that a board begins with, in its own units. */
const ZONE_GAP = 40;

/** Whose the new board is: the caller's, or whom the local owner says. */
async function ownerOf(needs: Needs, call: Call, wanted: string | undefined): Promise<string> {
  const person = await personOf(needs, call);
  if (wanted === undefined || wanted === person) return person;
  if (call.caller.kind !== 'user' || call.caller.userId !== needs.ownerId) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'Only the local owner creates boards for other people. Leave ownerId out.',
      { ownerId: wanted },
    );
  }
  return wanted;
}

/** Boards are bounded: those of everybody together, and for agents those that one session made. LIMIT_EXCEEDED. */
export async function refuseMoreBoards(read: Pick<Readers, 'boards'>, { caller }: Call): Promise<void> {
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
export async function insertBoard(
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

export function createBoard(needs: Needs): Implementation<'boards.create'> {
  return async ({ name, description, zones, ownerId: wanted }, call) => {
    const ownerId = await ownerOf(needs, call, wanted);
    return needs.storage.write(authorOf(call), async (tx) => {
      const row = await insertBoard(tx, needs, call, { name, description, ownerId });
      await recordBoard(tx, 'board.created', row.id, { name, ownerId });
      for (const [at, zone] of zones.entries()) {
        const x = at * (PLAIN_ZONE.width + ZONE_GAP);
        await insertZone(tx, needs, { ...PLAIN_ZONE, boardId: row.id, name: zone, x });
      }
      const board = await shownBoard(tx, row);
      await tx.remember(board);
      return board;
    });
  };
}
