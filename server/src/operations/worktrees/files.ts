import { ConsoleError } from '@agent-console/shared/errors';
import type { Implementation } from '../call.ts';
import { repositoryRow, worktreeRow } from '../found.ts';
import type { Kit } from '../kit.ts';

export function listFiles({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'worktrees.files'> {
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
