/**
 * Undoes a change that the console refused: gives the entries `ids` their values in `before`, except entries that were
 * changed again since.
 * @param set the value to which the refused change set the entries; undefined if it removed them
 */
export function undone<T>(
  now: Readonly<Record<string, T>>,
  before: Readonly<Record<string, T>>,
  ids: readonly string[],
  set: T | undefined,
): Readonly<Record<string, T>> {
  const mine = ids.filter((id) => now[id] === set);
  const others = Object.entries(now).filter(([id]) => !mine.includes(id));
  const earlier = Object.entries(before).filter(([id]) => mine.includes(id));
  return Object.fromEntries([...others, ...earlier]);
}
