import { presentApproval } from '../../engine/present.ts';
import { approvalRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listApprovals({ storage }: Pick<OperationContext, 'storage'>): Implementation<'approvals.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.approvals, omitUndefined(filter), { limit, skip }, presentApproval, ['-id']);
}

export function getApproval({ storage }: Pick<OperationContext, 'storage'>): Implementation<'approvals.get'> {
  return async ({ approvalId }) => presentApproval(await approvalRow(storage.read.approvals, approvalId));
}
