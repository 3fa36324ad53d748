import type { InboxItem } from '@agent-console/shared/models/inbox';
import { useEffect, useRef, useState } from 'react';
import { keyOf, newKeys, type Shown, showAll } from './inbox-rows.ts';

/**
 * Returns the items that the inbox page shows. Their order stays the same while a person reads the page. New items are
 * added when `showNew` is called, or when none of the shown items is in the inbox any more.
 * @param isComplete whether `items` has all items. Until then, new items are added at once.
 */
export function useShownItems(
  items: readonly InboxItem[],
  isComplete: boolean,
): { shown: Shown; newCount: number; showNew(): void } {
  const [shown, setShown] = useState(() => showAll(items));
  const added = newKeys(shown, items).length;
  const open = new Set(items.map(keyOf));
  const isDone = !shown.order.some((key) => open.has(key));
  const showNew = () => setShown(showAll(items));
  const wasComplete = useRef(isComplete);
  useEffect(() => {
    if (!wasComplete.current) setShown(showAll(items));
    wasComplete.current = isComplete;
  }, [items, isComplete]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when every shown item is resolved
  useEffect(() => {
    if (isDone && added > 0) showNew();
  }, [isDone, added]);
  return { shown, newCount: isDone || !isComplete ? 0 : added, showNew };
}
