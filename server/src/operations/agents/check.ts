import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';

export function checkAgent({ checks }: Pick<Kit, 'checks'>): Implementation<'agents.check'> {
  return ({ id, deep }, call) => checks.run(id, deep, call);
}
