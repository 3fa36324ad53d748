import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { repositoryRow, worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import type { WorktreeRow } from '../ports/rows/worktrees.ts';
import type { Transaction } from '../ports/storage.ts';
import { presentWorktree } from '../present.ts';

/** The states of a worktree that has its branch and its folder to itself. */
const THERE: WorktreeRow['state'][] = ['creating', 'ready', 'removing', 'restoring'];

/** Marks it first, so that it is restored once, and no listing meanwhile takes the folder for somebody else's. */
async function claim(tx: Transaction, worktreeId: string) {
  const worktree = await worktreeRow(tx.worktrees, worktreeId);
  const { repositoryId, state, recoveryRef, branch, path, name } = worktree;
  if (state !== 'removed' || recoveryRef === null || branch === null) {
    throw new ConsoleError('CONFLICT', `Worktree ${name} is ${state}; only a removed one can be restored.`, {
      worktreeId,
      state,
    });
  }
  const holder =
    (await tx.worktrees.first({ repositoryId, branch, state: THERE, kind: ['managed', 'adopted'] })) ??
    (await tx.worktrees.first({ path, state: THERE }));
  if (holder !== undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${name} cannot be restored: ${holder.name} has its branch ${branch} or its folder now. Remove that one first.`,
      { worktreeId, branch, path: holder.path },
    );
  }
  await tx.worktrees.update(worktreeId, { state: 'restoring' });
  return { ...worktree, branch, recoveryRef };
}

export function restoreWorktree({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.restore'> {
  return async ({ worktreeId }, call) => {
    const { repositoryId } = await worktreeRow(storage.read.worktrees, worktreeId);
    const repository = await repositoryRow(storage.read.repositories, repositoryId);
    const { branch, path, recoveryRef } = await storage.write(authorOf(call), (tx) => claim(tx, worktreeId));
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
