import type { RepositoryRow, WorktreeRow } from '../../ports/rows/worktrees.ts';
import type { Author } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';
import { worktreeRow } from '../rows.ts';

/** Removes what is left of a worktree's folder and registration, and stores that it is removed. Idempotent. */
export async function finishRemoval(
  { storage, git }: Pick<EngineContext, 'storage' | 'git'>,
  author: Author,
  { id: worktreeId, path }: WorktreeRow,
  repository: RepositoryRow,
): Promise<WorktreeRow> {
  await git.removeWorktree(repository.path, path);
  return storage.write(author, async (tx) => {
    const row = await worktreeRow(tx.worktrees, worktreeId);
    if (row.state !== 'removing') return row;
    await tx.worktrees.update(worktreeId, { state: 'removed' });
    await tx.record({
      type: 'worktree.removed',
      subject: { kind: 'worktree', id: worktreeId },
      data: { worktreeId, recoveryRef: row.recoveryRef },
    });
    return worktreeRow(tx.worktrees, worktreeId);
  });
}
