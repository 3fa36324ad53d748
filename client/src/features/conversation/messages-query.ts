import type { ConsoleError } from '@agent-console/shared/errors';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { onConsoleEvents } from '../../api/live.ts';
import { operationKey } from '../../api/operations.ts';
import { queryClient, refetchChanged } from '../../api/query-client.ts';
import { type LoadedMessages, withChanges, withEarlier } from './loaded-messages.ts';

/**
 * Minimum time in milliseconds between two fetches of changed messages. A growing message is updated up to 25 times a
 * second, which is smooth enough.
 */
const GAP_MS = 40;

const keyOf = (sessionId: string) => operationKey('sessions.messages', { sessionId });
const loadedOf = (sessionId: string) => queryClient.getQueryData<LoadedMessages>(keyOf(sessionId));

/** Queries the newest messages of a session, and follows their changes. */
export function useMessages(sessionId: string) {
  return useQuery<LoadedMessages, ConsoleError>(
    {
      queryKey: keyOf(sessionId),
      queryFn: async ({ signal }) => {
        const known = loadedOf(sessionId);
        if (known === undefined) return newestMessages(sessionId, signal);
        const changed = await changesSince(sessionId, known.revision, signal);
        // Uses the latest loaded messages, because `follow` may have stored later changes during this request.
        return withChanges(loadedOf(sessionId) ?? known, changed);
      },
      structuralSharing: false,
    },
    queryClient,
  );
}

/** Loads the messages before the first loaded message, at most PAGE_MAX. */
export async function loadEarlierMessages(sessionId: string): Promise<void> {
  const known = loadedOf(sessionId);
  if (known === undefined || known.earlier === 0) return;
  const skip = Math.max(0, known.earlier - PAGE_MAX);
  const { data } = await call('sessions.messages', { sessionId, skip, limit: known.earlier - skip });
  queryClient.setQueryData<LoadedMessages>(keyOf(sessionId), (now) => now && withEarlier(now, skip, data));
}

/**
 * Loads all messages before the first loaded message, in several requests. The page shows all of them at once after the
 * last request, because each addition moves the rows below.
 * @param onPage called with the messages of each request
 */
export async function loadAllEarlierMessages(
  sessionId: string,
  onPage: (messages: readonly Message[]) => void,
): Promise<void> {
  const known = loadedOf(sessionId);
  if (known === undefined) return;
  const pages: Message[][] = [];
  for (let skip = 0; skip < known.earlier; skip += PAGE_MAX) {
    const { data } = await call('sessions.messages', {
      sessionId,
      skip,
      limit: Math.min(PAGE_MAX, known.earlier - skip),
    });
    pages.push(data);
    onPage(data);
  }
  queryClient.setQueryData<LoadedMessages>(keyOf(sessionId), (now) => now && withEarlier(now, 0, pages.flat()));
}

async function newestMessages(sessionId: string, signal: AbortSignal): Promise<LoadedMessages> {
  const { total } = await call('sessions.messages', { sessionId, limit: 1 }, { signal });
  const earlier = Math.max(0, total - PAGE_MAX);
  const { data } = await call('sessions.messages', { sessionId, skip: earlier, limit: PAGE_MAX }, { signal });
  return withChanges({ earlier, rows: [], revision: 0 }, data);
}

async function changesSince(sessionId: string, revision: number, signal?: AbortSignal): Promise<Message[]> {
  const changed: Message[] = [];
  for (;;) {
    const changedSince = changed.at(-1)?.revision ?? revision;
    const input = { sessionId, changedSince, limit: PAGE_MAX };
    const { data } = await call('sessions.messages', input, signal === undefined ? {} : { signal });
    changed.push(...data);
    if (data.length < PAGE_MAX) return changed;
  }
}

/**
 * Sessions whose changes are being fetched. `again` is true if newer changes were announced, so that another fetch must
 * follow.
 */
const following = new Map<string, { again: boolean }>();

/** Fetches new and changed messages of a shown conversation. Only one fetch per session runs at a time. */
async function follow(sessionId: string): Promise<void> {
  const running = following.get(sessionId);
  if (running !== undefined) {
    running.again = true;
    return;
  }
  const state = { again: true };
  following.set(sessionId, state);
  try {
    while (state.again) {
      state.again = false;
      const known = loadedOf(sessionId);
      if (known === undefined) break;
      const changed = await changesSince(sessionId, known.revision);
      queryClient.setQueryData<LoadedMessages>(keyOf(sessionId), (now) => now && withChanges(now, changed));
      await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    }
  } catch {
    // The error is not shown, because the query now fetches the changes again and shows an error if that fails too.
    void queryClient.invalidateQueries({ queryKey: keyOf(sessionId) });
  } finally {
    following.delete(sessionId);
  }
}

function refetch(sessionId: string): void {
  const queryKey = keyOf(sessionId);
  const query = queryClient.getQueryCache().find({ queryKey });
  if (query?.isActive() === true && query.state.data !== undefined) void follow(sessionId);
  else refetchChanged({ queryKey });
}

onConsoleEvents({
  onEvent({ type, subject }) {
    if (type === 'conversation.grown') refetch(subject.id);
  },
  onGrown: refetch,
});
