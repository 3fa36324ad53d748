import { formatKeys, setKeyOverrides, useKeyOverrides } from './key-overrides.ts';
import { labelOf } from './shortcut-labels.ts';

/** Sets the keys of a shortcut; `undefined` restores its default keys. */
export function changeKeys(id: string, keys: string | undefined): void {
  const { [id]: _, ...others } = useKeyOverrides.getState().overrides;
  setKeyOverrides(keys === undefined ? others : { ...others, [id]: keys });
}

export function resetKeys(): void {
  setKeyOverrides({});
}

/** A shortcut in a list. Its id may come from another build of the dashboard. */
export interface Bound {
  id?: string | undefined;
  /** Label of a shortcut without an id. */
  label?: string | undefined;
  keys: string;
  whileTyping?: boolean | undefined;
}

/** Returns why a shortcut cannot get these keys; undefined if it can. `others` are the other active shortcuts. */
export function refusalOfKeys(keys: string, shortcut: Bound, others: readonly Bound[]): string | undefined {
  const hasModifier = /(?:\$mod|Control|Meta|Alt)\+/.test(keys);
  if (shortcut.whileTyping === true && !hasModifier)
    return 'This shortcut also works in text fields, so it needs Ctrl, ⌘ or Alt.';
  const other = others.find((each) => labelOf(each) !== labelOf(shortcut) && isConflict(each.keys, keys));
  return other && `“${formatKeys(other.keys)}” is already used: ${labelOf(other)}. Choose other keys.`;
}

/** Whether one of two sequences starts with the other, so that the longer one could never be completed. */
function isConflict(a: string, b: string): boolean {
  const [one, two] = [a, b].map((keys) => `${keys.replaceAll('[Shift]+', '')} `) as [string, string];
  return one.startsWith(two) || two.startsWith(one);
}

/** Returns the pressed key in the syntax of tinykeys; undefined for a modifier alone. */
export function pressOf(event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>) {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Dead'].includes(key)) return undefined;
  const mod = ctrlKey || metaKey ? ['$mod'] : [];
  const alt = altKey ? ['Alt'] : [];
  // With Ctrl, ⌘ or Alt, the physical key counts. Otherwise the typed character counts; if it is not a letter, Shift is
  // optional, because only some keyboards need it for that character.
  if (mod.length + alt.length > 0) return [...mod, ...alt, ...(shiftKey ? ['Shift'] : []), code].join('+');
  if (/^[a-z]$/i.test(key)) return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
  return [...key].length === 1 && shiftKey ? `[Shift]+${key}` : key;
}
