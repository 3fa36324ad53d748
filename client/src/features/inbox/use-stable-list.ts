import { useEffect, useRef, useState } from 'react';
import type { Attention } from '../sessions/attention.ts';

export interface StableRow {
  need: Attention;
  /** Resolved; stays, faded, until the page is left. */
  over: boolean;
}

/**
 * Inbox items in a stable order: resolved ones stay in place, and new ones wait for `showNew` unless nothing else is
 * open.
 */
export function useStableList(attention: readonly Attention[]): {
  rows: readonly StableRow[];
  fresh: number;
  showNew(): void;
} {
  const last = useRef(new Map<string, Attention>());
  for (const each of attention) last.current.set(each.sessionId, each);
  const [order, setOrder] = useState<readonly string[]>(() => attention.map(({ sessionId }) => sessionId));
  const open = new Set(attention.map(({ sessionId }) => sessionId));
  const fresh = attention.filter(({ sessionId }) => !order.includes(sessionId)).length;
  const idle = !order.some((id) => open.has(id));
  const showNew = () => setOrder(attention.map(({ sessionId }) => sessionId));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only while nothing that is shown is open
  useEffect(() => {
    if (idle && fresh > 0) showNew();
  }, [idle, fresh]);
  const rows = order.flatMap((id) => {
    const need = last.current.get(id);
    return need === undefined ? [] : [{ need, over: !open.has(id) }];
  });
  return { rows, fresh: idle ? 0 : fresh, showNew };
}
