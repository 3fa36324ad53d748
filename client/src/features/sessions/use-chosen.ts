import { useRef, useState } from 'react';
import type { Row } from './tree-rows.ts';

const NONE: ReadonlySet<string> = new Set();

/** Manages the sessions that are selected for a bulk action. */
export function useChosen(rows: readonly Row[]) {
  const [stored, setStored] = useState(NONE);
  const last = useRef<string | undefined>(undefined);
  const shown = new Set(rows.flatMap(({ type, id }) => (type === 'session' ? [id] : [])));
  // Only sessions that are shown count as selected, so that actions affect no session that a person does not see.
  const ids = stored.size === 0 ? stored : new Set([...stored].filter((id) => shown.has(id)));
  /**
   * Selects or deselects a session. With `range`, selects all sessions between this one and the last one that was
   * selected or deselected.
   */
  const toggle = (id: string, range: boolean) => {
    const next = new Set(ids);
    const from = rows.findIndex((row) => row.id === last.current);
    const to = rows.findIndex((row) => row.id === id);
    last.current = id;
    if (range && from >= 0 && ids.size > 0) {
      for (const row of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        if (row.type === 'session') next.add(row.id);
      }
    } else if (next.has(id)) next.delete(id);
    else next.add(id);
    setStored(next);
  };
  const clear = () => {
    last.current = undefined;
    setStored(NONE);
  };
  const keep = (kept: readonly string[]) => setStored(new Set(kept));
  return { ids, toggle, clear, keep };
}
