import { formatKeys } from './key-overrides.ts';
import type { ShortcutId } from './shortcut-labels.ts';
import { type ListedShortcut, useShortcutList } from './shortcuts.ts';

/** Keys of active shortcuts, for hints beside controls. */
export interface KeyHints {
  /** Returns the active keys of a shortcut in readable form, e.g. `⇧C`; undefined if they do nothing on this page. */
  keysOf(id: ShortcutId): string | undefined;
  /** Appends the keys of a shortcut to a tooltip, e.g. `Details (])`. */
  withKeys(title: string, id: ShortcutId): string;
}

/** Returns key hints that update when the user changes keys. */
export function useKeyHints(): KeyHints {
  const shortcuts = useShortcutList((state) => state.shortcuts);
  const keysOf = (id: ShortcutId) => keysInForce(shortcuts, id);
  return {
    keysOf,
    withKeys(title, id) {
      const keys = keysOf(id);
      return keys === undefined ? title : `${title} (${keys})`;
    },
  };
}

/**
 * Returns the keys of a shortcut; undefined if the shortcut is not active, or if a later shortcut in the list has the
 * same keys.
 */
export function keysInForce(
  shortcuts: readonly Pick<ListedShortcut, 'keys' | 'id'>[],
  id: ShortcutId,
): string | undefined {
  const found = shortcuts.findLast((each) => each.id === id);
  if (found === undefined || shortcuts.findLast(({ keys }) => keys === found.keys) !== found) return undefined;
  return formatKeys(found.keys).replaceAll('⇧ + ', '⇧');
}
