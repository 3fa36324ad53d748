import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import { presentWorktree } from '../../engine/present.ts';
import { repositoryRow, worktreeRow } from '../../engine/rows.ts';
import type { WorktreeRow } from '../../ports/rows/worktrees.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

/** The states of a worktree that has its branch and its folder to itself. */
const THERE: WorktreeRow['state'][] = ['creating', 'ready', 'removing', 'restoring'];

/** Why a worktree is not one to restore, and what to do instead. */
function notRestorable({ id: worktreeId, name, state, branch, recoveryRef }: WorktreeRow): ConsoleError {
  const words =
    state === 'removed'
      ? `Nothing was saved of worktree ${name} when it was removed, since its folder was gone. Make a new one of its branch ${branch ?? ''}`
      : `Worktree ${name} is ${state}; only a removed one can be restored. If its folder is gone, remove it, and make a new one of its branch ${branch ?? ''}`;
  return new ConsoleError('CONFLICT', `${words.trimEnd()}.`, { worktreeId, state, recoveryRef });
}

/** Whether it can be restored; what it was saved in, too. */
function restorable(worktree: WorktreeRow): WorktreeRow & { recoveryRef: string } {
  const { state, recoveryRef } = worktree;
  if (state !== 'removed' || recoveryRef === null) throw notRestorable(worktree);
  return { ...worktree, recoveryRef };
}

/**
 * Marks it first, so that it is restored once, and no listing meanwhile takes the folder for somebody else's. `branch` is
 * the one that it comes back on: the one it was removed from.
 */
async function claim(tx: Transaction, worktreeId: string, branch: string | null) {
  const { repositoryId, path, name } = restorable(await worktreeRow(tx.worktrees, worktreeId));
  const holder =
    (branch === null
      ? undefined
      : await tx.worktrees.first({ repositoryId, branch, state: THERE, kind: ['managed', 'adopted'] })) ??
    (await tx.worktrees.first({ path, state: THERE }));
  if (holder !== undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${name} cannot be restored: ${holder.name} has its ${branch === null ? '' : `branch ${branch} or its `}folder now. Remove that one first.`,
      { worktreeId, branch, path: holder.path },
    );
  }
  await tx.worktrees.update(worktreeId, { state: 'restoring', branch });
}

export function restoreWorktree({
  storage,
  git,
}: Pick<OperationContext, 'storage' | 'git'>): Implementation<'worktrees.restore'> {
  return async ({ worktreeId }, call) => {
    const worktree = restorable(await worktreeRow(storage.read.worktrees, worktreeId));
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    const { path, recoveryRef } = worktree;
    const branch = await git.recoveryBranch(repository.path, recoveryRef);
    await storage.write(authorOf(call), (tx) => claim(tx, worktreeId, branch));
    const { sha, warnings } = await git
      .restoreWorktree({ repositoryPath: repository.path, path, recoveryRef })
      .catch(async (error) => {
        const before = { state: 'removed' as const, branch: worktree.branch };
        await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, before));
        throw error;
      });
    return storage.write(authorOf(call), async (tx) => {
      await tx.worktrees.update(worktreeId, { state: 'ready', currentSha: sha });
      await tx.record({
        type: 'worktree.restored',
        subject: { kind: 'worktree', id: worktreeId },
        data: { worktreeId, branch },
      });
      return { ...presentWorktree(await worktreeRow(tx.worktrees, worktreeId)), warnings };
    });
  };
}
