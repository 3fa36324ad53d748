import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';

/** Keeps the keys of the review from others until it is loaded, e.g. `c` from opening a delegation. */
export function HeldKeys() {
  const wait = () => {};
  useShortcuts(
    shortcutsOf(KEYS.diff, { 'comment-on-the-selected-lines': wait, 'next-hunk': wait, 'previous-hunk': wait }),
  );
  return null;
}
