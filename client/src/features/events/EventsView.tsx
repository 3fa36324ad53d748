import { pluralize } from '@agent-console/shared/pluralize';
import { useMemo } from 'react';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { useAppendOnlyList } from './append-only-list.ts';
import { EventTimeline } from './EventTimeline.tsx';
import { eventsQuery } from './events-query.ts';

export function EventsView({ sessionId }: { sessionId: string }) {
  const query = useAppendOnlyList(useMemo(() => eventsQuery(sessionId), [sessionId]));
  const { data } = query;
  if (data === undefined) return <QueryFallback query={query} />;
  const { earlier, rows } = data;
  return (
    <EventTimeline
      aside={earlier > 0 ? `${pluralize(earlier, 'earlier event')} not shown` : null}
      events={rows}
      key={sessionId}
      showsSession={false}
    />
  );
}
