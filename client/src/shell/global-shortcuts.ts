import type { NavigateOptions } from '@tanstack/react-router';
import { hasChangedForm } from '../ui/changed-form.ts';
import { toast } from '../ui/toasts.ts';
import { openDialog } from './dialogs.ts';
import { PAGES } from './pages.ts';
import { addShortcuts } from './shortcuts.ts';

/**
 * Registers the shortcuts that work on every page. Called before the page is rendered, so that no key is lost while its
 * code loads.
 */
export function addGlobalShortcuts(navigate: (to: NavigateOptions) => void): void {
  addShortcuts(
    [
      {
        keys: '$mod+KeyK',
        id: 'search-or-run-a-command',
        whileTyping: true,
        run: openPalette,
      },
      { keys: 'c', id: 'delegate-work', run: () => openDialog({ kind: 'delegate' }) },
      { keys: '/', id: 'search-all-conversations', run: () => navigate({ to: '/search' }) },
      { keys: '[Shift]+?', id: 'show-keyboard-shortcuts', run: () => openDialog({ kind: 'keys' }) },
    ],
    { group: 'Anywhere' },
  );
  addShortcuts(
    [
      ...PAGES.map(({ to, id, keys }) => ({ keys, id, run: () => navigate({ to }) })),
      { keys: 'g /', id: 'search', run: () => navigate({ to: '/search' }) },
    ],
    { group: 'Go to' },
  );
}

/** Opens the palette, unless it would replace a dialog in which something was entered. */
function openPalette(): void {
  if (!hasChangedForm()) openDialog({ kind: 'palette' });
  else {
    const text = 'First submit the dialog, or close it with Esc.';
    toast({ id: 'palette', kind: 'plain', title: 'Searching would drop what you entered', text });
  }
}
