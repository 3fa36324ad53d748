import { inboxOrder } from '@agent-console/shared/inbox';
import type { InboxItem } from '@agent-console/shared/models/inbox';

/** Id of the session or orchestration of an item. */
export function subjectOf({ sessionId, orchestrationId }: Pick<InboxItem, 'sessionId' | 'orchestrationId'>): string {
  return sessionId ?? orchestrationId ?? '';
}

/**
 * Returns the item after the current one, wrapping around at the end; undefined if there is no other item.
 * @param current id of the session or orchestration on the page
 * @param last the last known item of `current`. If that item has left the inbox, for example because it was read, the
 * search starts at its former position
 */
export function nextNeed(
  items: readonly InboxItem[],
  current: string | undefined,
  last?: InboxItem,
): InboxItem | undefined {
  const at = items.findIndex((item) => subjectOf(item) === current);
  const hasLeft = at < 0 && last !== undefined && subjectOf(last) === current;
  const following = hasLeft ? items.filter((item) => inboxOrder(last, item) <= 0) : items.slice(at + 1);
  return [...following, ...items].find((item) => subjectOf(item) !== current);
}
