import { presentRepository } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listRepositories({ storage }: Pick<OperationContext, 'storage'>): Implementation<'repositories.list'> {
  return (input) => pageOf(storage.read.repositories, { removedAt: null }, input, presentRepository);
}
