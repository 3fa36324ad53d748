import type { EventType, SubjectKind } from '@agent-console/shared/models/event';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import type { Idempotency } from '../domain/call.ts';
import type { SearchQuery } from '../domain/search.ts';
import type { AuditRow, ColumnsOf, EventRow, IdempotencyRow, NewRowOf, RowOf, SessionRow, Tables } from './rows.ts';

type Test<V> =
  | V
  | readonly V[]
  | { not: V | readonly V[] }
  | { above: NonNullable<V> }
  | { below: NonNullable<V> }
  | { above: NonNullable<V>; below: NonNullable<V> }
  | { startsWith: string }
  | { contains: string };

/**
 * A filter. A row matches if each of these columns passes its test. A test is a value, one of several values, a
 * negation, bounds, a prefix, or an element that the column's list contains.
 */
export type Where<Columns> = { [K in keyof Columns]?: Test<Columns[K]> };

export interface FindOptions<Row> {
  /**
   * Columns to sort by; a name with a leading `-` sorts in descending order. Default: the primary key, which is the
   * order of creation.
   */
  order?: readonly (keyof Row & string)[] | readonly `-${keyof Row & string}`[];
  limit?: number;
  skip?: number;
}

/** Reads the rows of one table. `Columns` can be used in filters; `Row` is returned. */
export interface StoreReader<Row, Columns = Row> {
  get(id: string): Promise<Row | undefined>;
  find(where: Where<Columns>, options?: FindOptions<Row>): Promise<Row[]>;
  first(where: Where<Columns>, options?: FindOptions<Row>): Promise<Row | undefined>;
  /** Returns the primary keys of the rows that `find` would return, without reading the rows. */
  ids(where: Where<Columns>, options?: FindOptions<Row>): Promise<string[]>;
  /** Returns each value of a text column that occurs in the matching rows, without reading the rows. */
  distinct(where: Where<Columns>, column: keyof Columns & string): Promise<string[]>;
  count(where: Where<Columns>): Promise<number>;
  /** Returns the sum of each of these columns over the matching rows; null where no row has a value. */
  sum<Name extends keyof Columns & string>(
    where: Where<Columns>,
    columns: readonly Name[],
  ): Promise<Record<Name, number | null>>;
  /** Like `sum`, but separately for each value of the column `group` that occurs in the matching rows. */
  sumBy<Name extends keyof Columns & string>(
    where: Where<Columns>,
    group: keyof Columns & string,
    columns: readonly Name[],
  ): Promise<Map<string, Record<Name, number | null>>>;
}

export interface Store<Row, Columns = Row, NewRow = Row> extends StoreReader<Row, Columns> {
  /** Returns the row as stored, with default values in the columns that were left out. */
  insert(row: NewRow): Promise<Row>;
  update(id: string, patch: Partial<Row>): Promise<void>;
  remove(where: Where<Columns>): Promise<void>;
}

export interface FoundSession {
  sessionId: string;
  /**
   * Id of the text to show as an excerpt: the newest matching message or, if no message matches, the newest other
   * matching text.
   */
  documentId: number;
  /**
   * Ids of further matching messages to show as excerpts, newest first. Together with `documentId`, at most as many as
   * the caller requested.
   */
  more: number[];
  /** Number of the session's texts that match, among the texts that were searched. */
  matches: number;
}

export interface SearchReader {
  /**
   * Returns matching sessions with up to `excerpts` texts each, newest match first. `complete` is false if older texts
   * were not searched.
   */
  sessions(
    query: SearchQuery,
    where: Where<SessionRow>,
    excerpts?: number,
  ): Promise<{ found: FoundSession[]; complete: boolean }>;
  /** Returns the text with this id, and the message, task or session to which it belongs. */
  text(
    documentId: number,
  ): Promise<{ kind: 'message' | 'task' | 'session'; sourceId: string; text: string } | undefined>;
}

/** Stores from which committed rows can be read. */
export type Readers = { readonly [N in keyof Tables]: StoreReader<RowOf<Tables[N]>, ColumnsOf<Tables[N]>> } & {
  readonly events: StoreReader<EventRow>;
  readonly audit: StoreReader<AuditRow>;
  readonly search: SearchReader;
  readonly settings: { all(): Promise<Record<string, string | number>> };
  /** Values that exist once per data directory, such as the id of the local owner, by key. */
  readonly meta: { get(key: string): Promise<string | undefined> };
  readonly idempotency: {
    get(caller: string, operation: string, key: string): Promise<IdempotencyRow | undefined>;
    /**
     * Finds the earlier call that a call without an idempotency key repeats. Returns the caller's newest call of this
     * operation after `since` that had the same body and no key, and whose response was lost.
     */
    undelivered(
      caller: string,
      operation: string,
      bodySha256: string,
      since: string,
    ): Promise<IdempotencyRow | undefined>;
  };
};

/** An event to record. Its data must have the fields that `EVENT_DATA` declares for its type. */
export type NewEvent = {
  [T in EventType]: {
    type: T;
    subject: { kind: SubjectKind; id: string };
    /** The session to whose history the event belongs. */
    sessionId?: string | null;
    data?: EventDataOf<T>;
  };
}[EventType];

/** A transaction. Its changes and events are committed together or not at all. */
export type Transaction = {
  readonly [N in keyof Tables]: Store<RowOf<Tables[N]>, ColumnsOf<Tables[N]>, NewRowOf<Tables[N]>>;
} & {
  readonly events: StoreReader<EventRow>;
  readonly settings: {
    all(): Promise<Record<string, string | number>>;
    set(key: string, value: string | number): Promise<void>;
  };
  readonly meta: { get(key: string): Promise<string | undefined>; set(key: string, value: string): Promise<void> };
  readonly idempotency: {
    delivered(caller: string, operation: string, key: string, delivered: boolean | null): Promise<void>;
    /**
     * Marks responses as not delivered if their calls had no idempotency key and the server died before it was known
     * whether they were delivered.
     */
    markUndelivered(): Promise<void>;
  };
  readonly audit: { add(row: AuditRow): Promise<void> };
  readonly loginCodes: {
    add(sha256: string, userId: string, expiresAt: string): Promise<void>;
    /** Deletes a login code and returns its user; undefined if the code is unknown or expired at `now`. */
    redeem(sha256: string, now: string): Promise<string | undefined>;
  };
  removeOrchestrationEvents(orchestrationId: string): Promise<void>;
  /**
   * Deletes old records:
   * - events below `eventSeq` or before `eventsAt`, except those of orchestrations that were not removed;
   * - audit rows before `eventsAt`, and all but the newest AUDIT_KEPT;
   * - idempotency keys before `idempotencyAt`.
   */
  prune(before: { eventSeq: number; eventsAt: string; idempotencyAt: string }): Promise<void>;
  /** Appends an event, which is published after the commit. */
  record(event: NewEvent): Promise<void>;
  /** Stores the response to this call. A repeated call with the same idempotency key gets the same response. */
  remember(output: Record<string, unknown>): Promise<void>;
};

/** The caller for whom a transaction runs, recorded as the author of its changes. */
export interface Author {
  actor: string;
  viaSessionId?: string;
  idempotency?: Idempotency;
}

export interface Storage {
  readonly read: Readers;
  /**
   * Runs `work` in a transaction. No other transaction begins before this one ends, so `work` must not wait for
   * anything but storage.
   */
  write<T>(author: Author, work: (tx: Transaction) => Promise<T>): Promise<T>;
}
