import type { Orchestration } from '@agent-console/shared/models/orchestration';
import { containsWords } from '@agent-console/shared/words';

/**
 * Whether each word of a query occurs in the objective, definition name or strategy of an orchestration, or in the name
 * of its repository (`repository`).
 */
export function isMatch(
  { objective, definition, strategy }: Pick<Orchestration, 'objective' | 'definition' | 'strategy'>,
  query: string,
  repository = '',
): boolean {
  return containsWords(`${objective}\n${definition?.name ?? ''}\n${strategy}\n${repository}`, query);
}
