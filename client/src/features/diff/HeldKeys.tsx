import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';

/** Reserves the keys of the review while the review loads, so that e.g. `c` does not start a delegation. */
export function HeldKeys() {
  const wait = () => {};
  useShortcuts(
    shortcutsOf(KEYS.diff, { 'comment-on-the-selected-lines': wait, 'next-hunk': wait, 'previous-hunk': wait }),
  );
  return null;
}
