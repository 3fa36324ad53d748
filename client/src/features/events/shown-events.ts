import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { type EventGroup, eventGroup } from './describe-event.ts';

/**
 * Returns the events that a list shows, and the number of newer ones. Events of hidden groups are neither shown nor
 * counted.
 * @param lastShownSeq sequence number of the newest event that is shown; undefined if all events are shown
 */
export function shownEvents(
  events: readonly ConsoleEvent[],
  hidden: ReadonlySet<EventGroup>,
  lastShownSeq = Number.POSITIVE_INFINITY,
): { shown: ConsoleEvent[]; newCount: number } {
  const wanted = events.filter((event) => !hidden.has(eventGroup(event)));
  const shown = wanted.filter(({ seq }) => seq <= lastShownSeq);
  return { shown, newCount: wanted.length - shown.length };
}
