import { presentRepository } from '../../engine/present.ts';
import { repositoryRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function getRepository({ storage }: Pick<OperationContext, 'storage'>): Implementation<'repositories.get'> {
  return async ({ repositoryId }) => presentRepository(await repositoryRow(storage.read.repositories, repositoryId));
}
