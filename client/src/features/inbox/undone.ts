/**
 * Undoes a change that the console refused. Each entry of `ids` gets its previous value, unless it was changed again
 * since the refused change. All other entries stay as they are.
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
