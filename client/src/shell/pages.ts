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
    Icon: InboxIcon,
  },
  {
    to: '/sessions',
    id: 'sessions',
    name: 'Sessions',
    title: 'Sessions',
    Icon: SessionsIcon,
  },
  {
    to: '/terminals',
    id: 'grid-of-terminals',
    name: 'Grid',
    title: 'Grid of terminals',
    Icon: TerminalsIcon,
    isForDesktop: true,
  },
  {
    to: '/boards',
    id: 'boards',
    name: 'Boards',
    title: 'Boards',
    Icon: BoardsIcon,
  },
  { to: '/runs', id: 'runs', name: 'Runs', title: 'Runs', Icon: RunsIcon },
  {
    to: '/repositories',
    id: 'repositories',
    name: 'Repos',
    title: 'Repositories',
    Icon: RepositoriesIcon,
  },
  {
    to: '/settings',
    id: 'settings',
    name: 'Settings',
    title: 'Settings',
    Icon: SettingsIcon,
  },
] as const;
