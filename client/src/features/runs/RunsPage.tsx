import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Orchestration } from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';
import { SEARCHABLE } from '@agent-console/shared/searchable';
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useRef, useState } from 'react';
import { operationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { firstLine } from '../../ui/first-line.ts';
import { useFocusFallback } from '../../ui/keep-focus.ts';
import { Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RetryButton } from '../../ui/QueryFallback.tsx';
import { InlineSelect } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { useUrlText } from '../../ui/use-url-text.ts';
import { useRepositories } from '../repositories/RepositoryField.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useSession } from '../sessions/sessions-store.ts';
import { RunBar } from './RunBar.tsx';
import { archive, unarchive } from './run-actions.ts';
import { RUN_STATES, type RunsSearch } from './run-views.ts';
import { StateLabel } from './StateIcon.tsx';
import { stateWord } from './states.ts';

const ALL = 'all';

/** Runs, newest first, with filters that are part of the URL. */
export function RunsPage() {
  const { withKeys } = useKeyHints();
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { q = '', state, repositoryId, archived = false } = search;
  const filters = JSON.stringify([q, state, repositoryId, archived]);
  const [shown, setShown] = useState({ filters, pages: 1 });
  // After a change of the filters, for example by the browser's back button, only the first page is shown again.
  const pages = shown.filters === filters ? shown.pages : 1;
  const queries = useQueries(
    {
      queries: Array.from({ length: pages }, (_, page) =>
        operationQuery('orchestrations.list', {
          archived,
          limit: PAGE_MAX,
          skip: page * PAGE_MAX,
          ...(SEARCHABLE.test(q) ? { query: q } : {}),
          ...(state === undefined ? {} : { state }),
          ...(repositoryId === undefined ? {} : { repositoryId }),
        }),
      ),
    },
    queryClient,
  );
  const list = useRef<HTMLUListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const step = (by: number) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link.matches(':focus'));
    links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  const add = () => openDialog({ kind: 'newRun', ...(repositoryId === undefined ? {} : { repositoryId }) });
  useShortcuts(
    shortcutsOf(KEYS.runs, {
      'next-run': () => step(1),
      'previous-run': () => step(-1),
      'new-run': add,
      'filter-runs': () => field.current?.select(),
    }),
  );
  const filter = (change: RunsSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  const isFiltered = q !== '' || state !== undefined || repositoryId !== undefined || archived;
  // Removes duplicates: if a run is created between the fetches of two pages, the last run of the first page is also on
  // the second page.
  const loaded = new Map(queries.flatMap(({ data }) => data?.data ?? []).map((run) => [run.id, run]));
  const isPending = queries.some((query) => query.isPending);
  // While the results for changed filters are loading, the previous results stay, so that the list does not flicker
  // while a person types.
  const last = useRef<{ runs: ReadonlyMap<string, Orchestration>; total: number | undefined }>(undefined);
  if (loaded.size > 0 || !isPending) last.current = { runs: loaded, total: queries[0]?.data?.total };
  const { runs, total } = last.current ?? { runs: loaded, total: undefined };
  const failed = queries.find(({ error }) => error !== null);
  return (
    <Page
      actions={
        <Button kind="primary" onClick={add} title={withKeys('New run', 'new-run')}>
          New run
        </Button>
      }
      lead="Several agents that work on one objective, in parallel or in a given order."
      title="Runs"
    >
      <Filters field={field} onChange={filter} search={search} />
      {failed === undefined ? null : (
        <Problem error={failed.error}>
          <RetryButton query={failed} />
        </Problem>
      )}
      {isPending && total === undefined ? <Skeleton /> : null}
      <ul
        className="divide-y divide-line rounded-lg border border-line outline-none empty:hidden"
        data-focus-home
        ref={list}
        tabIndex={-1}
      >
        {[...runs.values()].map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </ul>
      {total === 0 ? (
        <div className="min-h-60 flex-1">
          <EmptyState>
            <p className="text-text">{isFiltered ? 'No runs match' : 'No runs yet'}</p>
            {isFiltered ? (
              <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>
            ) : (
              <>
                <p>
                  A run starts several agents. An agent that depends on others receives the results of those agents.
                </p>
                <Button kind="primary" onClick={add}>
                  New run
                </Button>
              </>
            )}
          </EmptyState>
        </div>
      ) : null}
      {total !== undefined && total > runs.size ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button busy={isPending} onClick={() => setShown({ filters, pages: pages + 1 })}>
            Show older runs
          </Button>
          <span className="text-quiet">{`${pluralize(total - runs.size, 'older run')} not shown`}</span>
        </div>
      ) : null}
    </Page>
  );
}

function Filters(props: {
  search: RunsSearch;
  onChange(change: RunsSearch): void;
  field: RefObject<HTMLInputElement | null>;
}) {
  const { search, onChange, field } = props;
  const { keysOf } = useKeyHints();
  const phone = useMedia(PHONE);
  const { typed, setTyped, writeNow } = useUrlText(search.q ?? '', (text) => onChange({ q: text || undefined }));
  const { data } = useRepositories();
  const repositories = data?.data ?? [];
  return (
    <div className="-mx-1.5 flex flex-wrap items-center gap-1">
      <input
        aria-label="Filter by objective, definition, strategy or repository"
        autoComplete="off"
        className="mx-1.5 h-7 w-64 min-w-0 rounded-md border border-line bg-bg px-2 placeholder:text-quiet max-md:h-10 max-md:basis-full max-md:text-[16px]"
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          const text = event.key === 'Escape' ? '' : typed;
          setTyped(text);
          writeNow(text);
          event.currentTarget.blur();
        }}
        placeholder={phone ? 'Filter' : `Filter  ${keysOf('filter-runs') ?? ''}`}
        ref={field}
        spellCheck={false}
        type="search"
        value={typed}
      />
      <InlineSelect
        label="State"
        onChange={(value) => onChange({ state: RUN_STATES.find((state) => state === value) })}
        options={[
          { value: ALL, label: 'All states' },
          ...RUN_STATES.map((state) => ({ value: state, label: stateWord(state) })),
        ]}
        value={search.state ?? ALL}
      />
      {repositories.length > 1 || search.repositoryId !== undefined ? (
        <InlineSelect
          label="Repository"
          onChange={(value) => onChange({ repositoryId: value === ALL ? undefined : value })}
          options={[
            { value: ALL, label: 'All repositories' },
            ...repositories.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={search.repositoryId ?? ALL}
        />
      ) : null}
      <button
        aria-pressed={search.archived === true}
        className="h-6 rounded-md px-1.5 text-sm text-quiet hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text max-md:h-10"
        onClick={() => onChange({ archived: search.archived === true ? undefined : true })}
        type="button"
      >
        Archived
      </button>
    </div>
  );
}

function Row({ run }: { run: Orchestration }) {
  const { id, objective, state, strategy, agentCount, completedAgents, repositoryId, createdAt, archivedAt } = run;
  const { definition } = run;
  const { data: repositories } = useRepositories();
  const repository = repositories?.data.find((each) => each.id === repositoryId)?.name ?? '';
  const box = useRef<HTMLLIElement>(null);
  useFocusFallback(box);
  return (
    <li className="group relative [contain-intrinsic-size:auto_57px] [content-visibility:auto]" ref={box}>
      <Link
        className="grid grid-cols-[7.5rem_minmax(0,1fr)_11rem_2.5rem] items-center gap-x-4 px-3 py-2 hover:bg-hover max-md:grid-cols-[minmax(0,1fr)_auto_auto] max-md:gap-y-1"
        params={{ runId: id }}
        to="/runs/$runId"
      >
        <StateLabel className="text-sm max-md:order-2" state={state} />
        <span className="min-w-0 max-md:order-1 max-md:col-span-3">
          <UntrustedLine
            className="font-medium max-md:line-clamp-2 max-md:whitespace-normal"
            text={firstLine(objective)}
          />
          <span className="flex min-w-0 gap-1 text-sm text-quiet">
            {definition === null ? null : (
              <>
                <UntrustedLine text={definition.name} />
                <span aria-hidden>·</span>
              </>
            )}
            <span className="shrink-0">{strategy}</span>
            {repository === '' ? null : <span aria-hidden>·</span>}
            <UntrustedLine text={repository} />
            <span aria-hidden>·</span>
            <Creator sessionId={run.createdBySessionId} />
          </span>
        </span>
        <span className="flex items-center gap-2 max-md:order-3">
          <RunBar className="w-24 max-md:w-16" run={run} />
          <span className="text-sm tabular-nums text-quiet">
            {completedAgents} / {agentCount}
          </span>
        </span>
        <Age className="text-right text-sm tabular-nums text-quiet max-md:order-4" since={createdAt} />
      </Link>
      {isFinal(state) ? (
        <button
          className="absolute right-2 top-1/2 h-7 -translate-y-1/2 rounded-md border border-line bg-raised px-2 text-sm opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 max-md:hidden"
          onClick={() => (archivedAt === null ? archive(id) : unarchive(id))}
          type="button"
        >
          {archivedAt === null ? 'Archive' : 'Unarchive'}
          <span className="sr-only"> {firstLine(objective)}</span>
        </button>
      ) : null}
    </li>
  );
}

function Creator({ sessionId }: { sessionId: string | null }) {
  const session = useSession(sessionId ?? undefined);
  if (sessionId === null) return <span className="shrink-0">created by a person</span>;
  return <UntrustedLine text={`created by ${session === undefined ? 'an agent' : sessionName(session)}`} />;
}
