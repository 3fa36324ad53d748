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

/** Claims the approval. Types the answer's keys only if the screen, read again, still shows the same question. */
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
