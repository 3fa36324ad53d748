import { useState } from 'react';

/**
 * Delays additions to a list while the pointer is over it, so that nothing moves below the pointer.
 * @param looking whether the pointer is over the list
 * @param exempt an id that is always shown, because it was opened
 * @returns ids to show, number of delayed ones, and a function that shows them
 */
export function useStableOrder(order: readonly string[], looking: boolean, exempt: string | undefined) {
  const [steady, setSteady] = useState(order);
  const isStill = looking && steady.length > 0;
  if (!isStill && steady !== order) setSteady(order);
  if (!isStill || steady === order) return { shown: order, waiting: 0, showNew: () => {} };
  const known = new Set(steady);
  const shown = order.filter((id) => known.has(id) || id === exempt);
  return { shown, waiting: order.length - shown.length, showNew: () => setSteady(order) };
}
