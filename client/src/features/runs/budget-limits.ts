import type { BudgetLimit } from '@agent-console/shared/models/budget';
import { pluralize } from '@agent-console/shared/pluralize';
import { formatDuration, formatTokens } from './durations.ts';

export const BUDGET_LIMITS: Readonly<Record<BudgetLimit, { name: string; format(value: number): string }>> = {
  wallSeconds: { name: 'Time', format: (seconds) => formatDuration(seconds * 1_000) },
  agents: { name: 'Agents', format: String },
  tokens: { name: 'Tokens', format: formatTokens },
  money: { name: 'Cost', format: (dollars) => `$${dollars.toFixed(2)}` },
};

/** The limits in the order in which they are shown. */
export const LIMITS = Object.keys(BUDGET_LIMITS) as readonly BudgetLimit[];

export function isBudgetLimit(value: unknown): value is BudgetLimit {
  return typeof value === 'string' && Object.hasOwn(BUDGET_LIMITS, value);
}

/** Returns a limit and its use in words: `4 m of 5 m`, `3 of 5 agents`, `$1.20 of $2.00`. */
export function describeUse(limit: BudgetLimit, used: number, allowed: number): string {
  const { format } = BUDGET_LIMITS[limit];
  if (limit === 'agents') return `${used} of ${pluralize(allowed, 'agent')}`;
  return `${format(used)} of ${format(allowed)}${limit === 'tokens' ? ' tokens' : ''}`;
}
