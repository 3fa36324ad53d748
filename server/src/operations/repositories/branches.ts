import type { Implementation } from '../call.ts';
import { repositoryRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { slicePage } from '../paging.ts';

export function listBranches({ storage, git }: Pick<Kit, 'storage' | 'git'>): Implementation<'repositories.branches'> {
  return async ({ repositoryId, ...page }) => {
    const { path } = await repositoryRow(storage.read.repositories, repositoryId);
    return slicePage(await git.branches(path), page);
  };
}
