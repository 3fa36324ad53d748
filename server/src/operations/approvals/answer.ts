import { carryOut, claim } from '../../engine/approvals/answers.ts';
import { authorOf } from '../../engine/author.ts';
import { presentApproval } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'runner' | 'watcher' | 'reconciler' | 'now' | 'newId'>;

/**
 * Types the answer to what an agent asks. It is claimed first, then the screen is looked at once more: the keys are those
 * that choose the answer there and then, and nothing is typed unless the same question still stands.
 */
export function answerApproval(needs: Needs): Implementation<'approvals.answer'> {
  return async ({ approvalId, optionId }, call) => {
    const author = authorOf(call);
    const claimed = await needs.storage.write(author, (tx) => claim(tx, approvalId, optionId, author.actor));
    return presentApproval(await carryOut(needs, claimed, author));
  };
}
