import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function checkAgent({ checks }: Pick<OperationContext, 'checks'>): Implementation<'agents.check'> {
  return ({ id, deep }, call) => checks.run(id, deep, call);
}
