/**
 * Divides terminals into the tabs that fit and the rest. The current terminal is always a tab, if necessary in place of
 * the last one that fits.
 * @param current index of the current terminal, or -1
 * @param room number of tabs that fit; at least one is shown
 */
export function tabsThatFit<T>(
  terminals: readonly T[],
  current: number,
  room: number,
): { tabs: readonly T[]; rest: readonly T[] } {
  const count = Math.max(1, room);
  if (terminals.length <= count) return { tabs: terminals, rest: [] };
  const shown = new Set(terminals.slice(0, count));
  const wanted = terminals[current];
  const last = terminals[count - 1];
  if (wanted !== undefined && last !== undefined && !shown.has(wanted)) {
    shown.delete(last);
    shown.add(wanted);
  }
  return { tabs: terminals.filter((each) => shown.has(each)), rest: terminals.filter((each) => !shown.has(each)) };
}
