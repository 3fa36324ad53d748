import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorktree } from '../present.ts';

export function updateWorktree({ storage }: Pick<Kit, 'storage'>): Implementation<'worktrees.update'> {
  return ({ worktreeId, name }, call) =>
    storage.write(authorOf(call), async (tx) => {
      await tx.worktrees.update(worktreeId, { name });
      await tx.record({
        type: 'worktree.updated',
        subject: { kind: 'worktree', id: worktreeId },
        data: { worktreeId, name },
      });
      return presentWorktree(await worktreeRow(tx.worktrees, worktreeId));
    });
}
