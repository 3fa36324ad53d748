import type { OutputOf } from '@agent-console/shared/operations/table';

type Offered = OutputOf<'sessions.options'>;

/** Percentage from which the context counts as nearly full. */
const HIGH_PERCENT = 80;
const CATEGORIES: readonly (string | null)[] = ['mode', 'model'];

/** Returns the options in display order: mode and model first. */
export function inOrder(options: Offered['options']): Offered['options'] {
  const rank = ({ category }: Offered['options'][number]) => {
    const at = CATEGORIES.indexOf(category);
    return at === -1 ? CATEGORIES.length : at;
  };
  return options.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns how much of its context an agent has used: as a percentage, as a text, and whether it is nearly full. */
export function contextUsage({ used, size, costUsd }: NonNullable<Offered['usage']>) {
  const percent = size > 0 ? Math.min(100, Math.round((used / size) * 100)) : 0;
  const count = (tokens: number) => tokens.toLocaleString('en');
  const cost = costUsd === null ? '' : ` · $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
  return {
    percent,
    title: `${count(used)} of ${count(size)} tokens of context used${cost}`,
    high: percent >= HIGH_PERCENT,
  };
}
