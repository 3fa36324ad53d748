import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import type { AppendOnlyList, AppendOnlySource } from './append-only-list.ts';

/** Maximum events loaded per session. A busy agent causes about this many in a few hours. */
const KEPT_MAX = 10_000;

/** Returns a source that fetches the newest events of a session first, and later only the events added since. */
export function eventsQuery(sessionId: string): AppendOnlySource<ConsoleEvent> {
  return {
    key: operationKey('sessions.events', { sessionId }),
    async first(signal) {
      const { total } = await call('sessions.events', { sessionId, limit: 1 }, { signal });
      return collect(sessionId, { earlier: Math.max(0, total - KEPT_MAX), rows: [] }, signal);
    },
    more: (known, signal) => collect(sessionId, known, signal),
  };
}

async function collect(
  sessionId: string,
  { earlier, rows }: AppendOnlyList<ConsoleEvent>,
  signal: AbortSignal,
): Promise<AppendOnlyList<ConsoleEvent>> {
  const all = [...rows];
  for (;;) {
    const after = all.at(-1)?.seq;
    const position = after === undefined ? { skip: earlier } : { after };
    const page = await call('sessions.events', { sessionId, limit: PAGE_MAX, ...position }, { signal });
    all.push(...page.data);
    if (page.data.length < PAGE_MAX) break;
  }
  const over = Math.max(0, all.length - KEPT_MAX);
  return { earlier: earlier + over, rows: all.slice(over) };
}
