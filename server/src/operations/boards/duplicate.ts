import type { Board } from '@agent-console/shared/models/board';
import type { Call } from '../../domain/call.ts';
import { authorOf } from '../../engine/author.ts';
import { beginCopies, type MadeCopy, makeCopies, planCopies, undoCopies } from '../../engine/boards/copies.ts';
import { personOf, recordBoard, shownBoard } from '../../engine/boards/rows.ts';
import { toStoredError } from '../../engine/present.ts';
import { boardRow, worktreeRow } from '../../engine/rows.ts';
import type { BoardRow } from '../../ports/rows/boards.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { recordPlacement } from '../worktrees/placement.ts';
import { insertBoard, refuseMoreBoards } from './create.ts';

type Needs = Pick<OperationContext, 'storage' | 'git' | 'jobs' | 'maker' | 'ownerId' | 'now' | 'newId'>;

/** Stores the copy of a board with its zones; the copied worktrees become ready with it, and lie where the first ones lie. */
function storeCopy(
  needs: Needs,
  call: Call,
  from: BoardRow,
  copy: { id: string; name: string; ownerId: string },
  copies: readonly MadeCopy[],
): Promise<Board> {
  return needs.storage.write(authorOf(call), async (tx) => {
    const { description } = await boardRow(tx.boards, from.id);
    const row = await insertBoard(tx, needs, call, { ...copy, description });
    const zones = new Map<string, string>();
    for (const zone of await tx.zones.find({ boardId: from.id })) {
      const id = needs.newId();
      zones.set(zone.id, id);
      await tx.zones.insert({ ...zone, id, boardId: row.id, createdAt: row.createdAt });
    }
    for (const { source, id, built } of copies) {
      await needs.maker.markReady(tx, id, built);
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

export function duplicateBoard(needs: Needs): Implementation<'boards.duplicate'> {
  return async ({ boardId, newName, includeWorktrees }, call) => {
    const from = await boardRow(needs.storage.read.boards, boardId);
    // Counted again when it is stored; this spares making copies for nothing.
    await refuseMoreBoards(needs.storage.read, call);
    const copy = { id: needs.newId(), name: newName, ownerId: await personOf(needs, call) };
    const copies = includeWorktrees ? await planCopies(needs, call, boardId) : [];
    if (copies.length === 0) return storeCopy(needs, call, from, copy, []);
    const job = await beginCopies(needs, call, copy.id, copies);
    let end: { board: Board } | { error: unknown } | undefined;
    await needs.jobs.run(job, async (progress) => {
      progress(0, 'copying worktrees');
      try {
        const made = await makeCopies(needs, call, copies);
        end = { board: await storeCopy(needs, call, from, copy, made) };
        return { boardId: copy.id };
      } catch (error) {
        end = { error };
        const ids = copies.map(({ id }) => id);
        await undoCopies(needs, ids, toStoredError(error));
        throw error;
      }
    });
    if (end === undefined || 'error' in end) throw end?.error;
    return end.board;
  };
}
