import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import type { AppendOnlyList, AppendOnlySource } from '../events/append-only-list.ts';

/** Number of newest messages that each refetch fetches again, because their text may still grow. */
const REREAD = 20;

/** Returns the query source for the newest messages of a session. */
export function messagesQuery(sessionId: string): AppendOnlySource<Message> {
  return {
    key: operationKey('sessions.messages', { sessionId }),
    async first(signal) {
      const { total } = await call('sessions.messages', { sessionId, limit: 1 }, { signal });
      return collect(sessionId, { earlier: Math.max(0, total - PAGE_MAX), rows: [] }, signal);
    },
    more: ({ earlier, rows }, signal) => collect(sessionId, { earlier, rows: rows.slice(0, -REREAD) }, signal),
  };
}

/** Loads the page before the first loaded message and prepends it. */
export async function loadEarlierMessages(sessionId: string): Promise<void> {
  const { key } = messagesQuery(sessionId);
  const known = queryClient.getQueryData<AppendOnlyList<Message>>(key);
  if (known === undefined || known.earlier === 0) return;
  const skip = Math.max(0, known.earlier - PAGE_MAX);
  const page = await call('sessions.messages', { sessionId, skip, limit: known.earlier - skip });
  queryClient.setQueryData<AppendOnlyList<Message>>(key, (now) => {
    if (now?.earlier !== known.earlier) return now;
    return { earlier: skip, rows: [...page.data, ...now.rows] };
  });
}

async function collect(
  sessionId: string,
  { earlier, rows }: AppendOnlyList<Message>,
  signal: AbortSignal,
): Promise<AppendOnlyList<Message>> {
  const all = [...rows];
  for (;;) {
    const page = await call(
      'sessions.messages',
      { sessionId, skip: earlier + all.length, limit: PAGE_MAX },
      { signal },
    );
    all.push(...page.data);
    if (page.data.length < PAGE_MAX) return { earlier, rows: all };
  }
}
