import { ConsoleError } from '@agent-console/shared/errors';
import { repositoryRow, worktreeRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function diffWorktree({
  storage,
  git,
}: Pick<OperationContext, 'storage' | 'git'>): Implementation<'worktrees.diff'> {
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
