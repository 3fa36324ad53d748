import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../domain/caller.ts';

/** An event with the session whose story it belongs to. */
export interface CommittedEvent {
  event: ConsoleEvent;
  sessionId: string | null;
}

/** An event as somebody is told of it at this moment; undefined where they are not. */
export type EventFilter = <E extends Pick<ConsoleEvent, 'data' | 'viaSessionId'>>(event: E) => Promise<E | undefined>;

/** The live end of the event log. */
export interface EventHub {
  /** Sequence number of the newest committed event. */
  lastSeq(): number;
  /** First sequence number still stored, or lastSeq() + 1 when none is. */
  firstSeq(): Promise<number>;
  /**
   * Every event after `after` that the caller may know of, in order, without gap or double: stored ones first, then live. Iteration ends when the
   * signal aborts. A reader that falls too far behind is served from the store again, so it holds no memory.
   */
  follow(after: number, signal: AbortSignal, caller: Caller): AsyncIterable<ConsoleEvent>;
  /** How a caller is told of an event, asked when it is told; undefined where all of everything is. */
  filterFor(caller: Caller): Promise<EventFilter | undefined>;
  /** Called after each commit with its events, in order; for code that only needs to look again. */
  onEvents(listener: (events: readonly CommittedEvent[]) => void): () => void;
}
