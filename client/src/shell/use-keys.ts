import { effectiveKeys, formatKeys, useKeyOverrides } from './key-overrides.ts';
import type { ShortcutId } from './shortcut-labels.ts';
import { rowOf } from './shortcut-table.ts';

/**
 * Returns a function that returns the keys of a shortcut in readable form, even if the shortcut does nothing on this
 * page.
 */
export function useKeysOf(): (id: ShortcutId) => string {
  const { overrides } = useKeyOverrides();
  return (id) => formatKeys(effectiveKeys(id, rowOf(id).defaultKeys, overrides));
}
