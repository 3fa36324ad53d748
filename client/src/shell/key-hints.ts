import { formatKeys } from './key-overrides.ts';
import { type ListedShortcut, useShortcutList } from './shortcuts.ts';

/** Keys of active shortcuts, for hints beside controls. Shortcuts are named by their labels. */
export interface KeyHints {
  /** Returns the active keys of a shortcut in readable form, e.g. `⇧C`; undefined if they do nothing on this page. */
  keysOf(label: string): string | undefined;
  /** Appends the keys to a tooltip: `Details (])`. */
  withKeys(title: string, label: string): string;
}

/** Returns key hints that update when the user changes keys. */
export function useKeyHints(): KeyHints {
  const shortcuts = useShortcutList((state) => state.shortcuts);
  const keysOf = (label: string) => keysInForce(shortcuts, label);
  return {
    keysOf,
    withKeys(title, label) {
      const keys = keysOf(label);
      return keys === undefined ? title : `${title} (${keys})`;
    },
  };
}

/** Returns the keys of a shortcut; undefined if it is not active, or if a shortcut registered later has the same keys. */
export function keysInForce(
  shortcuts: readonly Pick<ListedShortcut, 'keys' | 'label'>[],
  label: string,
): string | undefined {
  const found = shortcuts.findLast((each) => each.label === label);
  if (found === undefined || shortcuts.findLast(({ keys }) => keys === found.keys) !== found) return undefined;
  return formatKeys(found.keys).replaceAll('⇧ + ', '⇧');
}
