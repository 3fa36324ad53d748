import { repositoryRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { slicePage } from '../paging.ts';

export function listBranches({
  storage,
  git,
}: Pick<OperationContext, 'storage' | 'git'>): Implementation<'repositories.branches'> {
  return async ({ repositoryId, ...page }) => {
    const { path } = await repositoryRow(storage.read.repositories, repositoryId);
    return slicePage(await git.branches(path), page);
  };
}
