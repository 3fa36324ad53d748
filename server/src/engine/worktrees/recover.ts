import type { RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import type { Author } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { EngineContext } from '../context.ts';
import { worktreeRow } from '../rows.ts';
import { saveBeforeDiscard } from './save.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'host' | 'maker'>;

/**
 * Returns the key with which `WorktreeMaker.alone` runs the removals of a worktree one after the other. Otherwise, a
 * failed removal could set the state `ready` while another one deletes the folder.
 */
export const removalOf = (worktreeId: string) => `removal of ${worktreeId}`;

/**
 * Finishes or undoes removals and restores that were in progress when the previous server died. No agent can have
 * worked in these worktrees since, because their states do not allow it.
 */
export async function recoverWorktrees(
  needs: Needs,
  onError: (error: unknown, about: { worktreeId: string }) => void,
): Promise<void> {
  const { read } = needs.storage;
  for (const worktree of await read.worktrees.find({ state: ['removing', 'restoring'] })) {
    const repository = await read.repositories.get(worktree.repositoryId);
    if (repository === undefined) continue;
    const report = (error: unknown) => onError(error, { worktreeId: worktree.id });
    const work =
      worktree.state === 'removing'
        ? recoverRemoval(needs, worktree, repository)
        : undoRestoring(needs, worktree, repository, report);
    await work.catch(report);
  }
}

/**
 * Finishes or undoes an interrupted removal. A removal moves the folder away in a single step. So a folder that still
 * exists is complete, and its worktree becomes ready again.
 */
async function recoverRemoval(needs: Needs, { id }: WorktreeRow, repository: RepositoryRow): Promise<void> {
  await needs.maker.alone(removalOf(id), async () => {
    const worktree = await worktreeRow(needs.storage.read.worktrees, id);
    if (worktree.state !== 'removing') return;
    if (!(await needs.host.isPresent(worktree))) {
      await finishRemoval(needs, SYSTEM, worktree, repository);
      return;
    }
    await needs.storage.write(SYSTEM, async (tx) => {
      await tx.worktrees.update(id, { state: 'ready' });
      const subject = { kind: 'worktree', id } as const;
      await tx.record({ type: 'worktree.updated', subject, data: { worktreeId: id, state: 'ready' } });
    });
  });
}

/**
 * Undoes an interrupted restore, so that it can be repeated. First saves the folder's files if possible, because a
 * person may have added some. If that fails, they are discarded all the same, because no operation could end the state
 * `restoring`.
 */
async function undoRestoring(
  { storage, git }: Needs,
  worktree: WorktreeRow,
  repository: RepositoryRow,
  onError: (error: unknown) => void,
): Promise<void> {
  const checkout = { repository, worktree };
  await saveBeforeDiscard({ storage, git }, checkout).catch(onError);
  await git.discardWorktree(checkout, { deleteBranch: false });
  await storage.write(SYSTEM, (tx) => tx.worktrees.update(worktree.id, { state: 'removed' }));
}

/** Removes the rest of a worktree's folder and registration, and stores that it is removed. Idempotent. */
export async function finishRemoval(
  { storage, git }: Pick<EngineContext, 'storage' | 'git'>,
  author: Author,
  worktree: WorktreeRow,
  repository: RepositoryRow,
): Promise<WorktreeRow> {
  const worktreeId = worktree.id;
  await git.removeWorktree({ repository, worktree });
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
