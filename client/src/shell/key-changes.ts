import { effectiveKeys, formatKeys, type KeyOverrides, setKeyOverrides, useKeyOverrides } from './key-overrides.ts';
import { SHORTCUT_LABELS, type ShortcutId } from './shortcut-labels.ts';
import { areTogether, KEYS, REGIONS, rowOf, SHORTCUTS, type TableRow, worksWhileTyping } from './shortcut-table.ts';

/** Sets the keys of a shortcut; `undefined` restores its default keys. */
export function changeKeys(id: ShortcutId, keys: string | undefined): void {
  const { [id]: _, ...others } = useKeyOverrides.getState().overrides;
  setKeyOverrides(keys === undefined ? others : { ...others, [id]: keys });
}

export function resetKeys(): void {
  setKeyOverrides({});
}

/** Returns why a person cannot assign these keys to the shortcut; undefined if they can. */
export function refusalOfKeys(keys: string, id: ShortcutId, overrides: KeyOverrides): string | undefined {
  const hasModifier = /(?:\$mod|Control|Meta|Alt)\+/.test(keys);
  if (worksWhileTyping(id) && !hasModifier)
    return 'This shortcut also works in text fields, so it needs Ctrl, ⌘ or Alt.';
  const row = rowOf(id);
  const other = SHORTCUTS.find((each) => isInTheWay(keys, row, each, overrides));
  if (other === undefined) return undefined;
  const used = formatKeys(effectiveKeys(other.id, other.defaultKeys, overrides));
  const where = other.region === row.region ? '' : ` (${REGIONS[other.region].name})`;
  return `“${used}” is already used: ${SHORTCUT_LABELS[other.id]}${where}. Choose other keys.`;
}

/**
 * Whether `other` can be active together with the shortcut of `row`, and has keys that conflict with `keys`. Different
 * regions may share default keys, because the shortcut of the inner region takes precedence.
 */
function isInTheWay(keys: string, row: TableRow, other: TableRow, overrides: KeyOverrides): boolean {
  if (other.id === row.id || !areTogether(row.region, other.region)) return false;
  const otherKeys = effectiveKeys(other.id, other.defaultKeys, overrides);
  if (!isConflict(otherKeys, keys)) return false;
  const isShared = Object.values<string>(KEYS[row.region]).includes(keys);
  return other.region === row.region || otherKeys !== other.defaultKeys || !isShared;
}

/** Whether one of two key sequences starts with the other, so that the longer one could never be completed. */
function isConflict(a: string, b: string): boolean {
  const [one, two] = [a, b].map((keys) => `${keys.replaceAll('[Shift]+', '')} `) as [string, string];
  return one.startsWith(two) || two.startsWith(one);
}

/** Returns the pressed key in the syntax of tinykeys; undefined for a modifier or a dead key alone. */
export function pressOf(event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>) {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Dead'].includes(key)) return undefined;
  const mod = ctrlKey || metaKey ? ['$mod'] : [];
  const alt = altKey ? ['Alt'] : [];
  // With Ctrl, ⌘ or Alt, a shortcut consists of physical keys, otherwise of the typed character. For a character that
  // is not a letter, Shift is optional, because only some keyboards need it.
  if (mod.length + alt.length > 0) return [...mod, ...alt, ...(shiftKey ? ['Shift'] : []), code].join('+');
  if (/^[a-z]$/i.test(key)) return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
  return [...key].length === 1 && shiftKey ? `[Shift]+${key}` : key;
}
