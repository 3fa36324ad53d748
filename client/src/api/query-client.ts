import { ConsoleError } from '@agent-console/shared/errors';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { QueryClient } from '@tanstack/react-query';
import { onConsoleEvents } from './live.ts';

/** Attempts of a question that the console could not take. */
const ATTEMPTS = 5;
/** Events come in bursts; one question answers a burst. */
const GATHER_MS = 80;

/**
 * Answers stay true until an event says otherwise, so nothing is asked again by age. UntrustedText to each hook by itself: lists
 * are shown before any question is asked, and need not load this.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // A console on this machine is reached without a network.
      networkMode: 'always',
      retry: (failures, error) => error instanceof ConsoleError && error.retryable && failures < ATTEMPTS,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Operations whose answers depend on a noun, by the noun of an event's subject. */
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

/** Has the answers asked again that an event may have changed; those that nobody looks at only when someone does. */
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

/** Everything may have changed while nobody listened. */
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
