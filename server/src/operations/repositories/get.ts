import type { Implementation } from '../call.ts';
import { repositoryRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { presentRepository } from '../present.ts';

export function getRepository({ storage }: Pick<Kit, 'storage'>): Implementation<'repositories.get'> {
  return async ({ repositoryId }) => presentRepository(await repositoryRow(storage.read.repositories, repositoryId));
}
