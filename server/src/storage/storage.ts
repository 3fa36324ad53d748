import { ConsoleError } from '@agent-console/shared/errors';
import { IDEMPOTENCY_KEY_MS } from '@agent-console/shared/limits/calls';
import { AUDIT_KEPT } from '@agent-console/shared/limits/records';
import { Mutex } from 'async-mutex';
import { and, desc, eq, getTableColumns, isNull, like, lt, lte, ne, notInArray, or } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { EventRow } from '../ports/rows.ts';
import type { Author, NewEvent, Storage, Transaction } from '../ports/storage.ts';
import type { Connection } from './database.ts';
import { orchestrations } from './schema/orchestrations.ts';
import { loginCodes } from './schema/people.ts';
import { audit, events, idempotency } from './schema/records.ts';
import { meta } from './schema/settings.ts';
import { createStore, type Database, driverValues, placeholders } from './store.ts';
import { createReaders, metaReader, tableStores, withAuthor } from './stores.ts';

/** Creates a function that appends an event and returns its sequence number. */
function eventWriter(db: Database): (row: Omit<EventRow, 'seq'>) => number {
  const { seq: _, ...columns } = getTableColumns(events);
  const statement = db
    .insert<SQLiteTable>(events)
    .values(placeholders(Object.keys(columns)))
    .returning({ seq: events.seq })
    .prepare();
  // Uses `all`, because after a failure of `get`, libsql fails again in later calls, although their values are valid.
  return (row) => Number(statement.all(driverValues(events, row))[0]?.seq);
}

/** Maximum time in milliseconds that a write waits for another process's write, and the pause between two attempts. */
const BUSY_WAIT_MS = 2_000;
const BUSY_PAUSE_MS = 20;

const isBusy = (error: unknown) => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** Begins a write when no other process is writing. The server serves requests during the wait. */
async function begin({ raw }: Connection): Promise<void> {
  const until = performance.now() + BUSY_WAIT_MS;
  for (;;) {
    try {
      raw.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
  }
}

/**
 * Returns a ConsoleError for an error that says that the database is busy or cannot be written. Returns any other error
 * unchanged.
 */
function translate(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return error;
  if (isBusy(error)) {
    return new ConsoleError('BUSY', 'Another process is writing to the database. Try again.', {}, { cause: error });
  }
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR')) {
    const message =
      'The database could not be written; the disk may be full. Nothing was changed. Free some space and try again.';
    return new ConsoleError('BUSY', message, {}, { cause: error });
  }
  return error;
}

export interface StorageOptions {
  writer: Connection;
  reader: Connection;
  /** Closes both connections. */
  close: () => void;
  now: () => Date;
  /** Called after each committed transaction with its events, in ascending order of sequence number. */
  onCommit: (events: EventRow[]) => void;
}

/** Storage, with a member that only the server itself needs. */
export interface ServerStorage extends Storage {
  /** Waits for the write in progress and those before it, then closes the database. Later writes throw an Error. */
  close(): Promise<void>;
}

/** Creates the stores over libSQL. Reads return committed data; writes run one at a time. */
export function createStorage({ writer, reader, close, now, onCommit }: StorageOptions): ServerStorage {
  const writes = new Mutex();
  let closed = false;
  const appendEvent = eventWriter(writer.db);
  const auditStore = createStore(writer.db, audit);
  const stores = tableStores(writer.db);

  function transaction(author: Author, recorded: EventRow[]): Transaction {
    return {
      ...withAuthor(author, stores),
      meta: {
        ...metaReader(writer.db),
        async set(key, value) {
          writer.db.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } }).run();
        },
      },
      audit: {
        async add(row) {
          await auditStore.insert(row);
        },
      },
      idempotency: {
        async markUndelivered() {
          const unknown = and(isNull(idempotency.delivered), like(idempotency.key, 'auto:%'));
          writer.db.update(idempotency).set({ delivered: false }).where(unknown).run();
        },
        async delivered(caller, operation, key, delivered) {
          writer.db
            .update(idempotency)
            .set({ delivered })
            .where(and(eq(idempotency.caller, caller), eq(idempotency.operation, operation), eq(idempotency.key, key)))
            .run();
        },
      },
      loginCodes: {
        async add(sha256, userId, expiresAt) {
          writer.db.insert(loginCodes).values({ sha256, userId, expiresAt }).run();
        },
        async redeem(sha256, at) {
          writer.db.delete(loginCodes).where(lt(loginCodes.expiresAt, at)).run();
          const row = writer.db.delete(loginCodes).where(eq(loginCodes.sha256, sha256)).returning().get();
          return row?.userId;
        },
      },
      async removeOrchestrationEvents(orchestrationId) {
        const isOwn = and(eq(events.subjectId, orchestrationId), eq(events.subjectKind, 'orchestration'));
        writer.db.delete(events).where(isOwn).run();
      },
      async prune({ eventSeq, eventsAt, idempotencyAt }) {
        const isOld = or(lt(events.seq, eventSeq), lt(events.at, eventsAt));
        const stored = writer.db.select({ id: orchestrations.id }).from(orchestrations);
        const isRemovable = or(ne(events.subjectKind, 'orchestration'), notInArray(events.subjectId, stored));
        writer.db.delete(events).where(and(isOld, isRemovable)).run();
        writer.db.delete(idempotency).where(lt(idempotency.createdAt, idempotencyAt)).run();
        const { id } = audit;
        const kept = writer.db.select({ id }).from(audit).orderBy(desc(id)).limit(1).offset(AUDIT_KEPT).get();
        const beyond = kept === undefined ? undefined : lte(id, kept.id);
        writer.db
          .delete(audit)
          .where(or(lt(audit.at, eventsAt), beyond))
          .run();
      },
      async record(event: NewEvent) {
        const row = {
          at: now().toISOString(),
          type: event.type,
          subjectKind: event.subject.kind,
          subjectId: event.subject.id,
          sessionId: event.sessionId ?? null,
          actor: author.actor,
          viaSessionId: author.viaSessionId ?? null,
          data: event.data ?? {},
        };
        recorded.push({ seq: appendEvent(row), ...row });
      },
      async remember(output) {
        if (author.idempotency === undefined) return;
        const at = now();
        const row = { ...author.idempotency, output, createdAt: at.toISOString() };
        // Replaces a stored response only if its key has expired. Until then, repeated calls must get the first
        // response.
        const expired = lte(idempotency.createdAt, new Date(at.getTime() - IDEMPOTENCY_KEY_MS).toISOString());
        const target = [idempotency.caller, idempotency.operation, idempotency.key];
        writer.db.insert(idempotency).values(row).onConflictDoUpdate({ target, set: row, setWhere: expired }).run();
      },
    };
  }

  return {
    read: createReaders(reader),
    write(author, work) {
      return writes.runExclusive(async () => {
        if (closed) throw new Error('The database was closed.');
        const recorded: EventRow[] = [];
        let hasBegun = false;
        try {
          await begin(writer);
          hasBegun = true;
          const result = await work(transaction(author, recorded));
          writer.raw.exec('commit');
          if (recorded.length > 0) onCommit(recorded);
          return result;
        } catch (error) {
          // libsql aborts the process if a closed database is asked whether it is in a transaction.
          if (hasBegun && writer.raw.inTransaction) writer.raw.exec('rollback');
          throw translate(error);
        }
      });
    },
    close() {
      return writes.runExclusive(() => {
        closed = true;
        close();
      });
    },
  };
}
