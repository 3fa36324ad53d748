import { notFound } from '@agent-console/shared/errors';
import { presentDelegation } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listDelegations({ storage }: Pick<OperationContext, 'storage'>): Implementation<'delegations.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.delegations, omitUndefined(filter), { limit, skip }, presentDelegation, ['-id']);
}

export function getDelegation({ storage }: Pick<OperationContext, 'storage'>): Implementation<'delegations.get'> {
  return async ({ delegationId }) => {
    const row = await storage.read.delegations.get(delegationId);
    if (row === undefined) throw notFound('Delegation', delegationId);
    return presentDelegation(row);
  };
}
