import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { useUndoableWorktrees } from '../../features/integrations/use-undoable.ts';
import { useRepositories } from '../../features/repositories/RepositoryField.tsx';
import { useAnySession } from '../../features/sessions/any-session.ts';
import { BadgeGlyph } from '../../features/sessions/BadgeGlyph.tsx';
import { sessionName } from '../../features/sessions/badge.ts';
import { useOpenSession } from '../../features/sessions/page/session-views.ts';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useCurrentSessionId } from '../current-session.ts';
import { closeDialog, useDialog } from '../dialogs.ts';
import { useKeysOf } from '../use-keys.ts';
import {
  type Entry,
  operationEntries,
  useCommandEntries,
  useOpenSessionEntries,
  useOtherVerbs,
  useSessionEntries,
} from './entries.ts';
import { matching } from './rank.ts';
import { recentEntries, rememberEntry } from './recent.ts';
import type { SessionVerb } from './session-verbs.ts';
import { useRunVerb } from './use-run-verb.ts';
import { useVerbContext } from './verb-context.ts';

interface Group {
  name: string;
  entries: readonly Entry[];
  /** Maximum number of entries shown while the query is empty; 0 if entries are shown only when they match a query. */
  initialMax: number;
  matchesMax: number;
  /**
   * Groups with a higher level come after groups with a lower level, however relevant their entries are. Default: 0.
   */
  level?: number;
}

