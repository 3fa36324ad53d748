import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { pluralize } from '@agent-console/shared/pluralize';
import { useMemo } from 'react';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { type AppendOnlySource, useAppendOnlyList } from './append-only-list.ts';
import { EventTimeline } from './EventTimeline.tsx';

/** Maximum number of events shown, newest first. */
const SHOWN_MAX = 2_000;

/** Returns a source that fetches the newest events of the console first, and later only the events added since. */
function consoleEvents(): AppendOnlySource<ConsoleEvent> {
  return {
    key: operationKey('events.list', {}),
    async first(signal) {
      const rows: ConsoleEvent[] = [];
      let total = 0;
      for (let before: number | undefined; rows.length < SHOWN_MAX; before = rows.at(-1)?.seq) {
        const page = await call(
          'events.list',
          { order: 'newest', limit: PAGE_MAX, ...(before === undefined ? {} : { before }) },
          { signal },
        );
        rows.push(...page.data);
        if (total === 0) total = page.total;
        if (page.data.length < PAGE_MAX) break;
      }
      return { earlier: total - rows.length, rows: rows.reverse() };
    },
    async more(known, signal) {
      const rows = [...known.rows];
      for (;;) {
        const page = await call('events.list', { after: rows.at(-1)?.seq ?? 0, limit: PAGE_MAX }, { signal });
        rows.push(...page.data);
        if (page.data.length < PAGE_MAX) break;
      }
      const over = Math.max(0, rows.length - SHOWN_MAX);
      return { earlier: known.earlier + over, rows: rows.slice(over) };
    },
  };
}

export function ConsoleEvents() {
  const query = useAppendOnlyList(useMemo(consoleEvents, []));
  const { data } = query;
  if (data === undefined) return <QueryFallback query={query} />;
  return (
    <div className="-mx-3 h-[calc(100dvh-8rem)] min-h-80 border-t border-line">
      <EventTimeline
        aside={data.earlier > 0 ? `${pluralize(data.earlier, 'earlier event')} not shown` : null}
        events={data.rows}
        showsSession
      />
    </div>
  );
}
