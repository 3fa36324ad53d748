import {
  BoardsIcon,
  InboxIcon,
  RepositoriesIcon,
  RunsIcon,
  SessionsIcon,
  SettingsIcon,
  TerminalsIcon,
} from './icons.tsx';

/** Main pages. `name` is short enough for the rail. */
export const PAGES = [
  { to: '/inbox', name: 'Inbox', title: 'Inbox', keys: 'g i', Icon: InboxIcon, keywords: 'questions needs you' },
  { to: '/sessions', name: 'Sessions', title: 'Sessions', keys: 'g s', Icon: SessionsIcon, keywords: 'tree list' },
  {
    to: '/terminals',
    name: 'Grid',
    title: 'Grid of terminals',
    keys: 'g t',
    Icon: TerminalsIcon,
    keywords: 'live screens watch',
    isForDesktop: true,
  },
  { to: '/boards', name: 'Boards', title: 'Boards', keys: 'g b', Icon: BoardsIcon, keywords: 'kanban columns state' },
  { to: '/runs', name: 'Runs', title: 'Runs', keys: 'g u', Icon: RunsIcon, keywords: 'orchestrations' },
  {
    to: '/repositories',
    name: 'Repos',
    title: 'Repositories',
    keys: 'g r',
    Icon: RepositoriesIcon,
    keywords: 'worktrees branches git',
  },
  {
    to: '/settings',
    name: 'Settings',
    title: 'Settings',
    keys: 'g e',
    Icon: SettingsIcon,
    keywords: 'preferences options configuration agents tokens',
  },
] as const;
