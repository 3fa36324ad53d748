import {
  BoardsIcon,
  InboxIcon,
  RepositoriesIcon,
  RunsIcon,
  SessionsIcon,
  SettingsIcon,
  TerminalsIcon,
} from './icons.tsx';

/** Main pages, with the id of the shortcut that opens each. `name` is short enough for the rail. */
export const PAGES = [
  {
    to: '/inbox',
    id: 'inbox',
    name: 'Inbox',
    title: 'Inbox',
    keys: 'g i',
    Icon: InboxIcon,
  },
  {
    to: '/sessions',
    id: 'sessions',
    name: 'Sessions',
    title: 'Sessions',
    keys: 'g s',
    Icon: SessionsIcon,
  },
  {
    to: '/terminals',
    id: 'grid-of-terminals',
    name: 'Grid',
    title: 'Grid of terminals',
    keys: 'g t',
    Icon: TerminalsIcon,
    isForDesktop: true,
  },
  {
    to: '/boards',
    id: 'boards',
    name: 'Boards',
    title: 'Boards',
    keys: 'g b',
    Icon: BoardsIcon,
  },
  { to: '/runs', id: 'runs', name: 'Runs', title: 'Runs', keys: 'g u', Icon: RunsIcon },
  {
    to: '/repositories',
    id: 'repositories',
    name: 'Repos',
    title: 'Repositories',
    keys: 'g r',
    Icon: RepositoriesIcon,
  },
  {
    to: '/settings',
    id: 'settings',
    name: 'Settings',
    title: 'Settings',
    keys: 'g e',
    Icon: SettingsIcon,
  },
] as const;
