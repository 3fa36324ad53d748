import type { Worktree } from '@agent-console/shared/models/worktree';
import { worktreeRow } from '../../engine/found.ts';
import { presentWorktree } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'git' | 'places'>;

/** A worktree as git sees it at this moment, where it is there. */
export async function worktreeNow({ storage, git, places }: Needs, worktreeId: string): Promise<Worktree> {
  const row = await worktreeRow(storage.read.worktrees, worktreeId);
  const repository = await storage.read.repositories.get(row.repositoryId);
  if (row.state !== 'ready' || repository === undefined) return presentWorktree(row);
  if (!(await places.isFolder(row.path))) return { ...presentWorktree(row), missing: true };
  const { currentSha, branch, hasChanges } = await git.state({ path: row.path, commonDir: repository.commonDir });
  return presentWorktree({ ...row, currentSha, branch }, hasChanges);
}

export function getWorktree(needs: Needs): Implementation<'worktrees.get'> {
  return ({ worktreeId }) => worktreeNow(needs, worktreeId);
}
