import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Column } from './columns.ts';

/** Context with the function that freezes the columns of the board, or lets them update again. */
export const HoldCards = createContext<(held: boolean) => void>(() => undefined);

/**
 * Returns the columns to show, and a function that freezes them or lets them update again. While frozen, the columns do
 * not change.
 */
export function useHeldColumns(columns: readonly Column[]) {
  const [held, setHeld] = useState(false);
  const shown = useRef(columns);
  if (!held) shown.current = columns;
  return [shown.current, setHeld] as const;
}

/**
 * Returns a function to call when a menu of a card opens or closes. An open menu freezes the columns of the board,
 * because the menu would close if its card moved to another column.
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
