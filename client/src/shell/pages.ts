import { useNavigate } from '@tanstack/react-router';
import { openDialog } from './dialogs.ts';
import { InboxIcon, RepositoriesIcon, RunsIcon, SessionsIcon, SettingsIcon, TerminalsIcon } from './icons.tsx';
import { useShortcuts } from './shortcuts.ts';

/** Main pages. */
export const PAGES = [
  { to: '/inbox', name: 'Inbox', keys: 'g i', Icon: InboxIcon },
  { to: '/sessions', name: 'Sessions', keys: 'g s', Icon: SessionsIcon },
  { to: '/terminals', name: 'Grid', keys: 'g t', Icon: TerminalsIcon, isForDesktop: true },
  { to: '/runs', name: 'Runs', keys: 'g u', Icon: RunsIcon },
  { to: '/repositories', name: 'Repos', keys: 'g r', Icon: RepositoriesIcon },
  { to: '/settings', name: 'Settings', keys: 'g e', Icon: SettingsIcon },
] as const;

/** Names of pages that are longer than their link in the navigation. */
const LABELS: Readonly<Record<string, string>> = { Repos: 'repositories', Grid: 'the grid of terminals' };

/** Label of the shortcut that goes to a page. */
export const pageLabel = (name: string) => `Go to ${LABELS[name] ?? name.toLowerCase()}`;

/** Registers shortcuts that work on every page. */
export function useGlobalShortcuts(): void {
  const navigate = useNavigate();
  useShortcuts([
    ...PAGES.map(({ to, name, keys }) => ({
      keys,
      label: pageLabel(name),
      everywhere: true,
      run: () => void navigate({ to }),
    })),
    {
      keys: '$mod+KeyK',
      label: 'Search or run a command',
      everywhere: true,
      whileTyping: true,
      run: () => openDialog({ kind: 'palette' }),
    },
    { keys: 'c', label: 'Delegate work', everywhere: true, run: () => openDialog({ kind: 'delegate' }) },
    {
      keys: '[Shift]+?',
      label: 'Show keyboard shortcuts',
      everywhere: true,
      run: () => openDialog({ kind: 'keys' }),
    },
  ]);
}
