import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { useMemo, useRef, useState } from 'react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { useAppendOnlyList } from './append-only-list.ts';
import { EVENT_GROUPS, type EventGroup, eventGroup } from './describe-event.ts';
import { EventRow } from './EventRow.tsx';
import { eventsQuery } from './events-query.ts';
import { Feed, toggled } from './Feed.tsx';

const ROW_PX = 28;

/** Events of a session, oldest first. New events are appended. */
export function EventsView({ sessionId }: { sessionId: string }) {
  const query = useAppendOnlyList(useMemo(() => eventsQuery(sessionId), [sessionId]));
  const { data } = query;
  if (data === undefined) return <QueryFallback query={query} />;
  return <EventList earlier={data.earlier} events={data.rows} key={sessionId} />;
}

function EventList({ events, earlier }: { events: readonly ConsoleEvent[]; earlier: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState<ReadonlySet<EventGroup>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const counts = useMemo(() => {
    const found = new Map<EventGroup, number>();
    for (const event of events) found.set(eventGroup(event), (found.get(eventGroup(event)) ?? 0) + 1);
    return found;
  }, [events]);
  const shown = useMemo(() => events.filter((event) => !hidden.has(eventGroup(event))), [events, hidden]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 items-center gap-3 overflow-x-auto border-b border-line px-3">
        <fieldset aria-label="Event types" className="flex shrink-0 gap-1">
          {EVENT_GROUPS.filter((group) => counts.has(group)).map((group) => (
            <button
              aria-pressed={!hidden.has(group)}
              className="h-7 shrink-0 rounded-md px-2 text-quiet hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text"
              key={group}
              onClick={() => setHidden(toggled(hidden, group))}
              type="button"
            >
              {group} <span className="text-sm tabular-nums">{counts.get(group)}</span>
            </button>
          ))}
        </fieldset>
        {earlier > 0 && (
          <span className="ml-auto shrink-0 pl-3 text-sm text-quiet">
            {earlier.toLocaleString('en')} earlier events not shown
          </span>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState>{events.length === 0 ? 'No events yet' : 'All event types are hidden'}</EmptyState>
      ) : (
        <div className="min-h-0 flex-1">
          <Feed
            count={shown.length}
            itemPx={ROW_PX}
            keyOf={(index) => shown[index]?.seq ?? index}
            label="Events"
            overscan={20}
            received={shown.length}
            scroller={scroller}
          >
            {(index) => {
              const event = shown[index];
              if (event === undefined) return null;
              const toggle = () => setOpen((before) => toggled(before, event.seq));
              return <EventRow event={event} onToggle={toggle} open={open.has(event.seq)} />;
            }}
          </Feed>
        </div>
      )}
    </div>
  );
}
