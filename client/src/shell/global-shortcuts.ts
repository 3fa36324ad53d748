import type { NavigateOptions } from '@tanstack/react-router';
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
        label: 'Search or run a command',
        whileTyping: true,
        run: () => openDialog({ kind: 'palette' }),
      },
      { keys: 'c', label: 'Delegate work', run: () => openDialog({ kind: 'delegate' }) },
      { keys: '/', label: 'Search all conversations', run: () => navigate({ to: '/search' }) },
      { keys: '[Shift]+?', label: 'Show keyboard shortcuts', run: () => openDialog({ kind: 'keys' }) },
    ],
    { group: 'Anywhere' },
  );
  addShortcuts(
    [
      ...PAGES.map(({ to, title, keys }) => ({ keys, label: title, run: () => navigate({ to }) })),
      { keys: 'g /', label: 'Search', run: () => navigate({ to: '/search' }) },
    ],
    { group: 'Go to' },
  );
}
