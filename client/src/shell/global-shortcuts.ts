import type { NavigateOptions } from '@tanstack/react-router';
import { hasChangedForm } from '../ui/changed-form.ts';
import { toast } from '../ui/toasts.ts';
import { openDialog } from './dialogs.ts';
import { FIRST_PAGE_KEYS } from './first-page-keys.ts';
import { PAGES } from './pages.ts';
import { addShortcuts, shortcutsOf } from './shortcuts.ts';

/**
 * Registers the shortcuts that work on every page. Called before the page is rendered, so that no key is lost while the
 * code of the page loads.
 */
export function addGlobalShortcuts(navigate: (to: NavigateOptions) => void): void {
  const { anywhere, goTo } = FIRST_PAGE_KEYS;
  const search = () => navigate({ to: '/search' });
  addShortcuts([
    ...shortcutsOf(anywhere, {
      'search-or-run-a-command': openPalette,
      'delegate-work': () => openDialog({ kind: 'delegate' }),
      'search-all-conversations': search,
      'show-keyboard-shortcuts': () => openDialog({ kind: 'keys' }),
    }),
    ...PAGES.map(({ to, id }) => ({ keys: goTo[id], id, run: () => navigate({ to }) })),
    ...shortcutsOf(goTo, { search }),
  ]);
}

/** Opens the palette, unless it would replace a dialog in which something was entered. */
function openPalette(): void {
  if (!hasChangedForm()) openDialog({ kind: 'palette' });
  else {
    const text = 'Submit the dialog, or close it with Esc.';
    toast({ id: 'palette', kind: 'plain', title: 'Searching would drop what you entered', text });
  }
}
