import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../domain/caller.ts';
import type { CommittedEvent, EventFilter, EventHub } from '../ports/events.ts';
import type { EventRow } from '../ports/rows.ts';
import type { StoreReader } from '../ports/storage.ts';

/**
 * Maximum number of events buffered in memory. These are the newest events, so that live followers need not read the
 * database.
 */
const BUFFER_MAX = 2_000;
/** Number of events read from the store at once. */
const PAGE = 500;

export interface CommitHub extends EventHub {
  /** Receives the events of each commit, in order. */
  committed(rows: readonly EventRow[]): void;
}

/**
 * Creates the hub that passes new events to followers. The hub stores only the position of each follower, and a slow
 * follower reads from the database, so that no queue grows. `filterFor` returns the filter of a caller, or undefined if
 * the caller may see every event.
 */
export function createEventHub(
  store: StoreReader<EventRow>,
  newest: number,
  toPublicEvent: (row: EventRow) => ConsoleEvent,
  onError: (error: unknown) => void = () => {},
  filterFor: (caller: Caller) => Promise<EventFilter | undefined> = async () => undefined,
): CommitHub {
  const listeners = new Set<(events: readonly CommittedEvent[]) => void>();
  const waiters = new Set<() => void>();
  let buffer: CommittedEvent[] = [];
  let last = newest;

  /**
   * Returns a page of events after a sequence number. The page comes from memory if the buffer still contains its first
   * event.
   */
  async function pageAfter(after: number): Promise<CommittedEvent[]> {
    const first = buffer[0];
    if (first !== undefined && first.event.seq <= after + 1) {
      return buffer.slice(after + 1 - first.event.seq, after + 1 - first.event.seq + PAGE);
    }
    return (await store.find({ seq: { above: after } }, { order: ['seq'], limit: PAGE })).map(toCommitted);
  }

  const toCommitted = (row: EventRow) => ({ event: toPublicEvent(row), sessionId: row.sessionId });

  function nextCommit(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiters.add(done);
      signal.addEventListener('abort', done);
    });
  }

  return {
    committed(rows) {
      const committed = rows.map(toCommitted);
      for (const each of committed) {
        // Empties the buffer if a sequence number is missing. This should never happen, because even a rolled back
        // transaction leaves no gap.
        if (buffer.length > 0 && each.event.seq !== last + 1) buffer = [];
        buffer.push(each);
        last = each.event.seq;
      }
      if (buffer.length > BUFFER_MAX) buffer = buffer.slice(-BUFFER_MAX / 2);
      for (const listener of listeners) {
        try {
          listener(committed);
        } catch (error) {
          // The events are already committed, so an error of a listener is only reported.
          onError(error);
        }
      }
      for (const wake of [...waiters]) wake();
    },
    lastSeq: () => last,
    async firstSeq() {
      // Events of orchestrations are retained longer than all others, so events between them may be missing. From the
      // oldest other event on, no event is missing.
      return (await store.first({ subjectKind: { not: 'orchestration' } }, { order: ['seq'] }))?.seq ?? last + 1;
    },
    filterFor,
    async *follow(after, signal, caller) {
      const filter = await filterFor(caller);
      let cursor = after;
      while (!signal.aborted) {
        for (const { event, sessionId } of await pageAfter(cursor)) {
          if (signal.aborted) return;
          const visible = filter === undefined ? event : await filter(event, sessionId);
          if (visible !== undefined) yield visible;
          cursor = event.seq;
        }
        if (cursor >= last && !signal.aborted) await nextCommit(signal);
      }
    },
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
