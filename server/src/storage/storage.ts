import { ConsoleError } from '@agent-console/shared/errors';
import { AUDIT_KEPT } from '@agent-console/shared/limits/records';
import { Mutex } from 'async-mutex';
import { and, desc, eq, getTableColumns, gt, isNull, like, lt, lte, or } from 'drizzle-orm';
import type {
  AgentRow,
  ApprovalRow,
  BoardRow,
  DelegationRow,
  EventRow,
  IdempotencyRow,
  InputRow,
  JobRow,
  McpServerRow,
  MessageRow,
  NoticeRow,
  RepositoryRow,
  SessionMcpServerRow,
  SessionRow,
  TaskRow,
  TokenRow,
  TranscriptRow,
  UsageRow,
  UserRow,
  WorkerRow,
  WorktreeRow,
  ZoneRow,
} from '../operations/ports/rows.ts';
import type { Author, NewEvent, Readers, Storage, Store, Transaction } from '../operations/ports/storage.ts';
import type { Connection } from './database.ts';
import * as schema from './schema.ts';
import { createSearch } from './search.ts';
import { createStore, type Database, driverValues, placeholders } from './store.ts';

function nounStores(db: Database) {
  const allSettings = db.select().from(schema.settings).prepare();
  return {
    repositories: createStore<RepositoryRow>(db, schema.repositories),
    worktrees: createStore<WorktreeRow>(db, schema.worktrees),
    sessions: createStore<SessionRow>(db, schema.sessions),
    workers: createStore<WorkerRow>(db, schema.workers),
    tasks: createStore<TaskRow>(db, schema.tasks),
    inputs: createStore<InputRow>(db, schema.inputs),
    notices: createStore<NoticeRow>(db, schema.notices),
    delegations: createStore<DelegationRow>(db, schema.delegations),
    jobs: createStore<JobRow>(db, schema.jobs),
    messages: createStore<MessageRow>(db, schema.messages),
    transcripts: createStore<TranscriptRow>(db, schema.transcripts, 'sessionId'),
    usage: createStore<UsageRow>(db, schema.usage),
    approvals: createStore<ApprovalRow>(db, schema.approvals),
    users: createStore<UserRow>(db, schema.users),
    boards: createStore<BoardRow>(db, schema.boards),
    zones: createStore<ZoneRow>(db, schema.zones),
    mcpServers: createStore<McpServerRow>(db, schema.mcpServers),
    sessionMcpServers: createStore<SessionMcpServerRow>(db, schema.sessionMcpServers),
    agents: createStore<AgentRow>(db, schema.agents),
    tokens: createStore<TokenRow>(db, schema.tokens),
    events: createStore<EventRow>(db, schema.events, 'seq'),
    settings: {
      async all() {
        return Object.fromEntries(allSettings.all().map((row) => [row.key, row.value]));
      },
      async set(key: string, value: string | number) {
        db.insert(schema.settings)
          .values({ key, value })
          .onConflictDoUpdate({ target: schema.settings.key, set: { value } })
          .run();
      },
    },
  };
}

type NounStores = ReturnType<typeof nounStores>;

/** Nouns whose rows say who made them. A session says it in words of its own. */
const SIGNED = ['worktrees', 'tasks', 'users', 'boards', 'zones', 'tokens'] as const;

/** The stores as one author writes them: every row they insert says who that is, whatever it was copied from. */
function signedBy({ actor, viaSessionId }: Author, stores: NounStores): NounStores {
  const signature = { createdBy: actor, viaSessionId: viaSessionId ?? null };
  const signed: Record<string, unknown> = {};
  for (const noun of SIGNED) {
    const store = stores[noun] as Store<object>;
    signed[noun] = { ...store, insert: (row: object) => store.insert({ ...row, ...signature }) };
  }
  return { ...stores, ...signed };
}

function metaReader(db: Database) {
  return {
    async get(key: string) {
      return db.select().from(schema.meta).where(eq(schema.meta.key, key)).get()?.value;
    },
  };
}

/** Appends events; answers the number of the new row. */
function eventWriter(db: Database): (row: Omit<EventRow, 'seq'>) => number {
  const { events } = schema;
  const { seq: _, ...columns } = getTableColumns(events);
  const statement = db
    .insert(events)
    .values(placeholders(Object.keys(columns)) as never)
    .returning({ seq: events.seq })
    .prepare();
  return (row) => statement.get(driverValues(events, row)).seq;
}

