import type { Implementation } from '../call.ts';
import { approvalRow } from '../found.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import { presentApproval } from '../present.ts';

export function listApprovals({ storage }: Pick<Kit, 'storage'>): Implementation<'approvals.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.approvals, given(filter), { limit, skip }, presentApproval, ['-id']);
}

export function getApproval({ storage }: Pick<Kit, 'storage'>): Implementation<'approvals.get'> {
  return async ({ approvalId }) => presentApproval(await approvalRow(storage.read.approvals, approvalId));
}
