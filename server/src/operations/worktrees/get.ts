import type { Implementation } from '../call.ts';
import { worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorktree } from '../present.ts';

export function getWorktree({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.get'> {
  return async ({ worktreeId }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    const repository = await storage.read.repositories.get(row.repositoryId);
    if (row.state !== 'ready' || repository === undefined) return presentWorktree(row);
    const { currentSha, branch, hasChanges } = await git.state({ path: row.path, commonDir: repository.commonDir });
    return presentWorktree({ ...row, currentSha, branch }, hasChanges);
  };
}
