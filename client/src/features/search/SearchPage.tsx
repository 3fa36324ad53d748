import type { ConsoleError } from '@agent-console/shared/errors';
import { SEARCH_EXCERPTS_MAX } from '@agent-console/shared/limits/search';
import type { SessionMatch } from '@agent-console/shared/operations/sessions';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { pluralize } from '@agent-console/shared/pluralize';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { operationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useUrlText } from '../../ui/use-url-text.ts';
import { BadgeGlyph, badgeTone, useSessionBadge } from '../sessions/BadgeGlyph.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { Highlighted } from './Highlighted.tsx';
import { searchQueryOf } from './search-query.ts';

const LIMIT = 50;

type Results = OutputOf<'sessions.search'>;

/** Searches all conversations while the person types. */
export function SearchPage() {
  const { q = '' } = useSearch({ from: '/search' });
  const navigate = useNavigate({ from: '/search' });
  const { typed, setTyped, writeNow } = useUrlText(
    q,
    (text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true }),
  );
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** The text for which a person pressed Enter, until its results have arrived and the first one is opened. */
  const [awaited, setAwaited] = useState<string>();
  const query = searchQueryOf(q);
  const { data, error, isPlaceholderData } = useQuery<Results, ConsoleError>(
    {
      ...operationQuery('sessions.search', { query: query ?? '', excerpts: SEARCH_EXCERPTS_MAX, limit: LIMIT }),
      enabled: query !== undefined,
      placeholderData: keepPreviousData,
    },
    queryClient,
  );
  const isCurrent = typed === q && data !== undefined && !isPlaceholderData;
  useEffect(() => {
    if (awaited === undefined || (awaited === typed && !isCurrent)) return;
    setAwaited(undefined);
    if (awaited === typed) list.current?.querySelector<HTMLElement>('[data-result]')?.click();
  }, [awaited, typed, isCurrent]);
  const openFirst = () => {
    if (typed !== q) writeNow(typed);
    setAwaited(typed);
  };
  const step = (by: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])];
    const to = links.indexOf(document.activeElement as HTMLElement) + by;
    if (to < 0) field.current?.focus();
    else links[Math.min(links.length - 1, to)]?.focus();
  };
  useShortcuts(
    shortcutsOf(KEYS.search, {
      'edit-the-search': () => field.current?.select(),
      'next-result': () => step(1),
      'previous-result': () => step(-1),
    }),
  );
  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter' && event.target === field.current) openFirst();
    else if (event.key === 'Escape' && event.target === field.current) setTyped('');
    else return;
    event.preventDefault();
  };
  const results = query === undefined ? undefined : data;
  return (
    <main className="flex h-full flex-col" onKeyDown={press}>
      <h1 className="sr-only">Search all conversations</h1>
      <div className="shrink-0 border-b border-line px-4 py-3 md:px-8">
        <div className="mx-auto flex max-w-240 items-center gap-3">
          <input
            aria-label="Search all conversations"
            // biome-ignore lint/a11y/noAutofocus: the page is for typing into this field
            autoFocus
            className="h-10 min-w-0 flex-1 rounded-lg border border-line-strong bg-bg px-3 text-lg placeholder:text-quiet max-md:text-[16px]"
            onChange={({ target }) => setTyped(target.value)}
            placeholder="Search all conversations"
            ref={field}
            type="search"
            value={typed}
          />
          <p className="w-36 shrink-0 text-right text-sm text-quiet max-md:hidden" role="status">
            {results === undefined
              ? ''
              : `${pluralize(results.total, 'session')}${results.truncated ? ' or more' : ''}`}
          </p>
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3 md:px-8" ref={list}>
        <div className={`mx-auto flex min-h-full max-w-240 flex-col gap-4 ${isPlaceholderData ? 'opacity-70' : ''}`}>
          <Problem error={query === undefined ? null : error} />
          {results?.data.map((match) => (
            <Match key={match.session.id} match={match} />
          ))}
          {results?.truncated ? (
            <p className="text-sm text-quiet">Older messages were not searched. Add a word to narrow the search.</p>
          ) : null}
          {query === undefined ? (
            <Hint isTooShort={q !== ''} />
          ) : results?.total === 0 ? (
            <EmptyState>
              <p className="text-text">Nothing found</p>
              <p>Every word must occur in the same message.</p>
            </EmptyState>
          ) : null}
        </div>
      </div>
    </main>
  );
}

function Hint({ isTooShort }: { isTooShort: boolean }) {
  return (
    <EmptyState>
      {isTooShort ? (
        <p>Type at least three characters.</p>
      ) : (
        <>
          <p className="text-text">Search the messages of all sessions, including archived ones</p>
          <p>All words must occur in one message. Put a phrase in quotation marks.</p>
        </>
      )}
      <p className="max-md:hidden">
        <Kbd>↓</Kbd> selects a result, <Kbd>Enter</Kbd> opens the selected message.
      </p>
    </EmptyState>
  );
}

/** The matching messages of one session. */
function Match({ match }: { match: SessionMatch }) {
  const { session, messageId, seq, snippet, marks, more, matches } = match;
  const badge = useSessionBadge(session);
  const repository = useSessions(({ repositories }) => repositories[session.repositoryId ?? '']);
  const name = sessionName(session);
  const where = [repository, session.gitState?.ref, session.agentId].filter(Boolean).join(' · ');
  const excerpts = [{ messageId, seq, snippet, marks }, ...more];
  const rest = matches - excerpts.length;
  return (
    <section aria-label={isolateText(name)} className="overflow-hidden rounded-lg border border-line">
      <header className="flex items-baseline gap-2 bg-sunken px-3 py-1.5">
        <BadgeGlyph badge={badge} />
        <h2 className="min-w-0 font-semibold">
          <UntrustedLine text={name} />
        </h2>
        <span className={`shrink-0 text-sm ${badgeTone(badge)}`}>
          {session.archivedAt === null ? badge.word : 'archived'}
        </span>
        <UntrustedLine className="flex-1 text-sm text-quiet" text={where} />
        <span className="shrink-0 text-sm tabular-nums text-quiet">{pluralize(matches, 'match', 'matches')}</span>
      </header>
      <ul className="divide-y divide-line">
        {excerpts.map((excerpt) => (
          <li key={excerpt.messageId ?? 'title'}>
            <Link
              className="block px-3 py-1.5 hover:bg-hover focus-visible:bg-hover max-md:py-2.5"
              data-result
              params={{ sessionId: session.id }}
              search={excerpt.seq === null ? {} : { view: 'conversation', at: excerpt.seq }}
              to="/sessions/$sessionId"
            >
              <Highlighted marks={excerpt.marks} text={excerpt.snippet} />
            </Link>
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="border-t border-line px-3 py-1 text-sm text-quiet">{`and ${rest} more`}</p> : null}
    </section>
  );
}
