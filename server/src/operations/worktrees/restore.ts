import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { repositoryRow, worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorktree } from '../present.ts';

export function restoreWorktree({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.restore'> {
  return async ({ worktreeId }, call) => {
    const worktree = await worktreeRow(storage.read.worktrees, worktreeId);
    const { state, recoveryRef, branch, path } = worktree;
    if (state !== 'removed' || recoveryRef === null || branch === null) {
      throw new ConsoleError('CONFLICT', `Worktree ${worktree.name} is ${state}; only a removed one can be restored.`, {
        worktreeId,
        state,
      });
    }
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    // Marked first, so that a listing meanwhile does not take the folder for somebody else's.
    await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, { state: 'restoring' }));
    const { sha } = await git
      .restoreWorktree({ repositoryPath: repository.path, path, branch, recoveryRef })
      .catch(async (error) => {
        await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, { state: 'removed' }));
        throw error;
      });
    return storage.write(authorOf(call), async (tx) => {
      await tx.worktrees.update(worktreeId, { state: 'ready', currentSha: sha });
      await tx.record({
        type: 'worktree.restored',
        subject: { kind: 'worktree', id: worktreeId },
        data: { worktreeId, branch },
      });
      return presentWorktree(await worktreeRow(tx.worktrees, worktreeId));
    });
  };
}
