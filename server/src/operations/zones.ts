import { ConsoleError } from '@agent-console/shared/errors';
import { BOARD_ZONES_MAX } from '@agent-console/shared/limits/boards';
import type { Call } from '../domain/call.ts';
import { refuseUnlessOwner } from '../engine/boards/rows.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { ChangeDeps } from '../engine/changes/task-changes.ts';
import { boardRow, zoneRow } from '../engine/rows.ts';
import type { BoardRow, ZoneRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { recordWorktree } from './placement.ts';

/**
 * Returns the board on which the caller wants to create, change or remove a zone.
 * @throws PERMISSION_DENIED if the caller is neither the board's owner nor the local owner.
 */
async function writableBoard(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  boardId: string,
): Promise<BoardRow> {
  const board = await boardRow(tx.boards, boardId);
  refuseUnlessOwner(call, board, context.ownerId);
  return board;
}

function recordZone(tx: Transaction, type: 'zone.created' | 'zone.updated' | 'zone.removed', zone: ZoneRow) {
  const data = { zoneId: zone.id, boardId: zone.boardId, name: zone.name };
  return tx.record({ type, subject: { kind: 'zone', id: zone.id }, data });
}

/** Stores a zone without checking the limit of zones per board; the caller must have checked it. */
export async function insertZone(
  tx: Transaction,
  deps: ChangeDeps,
  fields: Omit<ZoneRow, 'id' | 'createdAt'>,
): Promise<ZoneRow> {
  const zone = await tx.zones.insert({ id: deps.newId(), ...fields, createdAt: deps.now().toISOString() });
  await recordZone(tx, 'zone.created', zone);
  return zone;
}

function createZone(context: OperationContext): Implementation<'zones.create'> {
  return ({ boardId, ...fields }, call) =>
    context.storage.write(authorOf(call), async (tx) => {
      await writableBoard(tx, context, call, boardId);
      if ((await tx.zones.count({ boardId })) >= BOARD_ZONES_MAX) {
        throw new ConsoleError(
          'LIMIT_EXCEEDED',
          `This board has reached its limit of ${BOARD_ZONES_MAX} zones. Remove one, or use another board.`,
          { boardId, limit: BOARD_ZONES_MAX },
          { retryable: false },
        );
      }
      const zone = await insertZone(tx, context, { boardId, ...fields });
      await tx.remember({ ...zone });
      return zone;
    });
}

function updateZone(context: OperationContext): Implementation<'zones.update'> {
  return ({ zoneId, ...changes }, call) =>
    context.storage.write(authorOf(call), async (tx) => {
      const { boardId } = await zoneRow(tx.zones, zoneId);
      await writableBoard(tx, context, call, boardId);
      await tx.zones.update(zoneId, omitUndefined(changes));
      const zone = await zoneRow(tx.zones, zoneId);
      await recordZone(tx, 'zone.updated', zone);
      return zone;
    });
}

function removeZone(context: OperationContext): Implementation<'zones.remove'> {
  return ({ zoneId }, call) =>
    context.storage.write(authorOf(call), async (tx) => {
      const zone = await zoneRow(tx.zones, zoneId);
      await writableBoard(tx, context, call, zone.boardId);
      for (const worktree of await tx.worktrees.find({ zoneId })) {
        const placement = { boardId: worktree.boardId, zoneId: null, x: worktree.x, y: worktree.y };
        await tx.worktrees.update(worktree.id, placement);
        await recordWorktree(tx, worktree.id, placement);
      }
      await tx.zones.remove({ id: zoneId });
      await recordZone(tx, 'zone.removed', zone);
      return zone;
    });
}

export function zoneOperations(context: OperationContext) {
  return {
    'zones.create': createZone(context),
    'zones.update': updateZone(context),
    'zones.remove': removeZone(context),
  } satisfies Partial<Implementations>;
}