function createReaders(connection: Connection): Readers {
  const { db } = connection;
  const table = schema.idempotency;
  return {
    ...nounStores(db),
    search: createSearch(connection),
    meta: metaReader(db),
    idempotency: {
      async get(caller, operation, key) {
        return db
          .select()
          .from(table)
          .where(and(eq(table.caller, caller), eq(table.operation, operation), eq(table.key, key)))
          .get() as IdempotencyRow | undefined;
      },
      async undelivered(caller, operation, bodySha256, since) {
        return db
          .select()
          .from(table)
          .where(
            and(
              eq(table.caller, caller),
              eq(table.operation, operation),
              eq(table.bodySha256, bodySha256),
              eq(table.delivered, false),
              like(table.key, 'auto:%'),
              gt(table.createdAt, since),
            ),
          )
          .orderBy(desc(table.createdAt))
          .limit(1)
          .get() as IdempotencyRow | undefined;
      },
    },
  };
}

/** How long a write waits for another process's, and between two tries, in ms. */
const BUSY_WAIT_MS = 2_000;
const BUSY_PAUSE_MS = 20;

const isBusy = (error: unknown) => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** Begins a write, when another process has ended its own. Reads and everything else go on meanwhile. */
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

/** What a failed statement means to a caller; anything unknown stays as it is, a bug. */
function translate(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return error;
  if (isBusy(error)) {
    return new ConsoleError('BUSY', 'Another process writes to the database. Try again.', {}, { cause: error });
  }
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR')) {
    return new ConsoleError(
      'BUSY',
      'The database could not be written; the disk may be full. Free some space and try again. Nothing was changed.',
      {},
      { cause: error },
    );
  }
  return error;
}

export interface StorageOptions {
  writer: Connection;
  reader: Connection;
  now: () => Date;
  /** Called after each commit with its events, in the order of their numbers. */
  onCommit: (events: EventRow[]) => void;
}

/** The stores over libSQL: reads see what is committed, writes go one after the other. */
export function createStorage({ writer, reader, now, onCommit }: StorageOptions): Storage {
  const turn = new Mutex();
  const appendEvent = eventWriter(writer.db);
  const audit = createStore<Parameters<Transaction['audit']['add']>[0]>(writer.db, schema.audit);
  const stores = nounStores(writer.db);

  function transaction(author: Author, recorded: EventRow[]): Transaction {
    return {
      ...signedBy(author, stores),
      meta: {
        ...metaReader(writer.db),
        async set(key, value) {
          writer.db
            .insert(schema.meta)
            .values({ key, value })
            .onConflictDoUpdate({ target: schema.meta.key, set: { value } })
            .run();
        },
      },
      audit: {
        async add(row) {
          await audit.insert(row);
        },
      },
      idempotency: {
        async loseUnknown() {
          const table = schema.idempotency;
          const unknown = and(isNull(table.delivered), like(table.key, 'auto:%'));
          writer.db.update(table).set({ delivered: false }).where(unknown).run();
        },
        async delivered(caller, operation, key, delivered) {
          const table = schema.idempotency;
          writer.db
            .update(table)
            .set({ delivered })
            .where(and(eq(table.caller, caller), eq(table.operation, operation), eq(table.key, key)))
            .run();
        },
      },
      loginCodes: {
        async add(sha256, userId, expiresAt) {
          writer.db.insert(schema.loginCodes).values({ sha256, userId, expiresAt }).run();
        },
        async redeem(sha256, at) {
          const table = schema.loginCodes;
          writer.db.delete(table).where(lt(table.expiresAt, at)).run();
          const row = writer.db.delete(table).where(eq(table.sha256, sha256)).returning().get();
          return row?.userId;
        },
      },
      async prune({ eventSeq, eventsAt, idempotencyAt }) {
        const { audit, events, idempotency } = schema;
        writer.db
          .delete(events)
          .where(or(lt(events.seq, eventSeq), lt(events.at, eventsAt)))
          .run();
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
        const row = { ...author.idempotency, output, delivered: null, createdAt: now().toISOString() };
        writer.db.insert(schema.idempotency).values(row).onConflictDoNothing().run();
      },
    };
  }

  return {
    read: createReaders(reader),
    write(author, work) {
      return turn.runExclusive(async () => {
        const recorded: EventRow[] = [];
        try {
          await begin(writer);
          const result = await work(transaction(author, recorded));
          writer.raw.exec('commit');
          if (recorded.length > 0) onCommit(recorded);
          return result;
        } catch (error) {
          if (writer.raw.inTransaction) writer.raw.exec('rollback');
          throw translate(error);
        }
      });
    },
  };
}
