import { ConsoleError } from '@agent-console/shared/errors';
import { repositoryRow, worktreeRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function listFiles({
  storage,
  git,
}: Pick<OperationContext, 'storage' | 'git'>): Implementation<'worktrees.files'> {
  return async ({ worktreeId, path, limit, skip }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    if (row.state !== 'ready') {
      throw new ConsoleError('CONFLICT', `Worktree ${row.name} is ${row.state}; its files cannot be listed.`, {
        worktreeId,
        state: row.state,
      });
    }
    const { commonDir } = await repositoryRow(storage.read.repositories, row.repositoryId);
    const { total, files } = await git.files({ path: row.path, commonDir }, { under: path, skip, limit });
    return { total, limit, skip, data: files };
  };
}
