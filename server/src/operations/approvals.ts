import { carryOut, claim } from '../engine/approvals/answers.ts';
import { authorOf } from '../engine/author.ts';
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

/**
 * Types the answer to what an agent asks. It is claimed first, then the screen is looked at once more: the keys are those
 * that choose the answer there and then, and nothing is typed unless the same question still stands.
 */
function answerApproval(context: OperationContext): Implementation<'approvals.answer'> {
  return async ({ approvalId, optionId }, call) => {
    const author = authorOf(call);
    const claimed = await context.storage.write(author, (tx) => claim(tx, approvalId, optionId, author.actor));
    return presentApproval(await carryOut(context, claimed, author));
  };
}

export function approvalOperations(context: OperationContext) {
  return {
    'approvals.list': listApprovals(context),
    'approvals.get': getApproval(context),
    'approvals.answer': answerApproval(context),
  } satisfies Partial<Implementations>;
}
