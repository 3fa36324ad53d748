import type { Implementation } from '../call.ts';
import { worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentWorktree } from '../present.ts';

export function getWorktree({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.get'> {
  return async ({ worktreeId }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    if (row.state !== 'ready') return presentWorktree(row);
    const { currentSha, branch, hasChanges } = await git.state(row.path);
    return presentWorktree({ ...row, currentSha, branch }, hasChanges);
  };
}
