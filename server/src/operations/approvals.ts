import { answerQuestion } from '../engine/approvals/answers.ts';
import { authorOf } from '../engine/changes/author.ts';
import { presentApproval } from '../engine/present.ts';
import { approvalRow } from '../engine/rows.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

function listApprovals({ storage }: OperationContext): Implementation<'approvals.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.approvals, omitUndefined(filter), { limit, skip }, presentApproval, ['-id']);
}

function getApproval({ storage }: OperationContext): Implementation<'approvals.get'> {
  return async ({ approvalId }) => presentApproval(await approvalRow(storage.read.approvals, approvalId));
}

function answerApproval(context: OperationContext): Implementation<'approvals.answer'> {
  return async (answer, call) => presentApproval(await answerQuestion(context, answer, authorOf(call)));
}

export function approvalOperations(context: OperationContext) {
  return {
    'approvals.list': listApprovals(context),
    'approvals.get': getApproval(context),
    'approvals.answer': answerApproval(context),
  } satisfies Partial<Implementations>;
}
