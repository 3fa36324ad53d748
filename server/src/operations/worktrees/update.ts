import { authorOf } from '../../engine/author.ts';
import { presentWorktree } from '../../engine/present.ts';
import { worktreeRow } from '../../engine/rows.ts';
import { refuseForeignWorktree } from '../../engine/worktrees/agent-limits.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { placementAfter, recordMove } from './placement.ts';

export function updateWorktree(
  needs: Pick<OperationContext, 'storage' | 'ownerId'>,
): Implementation<'worktrees.update'> {
  return async ({ worktreeId, name, ...wanted }, call) => {
    await refuseForeignWorktree(needs, worktreeId, call);
    return needs.storage.write(authorOf(call), async (tx) => {
      const row = await worktreeRow(tx.worktrees, worktreeId);
      const moves = Object.keys(omitUndefined(wanted)).length > 0;
      const placement = moves ? await placementAfter(tx, row, wanted) : {};
      const patch = { ...omitUndefined({ name }), ...placement };
      await tx.worktrees.update(worktreeId, patch);
      const data = { worktreeId, ...patch };
      await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktreeId }, data });
      const after = await worktreeRow(tx.worktrees, worktreeId);
      if (moves) await recordMove(tx, worktreeId, row.boardId, after.boardId);
      return presentWorktree(after);
    });
  };
}
