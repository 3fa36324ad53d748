import type { Worktree } from '@agent-console/shared/models/worktree';
import { presentWorktree } from '../../engine/present.ts';
import { worktreeRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'git' | 'host'>;

/** A worktree as git sees it at this moment, where it is there. */
export async function worktreeNow({ storage, git, host }: Needs, worktreeId: string): Promise<Worktree> {
  const row = await worktreeRow(storage.read.worktrees, worktreeId);
  const repository = await storage.read.repositories.get(row.repositoryId);
  if (row.state !== 'ready' || repository === undefined) return presentWorktree(row);
  if (!(await host.isFolder(row.path))) return { ...presentWorktree(row), missing: true };
  const { currentSha, branch, hasChanges } = await git.state({ path: row.path, commonDir: repository.commonDir });
  return presentWorktree({ ...row, currentSha, branch }, hasChanges);
}

export function getWorktree(needs: Needs): Implementation<'worktrees.get'> {
  return ({ worktreeId }) => worktreeNow(needs, worktreeId);
}
