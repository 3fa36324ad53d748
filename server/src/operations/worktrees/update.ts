import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { worktreeRow } from '../found.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { presentWorktree } from '../present.ts';
import { placementAfter, recordMove } from './placement.ts';
import { refuseForeign } from './reach.ts';

export function updateWorktree(needs: Pick<Kit, 'storage' | 'ownerId'>): Implementation<'worktrees.update'> {
  return async ({ worktreeId, name, ...wanted }, call) => {
    await refuseForeign(needs, worktreeId, call);
    return needs.storage.write(authorOf(call), async (tx) => {
      const row = await worktreeRow(tx.worktrees, worktreeId);
      const moves = Object.keys(given(wanted)).length > 0;
      const placement = moves ? await placementAfter(tx, row, wanted) : {};
      const patch = { ...given({ name }), ...placement };
      await tx.worktrees.update(worktreeId, patch);
      const data = { worktreeId, ...patch };
      await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktreeId }, data });
      const after = await worktreeRow(tx.worktrees, worktreeId);
      if (moves) await recordMove(tx, worktreeId, row.boardId, after.boardId);
      return presentWorktree(after);
    });
  };
}
