import { ConsoleError } from '@agent-console/shared/errors';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { QueryClient, type QueryFilters } from '@tanstack/react-query';
import { onConsoleEvents, useConnection } from './live.ts';

const RETRIES = 5;
/**
 * Time in milliseconds for which events are collected before the queries are fetched again, because events come in
 * bursts.
 */
const BATCH_MS = 80;

/**
 * Client of all queries. Responses stay fresh until an event invalidates them. React hooks get the client as an
 * argument instead of from a context provider, which would add the query library to the code of the first page.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // By default, queries pause while the browser is offline. They must not, because a console on this machine is
      // reachable without a network.
      networkMode: 'always',
      retry: (failures, error) => error instanceof ConsoleError && error.retryable && failures < RETRIES,
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Maps the kind of an event's subject to prefixes of operation names. The event invalidates the queries of these
 * operations.
 */
const BY_NOUN: Partial<Record<ConsoleEvent['subject']['kind'], readonly string[]>> = {
  repository: ['repositories.'],
  worktree: ['worktrees.', 'boards.worktrees', 'repositories.branches', 'repositories.prunable'],
  board: ['boards.'],
  zone: ['boards.'],
  job: ['jobs.', 'sessions.events'],
  integration: ['integrations.', 'worktrees.'],
  session: ['sessions.', 'worktrees.list'],
  worker: ['sessions.', 'workers.'],
  task: ['sessions.', 'tasks.'],
  delegation: ['delegations.'],
  notice: ['sessions.notices'],
  approval: ['approvals.'],
  orchestration: ['orchestrations.list', 'orchestrations.get', 'orchestrations.events'],
  agent: ['agents.'],
  token: ['tokens.'],
  settings: ['settings.'],
  user: ['users.'],
  mcpServer: ['mcpServers.'],
};

/**
 * Operations whose queries an event invalidates, by the type of the event. BY_NOUN is not used for these types: they
 * are frequent, and BY_NOUN would invalidate more queries than necessary.
 */
const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  'conversation.grown': ['sessions.events'],
  'overlap.found': ['repositories.overlaps', 'sessions.events'],
  'overlap.resolved': ['repositories.overlaps', 'sessions.events'],
  'session.options_changed': ['sessions.events', 'sessions.options'],
};

const changed: ConsoleEvent[] = [];
let scheduled = false;

/** Invalidates queries that the event may affect. Inactive queries are refetched when used again. */
function handleEvent(event: ConsoleEvent): void {
  changed.push(event);
  if (scheduled) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    const events = changed.splice(0);
    refetchChanged({
      predicate: ({ queryKey: [name, input] }) => events.some((each) => isAffected(each, String(name), input)),
    });
  }, BATCH_MS);
}

/** Hashes of the queries whose data changed while they were being fetched. */
const outdated = new Set<string>();

/**
 * Invalidates queries whose data has changed. A query that is being fetched is fetched once more afterwards, because
 * its response may be older than the change. The current fetch is not cancelled. Otherwise, no response would ever be
 * shown while changes come faster than responses.
 */
export function refetchChanged(filters: QueryFilters): void {
  for (const { queryHash } of queryClient.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    outdated.add(queryHash);
  }
  void queryClient.invalidateQueries(filters, { cancelRefetch: false });
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  const { queryHash, queryKey } = query;
  if (type === 'removed') outdated.delete(queryHash);
  else if (type === 'updated' && query.state.fetchStatus === 'idle' && outdated.delete(queryHash)) {
    // Waits until the query has handled its response, because it cannot be fetched again before.
    queueMicrotask(() => void queryClient.invalidateQueries({ queryKey, exact: true }));
  }
});

/** Invalidates all queries. Called when a connection begins with a snapshot, because events may have been missed. */
function invalidateAll(): void {
  void queryClient.invalidateQueries();
}

function isAffected({ type, subject, data }: ConsoleEvent, name: string, input: unknown): boolean {
  if (name === 'events.list') return true;
  const operations = BY_TYPE[type] ?? BY_NOUN[subject.kind] ?? [];
  if (!operations.some((prefix) => name.startsWith(prefix))) return false;
  const wanted = (input ?? {}) as { sessionId?: unknown; taskId?: unknown; orchestrationId?: unknown };
  if (subject.kind === 'orchestration') return isSame(wanted.orchestrationId, subject.id);
  if (subject.kind === 'task' && !isSame(wanted.taskId, subject.id)) return false;
  return isSame(wanted.sessionId, subject.kind === 'session' ? subject.id : data.sessionId);
}

/**
 * Whether the id in a query's input is the id in an event. True if one of the ids is missing, because the event may
 * affect the query.
 */
function isSame(wanted: unknown, id: unknown): boolean {
  return wanted === undefined || typeof id !== 'string' || wanted === id;
}

onConsoleEvents({ onSnapshot: invalidateAll, onEvent: handleEvent });

// Fetches failed queries again when the connection is back, because a connection that continues without a snapshot does
// not invalidate them.
useConnection.subscribe(({ state: { kind } }, { state: before }) => {
  if (kind !== 'open' || before.kind === 'open') return;
  void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
});
