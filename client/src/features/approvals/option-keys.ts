import type { Approval } from '@agent-console/shared/models/approval';

type Option = Approval['options'][number];

/** Whether the name of an answer is a key that one can press. */
export function isAnswerKey({ id }: Pick<Option, 'id'>): boolean {
  return /^[0-9a-z]$/.test(id);
}

/** The answer that a key chooses: the one of that name, else `y` the first that allows and `n` the first that refuses. */
export function optionForKey(options: readonly Option[], key: string): Option | undefined {
  const named = options.find(({ id }) => id === key);
  if (named !== undefined) return named;
  const kind = key === 'y' ? 'allow' : key === 'n' ? 'deny' : undefined;
  return options.find((option) => option.kind === kind);
}
