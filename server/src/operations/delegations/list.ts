import { notFound } from '@agent-console/shared/errors';
import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import { presentDelegation } from '../present.ts';

export function listDelegations({ storage }: Pick<Kit, 'storage'>): Implementation<'delegations.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.delegations, given(filter), { limit, skip }, presentDelegation, ['-id']);
}

export function getDelegation({ storage }: Pick<Kit, 'storage'>): Implementation<'delegations.get'> {
  return async ({ delegationId }) => {
    const row = await storage.read.delegations.get(delegationId);
    if (row === undefined) throw notFound('Delegation', delegationId);
    return presentDelegation(row);
  };
}
