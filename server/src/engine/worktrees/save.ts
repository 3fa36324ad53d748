import { basename } from 'node:path';
import type { Checkout } from '../../ports/checkout.ts';
import type { Git } from '../../ports/git.ts';
import type { WorktreeRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';

/**
 * Saves a worktree in a recovery ref before its folder is discarded, because somebody may have worked in it. An event
 * names the ref. Does nothing if the folder has no changes, new files or commits of its own. Does not save everything:
 * files that are too large, for example, are left out.
 * @throws if the worktree cannot be saved
 */
export async function saveBeforeDiscard(
  { storage, git }: { storage: Storage; git: Git },
  checkout: Checkout & { worktree: WorktreeRow },
): Promise<void> {
  if ((await git.isEmpty(checkout)) || !(await hasWork(git, checkout))) return;
  const { id: worktreeId, path } = checkout.worktree;
  const { ref: recoveryRef } = await git.saveRecovery(checkout, basename(path));
  const subject = { kind: 'worktree', id: worktreeId } as const;
  await storage.write(SYSTEM, (tx) =>
    tx.record({ type: 'worktree.saved', subject, data: { worktreeId, recoveryRef } }),
  );
}

async function hasWork(git: Git, checkout: Checkout): Promise<boolean> {
  const { uncommitted, untracked, unpushed, ignored, inProgress } = await git.removalRisk(checkout);
  const isChanged = uncommitted.length + untracked.length + unpushed.length > 0 || inProgress !== null;
  return isChanged || ignored.some(({ saved }) => saved);
}
