import { and, desc, eq, gt, like } from 'drizzle-orm';
import type { Author, Readers, Store } from '../ports/storage.ts';
import type { Connection } from './database.ts';
import { agents, mcpServers, sessionMcpServers } from './schema/agents.ts';
import { boards, zones } from './schema/boards.ts';
import { messages, transcripts, usage } from './schema/messages.ts';
import {
  orchestrationAgents,
  orchestrationAttempts,
  orchestrationDefinitions,
  orchestrations,
} from './schema/orchestrations.ts';
import { marks, tokens, users } from './schema/people.ts';
import { audit, events, idempotency } from './schema/records.ts';
import { sessions } from './schema/sessions.ts';
import { meta, settings } from './schema/settings.ts';
import { delegations, notices, tasks } from './schema/tasks.ts';
import { approvals, inputs, workers } from './schema/workers.ts';
import { integrations, jobs, overlaps, repositories, worktreeChecks, worktrees } from './schema/worktrees.ts';
import { createSearch } from './search.ts';
import { createStore, type Database } from './store.ts';

/** Creates a store for each table that operations use. */
export function tableStores(db: Database) {
  const allSettings = db.select().from(settings).prepare();
  return {
    repositories: createStore(db, repositories),
    worktrees: createStore(db, worktrees),
    sessions: createStore(db, sessions),
    workers: createStore(db, workers),
    tasks: createStore(db, tasks),
    inputs: createStore(db, inputs),
    notices: createStore(db, notices),
    delegations: createStore(db, delegations),
    jobs: createStore(db, jobs),
    worktreeChecks: createStore(db, worktreeChecks),
    integrations: createStore(db, integrations),
    overlaps: createStore(db, overlaps),
    orchestrations: createStore(db, orchestrations),
    orchestrationAgents: createStore(db, orchestrationAgents),
    orchestrationAttempts: createStore(db, orchestrationAttempts),
    orchestrationDefinitions: createStore(db, orchestrationDefinitions),
    messages: createStore(db, messages),
    transcripts: createStore(db, transcripts),
    usage: createStore(db, usage),
    approvals: createStore(db, approvals),
    users: createStore(db, users),
    marks: createStore(db, marks),
    boards: createStore(db, boards),
    zones: createStore(db, zones),
    mcpServers: createStore(db, mcpServers),
    sessionMcpServers: createStore(db, sessionMcpServers),
    agents: createStore(db, agents),
    tokens: createStore(db, tokens),
    events: createStore(db, events),
    settings: {
      async all() {
        return Object.fromEntries(allSettings.all().map((row) => [row.key, row.value]));
      },
      async set(key: string, value: string | number) {
        db.insert(settings).values({ key, value }).onConflictDoUpdate({ target: settings.key, set: { value } }).run();
      },
    },
  };
}

type TableStores = ReturnType<typeof tableStores>;

/**
 * Returns stores that set the author columns of each inserted row, even in a copy of a row that another author
 * inserted.
 */
export function withAuthor({ actor, viaSessionId }: Author, stores: TableStores): TableStores {
  const author = { createdBy: actor, viaSessionId: viaSessionId ?? null };
  const signed = <Row, Columns, NewRow extends object>(
    store: Store<Row, Columns, NewRow>,
  ): Store<Row, Columns, NewRow> => ({
    ...store,
    insert: (row) => store.insert({ ...row, ...author }),
  });
  // Sessions have no author columns, because they record their creator in columns of their own.
  return {
    ...stores,
    worktrees: signed(stores.worktrees),
    worktreeChecks: signed(stores.worktreeChecks),
    integrations: signed(stores.integrations),
    tasks: signed(stores.tasks),
    users: signed(stores.users),
    boards: signed(stores.boards),
    zones: signed(stores.zones),
    tokens: signed(stores.tokens),
  };
}

/** Creates a reader for the `meta` table, which contains single values about this data directory. */
export function metaReader(db: Database) {
  return {
    async get(key: string) {
      return db.select().from(meta).where(eq(meta.key, key)).get()?.value;
    },
  };
}

/** Creates stores that only read. The connection must see only committed data. */
export function createReaders(connection: Connection): Readers {
  const { db } = connection;
  return {
    ...tableStores(db),
    audit: createStore(db, audit),
    search: createSearch(connection),
    meta: metaReader(db),
    idempotency: {
      async get(caller, operation, key) {
        return db
          .select()
          .from(idempotency)
          .where(and(eq(idempotency.caller, caller), eq(idempotency.operation, operation), eq(idempotency.key, key)))
          .get();
      },
      async undelivered(caller, operation, bodySha256, since) {
        return db
          .select()
          .from(idempotency)
          .where(
            and(
              eq(idempotency.caller, caller),
              eq(idempotency.operation, operation),
              eq(idempotency.bodySha256, bodySha256),
              eq(idempotency.delivered, false),
              like(idempotency.key, 'auto:%'),
              gt(idempotency.createdAt, since),
            ),
          )
          .orderBy(desc(idempotency.createdAt))
          .limit(1)
          .get();
      },
    },
  };
}
