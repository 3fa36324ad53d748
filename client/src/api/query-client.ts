import { ConsoleError } from '@agent-console/shared/errors';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { QueryClient } from '@tanstack/react-query';
import { onConsoleEvents } from './live.ts';

/** Retries of a retryable failure. */
const ATTEMPTS = 5;
/** Events come in bursts; one refetch covers a burst. */
const GATHER_MS = 80;

/**
 * Responses stay fresh until an event invalidates them. Passed to each hook explicitly, without a provider: the session
 * list renders before any query and need not load this module.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // A console on this machine is reachable without a network.
      networkMode: 'always',
      retry: (failures, error) => error instanceof ConsoleError && error.retryable && failures < ATTEMPTS,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Operation prefixes to invalidate, by the noun of an event's subject. */
const BY_NOUN: Partial<Record<ConsoleEvent['subject']['kind'], readonly string[]>> = {
  repository: ['repositories.'],
  worktree: ['worktrees.', 'repositories.branches'],
  board: ['boards.'],
  zone: ['boards.'],
  job: ['jobs.'],
  session: ['sessions.', 'worktrees.list'],
  worker: ['sessions.', 'workers.'],
  task: ['sessions.', 'tasks.'],
  delegation: ['delegations.'],
  notice: ['sessions.notices'],
  approval: ['approvals.'],
  agent: ['agents.'],
  token: ['tokens.'],
  settings: ['settings.'],
};

const changed: ConsoleEvent[] = [];
let gathering = false;

/** Invalidates queries that the event may affect; inactive ones are refetched when next used. */
function noteEvent(event: ConsoleEvent): void {
  changed.push(event);
  if (gathering) return;
  gathering = true;
  setTimeout(() => {
    gathering = false;
    const events = changed.splice(0);
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [name, input] }) => events.some((each) => concerns(each, String(name), input)),
    });
  }, GATHER_MS);
}

/** Events may have been missed while disconnected. */
function noteGap(): void {
  void queryClient.invalidateQueries();
}

function concerns({ subject, data }: ConsoleEvent, name: string, input: unknown): boolean {
  const operations = BY_NOUN[subject.kind] ?? [];
  if (!operations.some((prefix) => name.startsWith(prefix))) return false;
  const asked = (input as { sessionId?: unknown } | undefined)?.sessionId;
  const about = subject.kind === 'session' ? subject.id : data.sessionId;
  return asked === undefined || typeof about !== 'string' || asked === about;
}

onConsoleEvents({ onSnapshot: noteGap, onEvent: noteEvent });
