import { FORMS } from 'virtual:operation-forms';
import type { OperationName } from '@agent-console/shared/operations/table';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { BadgeGlyph } from '../../features/sessions/BadgeGlyph.tsx';
import { sessionName } from '../../features/sessions/badge.ts';
import { useSession } from '../../features/sessions/sessions-store.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { closeDialog, openDialog, useDialog } from '../dialogs.ts';
import { PAGES } from '../pages.ts';
import { rank } from './rank.ts';
import { type Entry, useActionEntries, useSessionEntries } from './session-entries.ts';

interface Group {
  name: string;
  entries: readonly Entry[];
  /** Maximum entries of the group shown without a query; 0 if its entries are only shown when they match a query. */
  initialMax: number;
  matchesMax: number;
}

const CREATE: readonly Entry[] = [
  {
    id: 'delegate',
    title: 'Delegate work…',
    keys: 'c',
    keywords: 'new worktree agent prompt',
    run: () => openDialog({ kind: 'delegate' }),
  },
  {
    id: 'start',
    title: 'Start session…',
    keywords: 'new worktree directory',
    run: () => openDialog({ kind: 'startSession' }),
  },
  {
    id: 'run',
    title: 'New run…',
    keywords: 'orchestration several agents parallel pipeline',
    run: () => openDialog({ kind: 'newRun' }),
  },
  {
    id: 'repository',
    title: 'Add repository…',
    keywords: 'register clone',
    run: () => openDialog({ kind: 'addRepository' }),
  },
];

/** Command palette: sessions, pages and operations. */
export default function Palette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const groups = useGroups();
  const shown = groups
    .map((group) => matching(group, query))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => (query.trim() === '' ? 0 : b.best - a.best));
  const choose = (entry: Entry) => {
    const before = useDialog.getState().request;
    entry.run();
    if (useDialog.getState().request === before) closeDialog();
  };
  return (
    <Base.Root onOpenChange={(open) => open || onClose()} open>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_24_28/28%),rgb(0_0_0/55%))]" />
        <Base.Viewport className="fixed inset-0 z-50 flex items-start justify-center md:pt-[12vh]">
          <Base.Popup className="flex w-full flex-col border-line bg-bg shadow-raised outline-none max-md:h-dvh md:w-150 md:rounded-xl md:border">
            <Base.Title className="sr-only">Search or run a command</Base.Title>
            <Command className="flex min-h-0 flex-col" label="Search or run a command" loop shouldFilter={false}>
              <div className="flex items-center gap-2 border-b border-line px-3">
                <Command.Input
                  autoFocus
                  className="h-11 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-quiet max-md:text-[16px]"
                  onValueChange={setQuery}
                  placeholder="Search sessions and commands…"
                  value={query}
                />
                <Base.Close className="rounded-md px-1 text-quiet hover:bg-hover">
                  <Kbd>Esc</Kbd>
                  <span className="sr-only">Close</span>
                </Base.Close>
              </div>
              <Command.List className="min-h-0 overflow-y-auto p-1.5 md:max-h-[56vh]" label="Results">
                <Command.Empty className="px-2 py-6 text-center text-quiet">No results.</Command.Empty>
                {shown.map((group) => (
                  <Command.Group
                    className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pb-0.5 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:text-sm **:[[cmdk-group-heading]]:text-quiet"
                    heading={group.name}
                    key={group.name}
                  >
                    {group.entries.map((entry) => (
                      <Row entry={entry} group={group.name} key={entry.id} onChoose={choose} />
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
              {query === '' ? (
                <p className="border-t border-line px-3 py-1.5 text-sm text-quiet">
                  Type to search {Object.keys(FORMS).length} operations.
                </p>
              ) : null}
            </Command>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function Row({ entry, group, onChoose }: { entry: Entry; group: string; onChoose(entry: Entry): void }) {
  const { id, title, note, badge, keys } = entry;
  return (
    <Command.Item
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 data-[selected=true]:bg-selected max-md:py-2.5"
      onSelect={() => onChoose(entry)}
      value={`${group} ${id}`}
    >
      {badge === undefined ? null : <BadgeGlyph badge={badge} />}
      <UntrustedLine className="flex-1" text={title} />
      {note === undefined ? null : <UntrustedLine className="max-w-[45%] shrink-0 text-sm text-quiet" text={note} />}
      {keys === undefined ? null : (
        <span className="max-md:hidden">
          <Kbd>{keys}</Kbd>
        </span>
      )}
    </Command.Item>
  );
}

function useGroups(): readonly Group[] {
  const { sessionId } = useParams({ strict: false });
  const navigate = useNavigate();
  const session = useSession(sessionId);
  const sessions = useSessionEntries();
  const actions = useActionEntries(sessionId);
  const operations = Object.entries(FORMS).filter(([, { access }]) => access !== 'public');
  return [
    {
      name: session === undefined ? '' : escapeHidden(sessionName(session)),
      entries: actions,
      initialMax: 12,
      matchesMax: 6,
    },
    { name: 'Sessions', entries: sessions, initialMax: session === undefined ? 7 : 4, matchesMax: 12 },
    { name: 'Create', entries: CREATE, initialMax: 4, matchesMax: 4 },
    {
      name: 'Go to',
      entries: PAGES.map(({ to, name, keys }) => ({
        id: to,
        title: name === 'Repos' ? 'Repositories' : name,
        keys,
        run: () => void navigate({ to }),
      })),
      initialMax: 5,
      matchesMax: 5,
    },
    {
      name: 'Operations',
      entries: operations.map(([name, { summary, command }]) => ({
        id: name,
        title: summary,
        note: name,
        keywords: `${name} ${command ?? ''}`,
        run: () =>
          openDialog({
            kind: 'operation',
            name: name as OperationName,
            ...(sessionId === undefined ? {} : { input: { sessionId } }),
          }),
      })),
      initialMax: 0,
      matchesMax: 12,
    },
  ];
}

/** Returns the entries of a group that match a query, and the best score. */
function matching(group: Group, query: string): { name: string; entries: readonly Entry[]; best: number } {
  const { name, entries, initialMax, matchesMax } = group;
  if (query.trim() === '') return { name, entries: entries.slice(0, initialMax), best: 0 };
  const ranked = entries
    .map((entry) => ({ entry, score: rank(query, entry.title, `${entry.keywords ?? ''} ${entry.note ?? ''}`) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, matchesMax);
  return { name, entries: ranked.map(({ entry }) => entry), best: ranked[0]?.score ?? 0 };
}
