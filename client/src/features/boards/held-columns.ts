import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Column } from './columns.ts';

/** Function that sets whether the cards of the board keep their places. */
export const HoldCards = createContext<(held: boolean) => void>(() => undefined);

/**
 * Returns the columns, which do not change while the cards are held, and a function that sets whether they are held.
 */
export function useHeldColumns(columns: readonly Column[]) {
  const [held, setHeld] = useState(false);
  const shown = useRef(columns);
  if (!held) shown.current = columns;
  return [shown.current, setHeld] as const;
}

/**
 * Returns a function to call when a menu opens or closes. The cards of the board are held while the menu is open,
 * because it would close if its card moved to another column.
 */
export function useHoldWhileOpen(): (open: boolean) => void {
  const hold = useContext(HoldCards);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return undefined;
    hold(true);
    return () => hold(false);
  }, [open, hold]);
  return setOpen;
}
