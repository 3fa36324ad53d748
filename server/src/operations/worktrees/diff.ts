import { ConsoleError } from '@agent-console/shared/errors';
import type { Implementation } from '../call.ts';
import { repositoryRow, worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';

export function diffWorktree({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.diff'> {
  return async ({ worktreeId, base }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    if (row.state !== 'ready') {
      throw new ConsoleError('CONFLICT', `Worktree ${row.name} is ${row.state}; there is nothing to compare.`, {
        worktreeId,
        state: row.state,
      });
    }
    const { defaultBranch, commonDir } = await repositoryRow(storage.read.repositories, row.repositoryId);
    const against = base ?? row.baseSha ?? defaultBranch;
    return { worktreeId, base: against, ...(await git.diff({ path: row.path, commonDir }, against)) };
  };
}
