import { useState } from 'react';

/**
 * Delays additions to a list while the pointer is over it, so that rows do not move under the pointer.
 * @param hovered whether the pointer is over the list
 * @param exempt id that is shown immediately, because the user opened it
 * @returns ids to show, the number of delayed ids, and a function that shows them
 */
export function useStableOrder(order: readonly string[], hovered: boolean, exempt: string | undefined) {
  const [frozen, setFrozen] = useState(order);
  const isFrozen = hovered && frozen.length > 0;
  if (!isFrozen && frozen !== order) setFrozen(order);
  if (!isFrozen || frozen === order) return { shown: order, waiting: 0, showNew: () => {} };
  const known = new Set(frozen);
  const shown = order.filter((id) => known.has(id) || id === exempt);
  return { shown, waiting: order.length - shown.length, showNew: () => setFrozen(order) };
}
