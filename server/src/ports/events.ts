import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../domain/caller.ts';

/** An event, and the session in whose history the event appears; null if there is none. */
export interface CommittedEvent {
  event: ConsoleEvent;
  sessionId: string | null;
}

/**
 * Returns the event with only the data that the caller may see at this time; undefined if the caller may not see the
 * event.
 * @param sessionId the session that has the event in its history; null if there is none
 */
export type EventFilter = <E extends Pick<ConsoleEvent, 'type' | 'data' | 'viaSessionId'>>(
  event: E,
  sessionId: string | null,
) => Promise<E | undefined>;

/** Publishes committed events to live followers. */
export interface EventHub {
  /** Returns the sequence number of the newest committed event. */
  lastSeq(): number;
  /** Returns the sequence number of the oldest stored event, or lastSeq() + 1 if no event is stored. */
  firstSeq(): Promise<number>;
  /**
   * Yields every event after `after` that the caller may see, in order and exactly once, until the signal aborts. A
   * slow reader gets its events from the database, so that no events are queued in memory.
   */
  follow(after: number, signal: AbortSignal, caller: Caller): AsyncIterable<ConsoleEvent>;
  /**
   * Returns the filter to apply to each event before it is sent to a caller; undefined if the caller may see every
   * event.
   */
  filterFor(caller: Caller): Promise<EventFilter | undefined>;
  /** Registers a callback that runs after each commit with the committed events, in order. */
  onEvents(listener: (events: readonly CommittedEvent[]) => void): () => void;
}
