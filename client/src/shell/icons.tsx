import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';

function PageIcon({ children }: { children: ReactNode }) {
  return (
    <Icon size={20} strokeLinecap="round" strokeLinejoin="round">
      {children}
    </Icon>
  );
}

export const InboxIcon = () => (
  <PageIcon>
    <path d="M3 11.5L5.2 4.6A1.5 1.5 0 0 1 6.6 3.5h6.8a1.5 1.5 0 0 1 1.4 1.1L17 11.5V15a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 15z" />
    <path d="M3 11.5h4a3 3 0 0 0 6 0h4" />
  </PageIcon>
);

export const SessionsIcon = () => (
  <PageIcon>
    <rect height="13" rx="2" width="15" x="2.5" y="3.5" />
    <path d="M6 8l2.5 2.25L6 12.5M10.5 12.5H14" />
  </PageIcon>
);

export const BoardsIcon = () => (
  <PageIcon>
    <rect height="13" rx="1.5" width="4" x="2.5" y="3.5" />
    <rect height="8.5" rx="1.5" width="4" x="8" y="3.5" />
    <rect height="11" rx="1.5" width="4" x="13.5" y="3.5" />
  </PageIcon>
);

export const RunsIcon = () => (
  <PageIcon>
    <rect height="5" rx="1.5" width="5" x="2" y="7.5" />
    <rect height="5" rx="1.5" width="5" x="13" y="2.5" />
    <rect height="5" rx="1.5" width="5" x="13" y="12.5" />
    <path d="M7 10h2.5c1 0 .5-5 1.5-5h2M9.5 10c1 0 .5 5 1.5 5h2" />
  </PageIcon>
);

export const RepositoriesIcon = () => (
  <PageIcon>
    <circle cx="6" cy="4.75" r="1.75" />
    <circle cx="6" cy="15.25" r="1.75" />
    <circle cx="14" cy="7" r="1.75" />
    <path d="M6 6.5v7M14 8.75c0 3-4.5 2.25-7.4 4.9" />
  </PageIcon>
);

export const SettingsIcon = () => (
  <PageIcon>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </PageIcon>
);

export const SearchIcon = () => (
  <PageIcon>
    <circle cx="9" cy="9" r="5.25" />
    <path d="M13 13l4 4" />
  </PageIcon>
);

export const TerminalsIcon = () => (
  <PageIcon>
    <rect height="6" rx="1.5" width="6.5" x="2.5" y="3.5" />
    <rect height="6" rx="1.5" width="6.5" x="11" y="3.5" />
    <rect height="6" rx="1.5" width="6.5" x="2.5" y="11.5" />
    <rect height="6" rx="1.5" width="6.5" x="11" y="11.5" />
  </PageIcon>
);
