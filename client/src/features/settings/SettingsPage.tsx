import { Link, useParams } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { SETTINGS_SECTIONS, type SettingsSection } from './sections.ts';

const CONTENT: Readonly<Record<SettingsSection, ComponentType>> = {
  general: lazy(async () => ({ default: (await import('./GeneralSettings.tsx')).GeneralSettings })),
  appearance: lazy(async () => ({ default: (await import('./Appearance.tsx')).Appearance })),
  keys: lazy(async () => ({ default: (await import('./KeySettings.tsx')).KeySettings })),
  agents: lazy(async () => ({ default: (await import('./AgentList.tsx')).AgentList })),
  'mcp-servers': lazy(async () => ({ default: (await import('./McpServerList.tsx')).McpServerList })),
  tokens: lazy(async () => ({ default: (await import('./TokenList.tsx')).TokenList })),
  users: lazy(async () => ({ default: (await import('./UserList.tsx')).UserList })),
  events: lazy(async () => ({ default: (await import('../events/ConsoleEvents.tsx')).ConsoleEvents })),
  audit: lazy(async () => ({ default: (await import('./AuditLog.tsx')).AuditLog })),
  about: lazy(async () => ({ default: (await import('./About.tsx')).About })),
};

const GROUPS = [...new Set(SETTINGS_SECTIONS.map(({ group }) => group))];

/**
 * One section of the settings, with a list of all sections beside it. On a phone, the list is a row above the section.
 */
export function SettingsPage() {
  const { section } = useParams({ from: '/settings/$section' });
  const chosen = SETTINGS_SECTIONS.find(({ id }) => id === section) ?? SETTINGS_SECTIONS[0];
  const Content = CONTENT[chosen.id];
  const nav = useRef<HTMLElement>(null);
  // On a phone, the row of sections is wider than the screen, so the chosen section may be out of view.
  useEffect(() => {
    const link = nav.current?.querySelector(`a[href="/settings/${chosen.id}"]`);
    link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [chosen.id]);
  return (
    <main className="flex h-full max-md:flex-col">
      <nav
        aria-label="Settings"
        className="flex shrink-0 gap-4 border-line bg-sunken px-2 max-md:overflow-x-auto max-md:border-b max-md:py-1 md:w-52 md:flex-col md:overflow-y-auto md:border-r md:py-4"
        ref={nav}
      >
        {GROUPS.map((group) => (
          <ul aria-label={group} className="flex gap-0.5 md:flex-col" key={group}>
            <li aria-hidden="true" className="px-2 pb-0.5 text-sm font-semibold max-md:hidden">
              {group}
            </li>
            {SETTINGS_SECTIONS.filter((each) => each.group === group).map(({ id, name }) => (
              <li key={id}>
                <Link
                  activeProps={{ className: 'bg-selected text-text' }}
                  className="flex h-7 items-center whitespace-nowrap rounded-md px-2 text-quiet hover:bg-hover hover:text-text max-md:h-10"
                  params={{ section: id }}
                  to="/settings/$section"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto" key={chosen.id}>
        <div className="mx-auto flex min-h-full max-w-200 flex-col gap-4 px-4 py-4 md:px-8 md:py-6">
          <header>
            <h1 className="text-lg font-semibold">{chosen.name}</h1>
            {chosen.lead === undefined ? null : <p className="text-quiet">{chosen.lead}</p>}
          </header>
          <Suspense fallback={<Skeleton />}>
            <Content />
          </Suspense>
        </div>
      </div>
    </main>
  );
}
