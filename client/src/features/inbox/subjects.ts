import type { InboxItem } from '@agent-console/shared/models/inbox';

/** Id of the session or orchestration of an item. */
export function subjectOf({ sessionId, orchestrationId }: Pick<InboxItem, 'sessionId' | 'orchestrationId'>): string {
  return sessionId ?? orchestrationId ?? '';
}

/** Returns the item after the current one, wrapping around at the end; undefined if there is no other item. */
export function nextNeed(items: readonly InboxItem[], current: string | undefined): InboxItem | undefined {
  const at = items.findIndex((item) => subjectOf(item) === current);
  const next = items[(at + 1) % items.length];
  return next === undefined || subjectOf(next) === current ? undefined : next;
}
