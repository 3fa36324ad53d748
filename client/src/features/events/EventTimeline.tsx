import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { pluralize } from '@agent-console/shared/pluralize';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { formatDay } from '../../ui/format-clock.ts';
import { EVENT_GROUPS, type EventGroup, eventGroup } from './describe-event.ts';
import { EventRow } from './EventRow.tsx';
import { toggled } from './Feed.tsx';
import { shownEvents } from './shown-events.ts';
import { TurnRow } from './TurnRow.tsx';
import { type EventGroupRow, groupTurns } from './turns.ts';

const ROW_PX = 28;
/** If the list is scrolled down by at most this many pixels, new events are shown at once. */
const NEAR_TOP_PX = 40;

type Row =
  | { kind: 'day'; day: string }
  | { kind: 'turn'; group: EventGroupRow }
  | { kind: 'event'; event: ConsoleEvent; inTurn: boolean };

/**
 * Events with clock times, newest first. The events of a turn are one line, which expands. While the reader is not at
 * the top, new events are only counted, so that nothing moves.
 * @param props.events the events, oldest first
 */
export function EventTimeline(props: {
  events: readonly ConsoleEvent[];
  /** Whether each row shows the session of its event. */
  showsSession: boolean;
  aside?: ReactNode;
  footer?: ReactNode;
}) {
  const { events, showsSession, aside, footer } = props;
  const scroller = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState<ReadonlySet<EventGroup>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [openTurns, setOpenTurns] = useState<ReadonlySet<number>>(new Set());
  /**
   * Sequence number of the newest event that is shown while the reader is not at the top of the list; undefined at the
   * top, where all events are shown.
   */
  const [lastShownSeq, setLastShownSeq] = useState<number>();
  const counts = useMemo(() => {
    const found = new Map<EventGroup, number>();
    for (const event of events) found.set(eventGroup(event), (found.get(eventGroup(event)) ?? 0) + 1);
    return found;
  }, [events]);
  const { shown, newCount } = useMemo(() => shownEvents(events, hidden, lastShownSeq), [events, hidden, lastShownSeq]);
  const rows = useMemo(() => rowsOf(groupTurns(shown), openTurns), [shown, openTurns]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(rows[index]),
    overscan: 20,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  return (
    <div className="relative flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 items-center gap-3 overflow-x-auto border-b border-line px-3">
        <fieldset aria-label="Event types" className="flex shrink-0 gap-1">
          {EVENT_GROUPS.filter((group) => counts.has(group)).map((group) => (
            <button
              aria-pressed={!hidden.has(group)}
              className="h-7 shrink-0 rounded-md px-2 text-quiet hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text max-md:h-10"
              key={group}
              onClick={() => setHidden(toggled(hidden, group))}
              type="button"
            >
              {group} <span className="text-sm tabular-nums">{counts.get(group)}</span>
            </button>
          ))}
        </fieldset>
        <span className="ml-auto shrink-0 pl-3 text-sm text-quiet">{aside}</span>
      </div>
      {shown.length === 0 ? (
        <EmptyState>{events.length === 0 ? 'No events yet' : 'All event types are hidden'}</EmptyState>
      ) : (
        <section
          aria-label="Events"
          className="min-h-0 flex-1 overflow-y-auto"
          onScroll={({ currentTarget }) => {
            const isNear = currentTarget.scrollTop <= NEAR_TOP_PX;
            if (isNear !== (lastShownSeq === undefined))
              setLastShownSeq(isNear ? undefined : (events.at(-1)?.seq ?? 0));
          }}
          ref={scroller}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
          tabIndex={0}
        >
          <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
            <ol className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
              {items.map(({ index, key }) => (
                <li data-index={index} key={key} ref={virtualizer.measureElement}>
                  {renderRow(rows[index])}
                </li>
              ))}
            </ol>
          </div>
          {footer}
        </section>
      )}
      {newCount > 0 ? (
        <button
          className="absolute top-12 left-1/2 z-10 h-7 max-md:h-10 -translate-x-1/2 rounded-full border border-line bg-raised px-3 font-medium shadow-raised hover:bg-hover"
          onClick={() => {
            setLastShownSeq(undefined);
            scroller.current?.scrollTo({ top: 0 });
            scroller.current?.focus();
          }}
          type="button"
        >
          {`${pluralize(newCount, 'new event')} ↑`}
        </button>
      ) : null}
    </div>
  );

  function renderRow(row: Row | undefined): ReactNode {
    if (row === undefined) return null;
    if (row.kind === 'day') return <p className="px-3 pt-3 pb-1 text-sm font-medium text-quiet">{row.day}</p>;
    if (row.kind === 'turn') {
      const { key } = row.group;
      return (
        <TurnRow
          group={row.group}
          onToggle={() => setOpenTurns((before) => toggled(before, key))}
          open={openTurns.has(key)}
          showsSession={showsSession}
        />
      );
    }
    const { event, inTurn } = row;
    return (
      <div className={inTurn ? 'ml-6 border-l border-line' : ''}>
        <EventRow
          event={event}
          onToggle={() => setOpen((before) => toggled(before, event.seq))}
          open={open.has(event.seq)}
          showsSession={showsSession && !inTurn}
        />
      </div>
    );
  }
}

function keyOf(row: Row | undefined): string | number {
  if (row === undefined) return '';
  if (row.kind === 'day') return row.day;
  return row.kind === 'turn' ? `turn ${row.group.key}` : row.event.seq;
}

function rowsOf(groups: readonly EventGroupRow[], openTurns: ReadonlySet<number>): Row[] {
  const now = Date.now();
  const rows: Row[] = [];
  let last = '';
  for (const group of groups) {
    const day = formatDay(group.events.at(-1)?.at ?? '', now);
    if (day !== last) rows.push({ kind: 'day', day });
    last = day;
    if (group.events.length === 1) rows.push({ kind: 'event', event: group.head, inTurn: false });
    else {
      rows.push({ kind: 'turn', group });
      if (openTurns.has(group.key)) {
        rows.push(...group.events.toReversed().map((event) => ({ kind: 'event' as const, event, inTurn: true })));
      }
    }
  }
  return rows;
}
