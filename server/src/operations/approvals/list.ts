import { approvalRow } from '../../engine/found.ts';
import { presentApproval } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import { given } from '../given.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listApprovals({ storage }: Pick<OperationContext, 'storage'>): Implementation<'approvals.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.approvals, given(filter), { limit, skip }, presentApproval, ['-id']);
}

export function getApproval({ storage }: Pick<OperationContext, 'storage'>): Implementation<'approvals.get'> {
  return async ({ approvalId }) => presentApproval(await approvalRow(storage.read.approvals, approvalId));
}
