import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../domain/caller.ts';
import type { CommittedEvent, EventFilter, EventHub } from '../ports/events.ts';
import type { EventRow } from '../ports/rows.ts';
import type { StoreReader } from '../ports/storage.ts';

/** Newest events kept in memory, so that live followers do not each read the database. */
const RING = 2_000;
/** Events read from the store at once. */
const PAGE = 500;

export interface CommitHub extends EventHub {
  /** Gets the events of each commit, in order. */
  committed(rows: readonly EventRow[]): void;
}

/**
 * The live end of the event log. Followers hold a cursor only: whoever is slow reads the store, so no queue grows with
 * a reader's slowness. `toPublicEvent` says what callers see of a stored event, `filterFor` says what a caller is told of; undefined is everything.
 */
export function createEventHub(
  store: StoreReader<EventRow>,
  newest: number,
  toPublicEvent: (row: EventRow) => ConsoleEvent,
  onError: (error: unknown) => void = () => {},
  filterFor: (caller: Caller) => Promise<EventFilter | undefined> = async () => undefined,
): CommitHub {
  const listeners = new Set<(events: readonly CommittedEvent[]) => void>();
  const waiting = new Set<() => void>();
  let ring: ConsoleEvent[] = [];
  let last = newest;

  /** Events after a cursor, from memory when it still reaches back that far. */
  async function pageAfter(after: number): Promise<ConsoleEvent[]> {
    const first = ring[0];
    if (first !== undefined && first.seq <= after + 1) {
      return ring.slice(after + 1 - first.seq, after + 1 - first.seq + PAGE);
    }
    return (await store.find({ seq: { above: after } }, { order: ['seq'], limit: PAGE })).map(toPublicEvent);
  }

  function nextCommit(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  return {
    committed(rows) {
      const committed = rows.map((row) => ({ event: toPublicEvent(row), sessionId: row.sessionId }));
      for (const { event } of committed) {
        // A rolled back transaction leaves no hole in the numbers, but be sure that the ring has none either.
        if (ring.length > 0 && event.seq !== last + 1) ring = [];
        ring.push(event);
        last = event.seq;
      }
      if (ring.length > RING) ring = ring.slice(-RING / 2);
      for (const listener of listeners) {
        try {
          listener(committed);
        } catch (error) {
          // What is committed stays so, whatever a listener makes of it.
          onError(error);
        }
      }
      for (const wake of [...waiting]) wake();
    },
    lastSeq: () => last,
    async firstSeq() {
      return (await store.first({}, { order: ['seq'] }))?.seq ?? last + 1;
    },
    filterFor,
    async *follow(after, signal, caller) {
      const shows = await filterFor(caller);
      let cursor = after;
      while (!signal.aborted) {
        for (const event of await pageAfter(cursor)) {
          if (signal.aborted) return;
          const told = shows === undefined ? event : await shows(event);
          if (told !== undefined) yield told;
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
