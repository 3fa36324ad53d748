import type { Approval } from '@agent-console/shared/models/approval';

type Option = Approval['options'][number];

/** Whether an option's id is a single key that can be pressed. */
export function isAnswerKey({ id }: Pick<Option, 'id'>): boolean {
  return /^[0-9a-z]$/.test(id);
}

/**
 * Returns the option whose id is `key`. Without such an option, `y` selects the first option that allows the request,
 * and `n` the first that denies it.
 */
export function optionForKey(options: readonly Option[], key: string): Option | undefined {
  const named = options.find(({ id }) => id === key);
  if (named !== undefined) return named;
  const kind = key === 'y' ? 'allow' : key === 'n' ? 'deny' : undefined;
  return options.find((option) => option.kind === kind);
}
