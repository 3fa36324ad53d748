import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import { presentRepository } from '../present.ts';

export function listRepositories({ storage }: Pick<Kit, 'storage'>): Implementation<'repositories.list'> {
  return (input) => pageOf(storage.read.repositories, { removedAt: null }, input, presentRepository);
}
