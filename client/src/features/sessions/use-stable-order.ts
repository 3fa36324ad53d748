import { useState } from 'react';

/**
 * The order of a list that gains nothing while someone looks at it.
 * @param looking the pointer is over it: what is added waits, so that nothing moves below the pointer
 * @param exempt an id that is shown at once, since it was asked for
 * @returns what to show, how many wait, and how to take them in
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
