import type { Storage, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { WorktreeMaker } from './maker.ts';

/** Why a worktree could not be created, in the form that callers receive. */
export interface CreationFailure {
  code: string;
  message: string;
}

/** Stores that the creation of a worktree failed, and records the event. */
export async function failWorktree(
  tx: Transaction,
  worktreeId: string,
  { code, message }: CreationFailure,
  branch: string | null,
): Promise<void> {
  await tx.worktrees.update(worktreeId, { state: 'failed' });
  await tx.record({
    type: 'worktree.failed',
    subject: { kind: 'worktree', id: worktreeId },
    data: { worktreeId, error: { code, message }, branch },
  });
}

/** Undoes a worktree whose creation failed or was interrupted, if it is still `creating`, and records the failure. */
export async function abandonWorktree(
  { storage, maker }: { storage: Storage; maker: Pick<WorktreeMaker, 'discard'> },
  worktreeId: string,
  why: CreationFailure,
): Promise<void> {
  await maker.discard(worktreeId);
  await storage.write(SYSTEM, async (tx) => {
    const worktree = await tx.worktrees.get(worktreeId);
    if (worktree?.state === 'creating') await failWorktree(tx, worktreeId, why, worktree.branch);
  });
}
