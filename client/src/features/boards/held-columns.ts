import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Column } from './columns.ts';

/** Sets whether the cards of the board keep their places. */
export const HoldCards = createContext<(held: boolean) => void>(() => undefined);

/** Returns the columns, unchanged while cards are held, and the function that holds them. */
export function useHeldColumns(columns: readonly Column[]) {
  const [held, setHeld] = useState(false);
  const shown = useRef(columns);
  if (!held) shown.current = columns;
  return [shown.current, setHeld] as const;
}

/** Holds the cards of the board while a menu is open: a menu would close if its card moved to another column. */
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
