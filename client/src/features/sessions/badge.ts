import type { SessionBadge } from '@agent-console/shared/session-badge';
import { formatAge } from '../../ui/format-age.ts';

export * from '@agent-console/shared/session-badge';

/** Formats a badge's tooltip, e.g. `idle 3 m · hook, certain`. */
export function describeBadge({ word, since, source }: SessionBadge, now?: number): string {
  return `${word} ${formatAge(since, now)} · ${source}`;
}