/** Command palette: actions on the open session, commands, pages, sessions and operations. */
export default function Palette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const [verb, setVerb] = useState<SessionVerb>();
  const [recent] = useState(recentEntries);
  const ask = (next: SessionVerb | undefined) => {
    setVerb(next);
    setQuery('');
  };
  const groups = useGroups(verb, ask);
  const shown = groups
    .map((group) => shownOf(group, query, recent))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => a.level - b.level || (query.trim() === '' ? 0 : b.best - a.best));
  const choose = (entry: Entry) => {
    const before = useDialog.getState().request;
    rememberEntry(entry.id);
    if (entry.run(query) === 'stay') return;
    if (useDialog.getState().request === before) closeDialog();
  };
  return (
    <Base.Root
      onOpenChange={(open) => {
        if (open) return;
        if (verb === undefined) onClose();
        else ask(undefined);
      }}
      open
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_24_28/28%),rgb(0_0_0/55%))]" />
        <Base.Viewport className="fixed inset-0 z-50 flex items-start justify-center md:pt-[12vh]">
          <Base.Popup className="flex w-full flex-col border-line bg-bg shadow-raised outline-none max-md:h-dvh md:w-150 md:rounded-xl md:border">
            <Base.Title className="sr-only">Search or run a command</Base.Title>
            <Command className="flex min-h-0 flex-col" label="Search or run a command" loop shouldFilter={false}>
              <div className="flex items-center gap-2 border-b border-line px-3">
                {verb === undefined ? null : (
                  <span className="shrink-0 rounded bg-selected px-1.5 text-sm">
                    {verb.title(null).replace('…', '')}
                  </span>
                )}
                <Command.Input
                  autoFocus
                  className="h-11 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-quiet max-md:text-[16px]"
                  onKeyDown={({ key }) => {
                    if (key === 'Backspace' && query === '' && verb !== undefined) ask(undefined);
                  }}
                  onValueChange={setQuery}
                  placeholder={verb?.question ?? 'Search sessions and commands…'}
                  value={query}
                />
                <Base.Close className="rounded-md px-1 text-quiet hover:bg-hover max-md:h-10 max-md:px-2.5">
                  <Kbd>Esc</Kbd>
                  <span className="sr-only">Close</span>
                </Base.Close>
              </div>
              <Command.List className="min-h-0 overflow-y-auto p-1.5 md:max-h-[56vh]" label="Results">
                <Command.Empty className="px-2 py-6 text-center text-quiet">
                  {verb === undefined || query !== '' ? 'No results.' : 'No session allows this action.'}
                </Command.Empty>
                {shown.map((group) => (
                  <Command.Group
                    className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pb-0.5 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:text-sm **:[[cmdk-group-heading]]:text-quiet"
                    heading={group.name}
                    key={group.name}
                  >
                    {group.entries.map((entry) => (
                      <Row entry={entry} group={group.name} key={entry.id} onChoose={choose} query={query.trim()} />
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
            </Command>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function Row(props: { entry: Entry; group: string; query: string; onChoose(entry: Entry): void }) {
  const { entry, group, query, onChoose } = props;
  const { id, note, badge, keys } = entry;
  const title = query === '' ? entry.title : (entry.titleFor?.(query) ?? entry.title);
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

function useGroups(verb: SessionVerb | undefined, ask: (verb: SessionVerb) => void): readonly Group[] {
  const sessionId = useCurrentSessionId();
  const session = useAnySession(sessionId);
  const openSession = useOpenSession();
  const navigate = useNavigate();
  const runVerb = useRunVerb();
  const choose = ({ id }: Session) => openSession(id);
  const archived = useOperationQuery(
    'sessions.list',
    { archived: true, limit: PAGE_MAX },
    { enabled: verb?.id === 'unarchive' },
  );
  const sessions = useSessionEntries(
    verb === undefined ? choose : (chosen) => runVerb(verb, chosen),
    verb?.id === 'unarchive' ? (archived.data?.data ?? []) : [],
  );
  const { data: repositories } = useRepositories();
  const repositoryIds = verb?.id === 'undo-merge' ? (repositories?.data ?? []).map(({ id }) => id) : [];
  const undoable = useUndoableWorktrees(repositoryIds);
  const contextOf = useVerbContext(({ worktreeId }) => undoable.has(worktreeId ?? ''));
  const actions = useOpenSessionEntries(sessionId);
  const others = useOtherVerbs(sessionId, ask);
  const { create, goTo, settings } = useCommandEntries();
  const searchKeys = useKeysOf()('search-all-conversations');
  if (verb !== undefined) {
    const entries = sessions.filter(({ session: each }) => verb.applies(each, contextOf(each)));
    return [{ name: 'Sessions', entries, initialMax: 50, matchesMax: 50 }];
  }
  return [
    {
      name: session === undefined ? '' : escapeHidden(sessionName(session)),
      entries: actions,
      initialMax: 12,
      matchesMax: 6,
    },
    { name: 'Commands', entries: [...create, ...others], initialMax: create.length, matchesMax: 6 },
    { name: 'Go to', entries: [...goTo, ...settings], initialMax: goTo.length, matchesMax: 6 },
    { name: 'Sessions', entries: sessions, initialMax: session === undefined ? 7 : 4, matchesMax: 12 },
    {
      name: 'Conversations',
      entries: [
        {
          id: 'search',
          title: 'Search all conversations',
          keys: searchKeys,
          aliases: ['search', 'find', 'grep'],
          keywords: ['transcripts', 'messages', 'text'],
          isAlwaysShown: true,
          titleFor: (text) => `Search all conversations for “${isolateText(text)}”`,
          run: (query) => void navigate({ to: '/search', search: query.trim() === '' ? {} : { q: query.trim() } }),
        },
      ],
      initialMax: 1,
      matchesMax: 1,
      level: 1,
    },
    { name: 'All operations', entries: operationEntries(sessionId), initialMax: 0, matchesMax: 12, level: 2 },
  ];
}

/** Returns the entries of a group that are shown for a query, and the score of the best match. */
function shownOf(group: Group, query: string, recent: readonly string[]) {
  const { name, entries, initialMax, matchesMax, level = 0 } = group;
  if (query.trim() === '') return { name, entries: entries.slice(0, initialMax), best: 0, level };
  const ranked = matching(entries, query, recent).slice(0, matchesMax);
  const always = entries.filter(({ isAlwaysShown }) => isAlwaysShown === true);
  const matches = ranked.length === 0 ? always : ranked.map(({ entry }) => entry);
  return { name, entries: matches, best: ranked[0]?.score ?? 0, level };
}
