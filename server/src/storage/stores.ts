import { and, desc, eq, gt, like } from 'drizzle-orm';
import type { AgentRow, McpServerRow, SessionMcpServerRow } from '../ports/rows/agents.ts';
import type { BoardRow, ZoneRow } from '../ports/rows/boards.ts';
import type { MessageRow, TranscriptRow, UsageRow } from '../ports/rows/messages.ts';
import type { TokenRow, UserRow } from '../ports/rows/people.ts';
import type { AuditRow, EventRow, IdempotencyRow } from '../ports/rows/records.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { DelegationRow, NoticeRow, TaskRow } from '../ports/rows/tasks.ts';
import type { ApprovalRow, InputRow, WorkerRow } from '../ports/rows/workers.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../ports/rows/worktrees.ts';
import type { Author, Readers, Store } from '../ports/storage.ts';
import type { Connection } from './database.ts';
import { agents, mcpServers, sessionMcpServers } from './schema/agents.ts';
import { boards, zones } from './schema/boards.ts';
import { messages, transcripts, usage } from './schema/messages.ts';
import { tokens, users } from './schema/people.ts';
import { audit, events, idempotency } from './schema/records.ts';
import { sessions } from './schema/sessions.ts';
import { meta, settings } from './schema/settings.ts';
import { delegations, notices, tasks } from './schema/tasks.ts';
import { approvals, inputs, workers } from './schema/workers.ts';
import { jobs, repositories, worktrees } from './schema/worktrees.ts';
import { createSearch } from './search.ts';
import { createStore, type Database } from './store.ts';

/** A store for each noun. */
export function nounStores(db: Database) {
  const allSettings = db.select().from(settings).prepare();
  return {
    repositories: createStore<RepositoryRow>(db, repositories),
    worktrees: createStore<WorktreeRow>(db, worktrees),
    sessions: createStore<SessionRow>(db, sessions),
    workers: createStore<WorkerRow>(db, workers),
    tasks: createStore<TaskRow>(db, tasks),
    inputs: createStore<InputRow>(db, inputs),
    notices: createStore<NoticeRow>(db, notices),
    delegations: createStore<DelegationRow>(db, delegations),
    jobs: createStore<JobRow>(db, jobs),
    messages: createStore<MessageRow>(db, messages),
    transcripts: createStore<TranscriptRow>(db, transcripts, 'sessionId'),
    usage: createStore<UsageRow>(db, usage),
    approvals: createStore<ApprovalRow>(db, approvals),
    users: createStore<UserRow>(db, users),
    boards: createStore<BoardRow>(db, boards),
    zones: createStore<ZoneRow>(db, zones),
    mcpServers: createStore<McpServerRow>(db, mcpServers),
    sessionMcpServers: createStore<SessionMcpServerRow>(db, sessionMcpServers),
    agents: createStore<AgentRow>(db, agents),
    tokens: createStore<TokenRow>(db, tokens),
    events: createStore<EventRow>(db, events, 'seq'),
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

type NounStores = ReturnType<typeof nounStores>;

/** Nouns whose rows say who made them. A session says it in words of its own. */
const SIGNED = ['worktrees', 'tasks', 'users', 'boards', 'zones', 'tokens'] as const;

/** The stores as one author writes them: every row they insert says who that is, whatever it was copied from. */
export function signedBy({ actor, viaSessionId }: Author, stores: NounStores): NounStores {
  const signature = { createdBy: actor, viaSessionId: viaSessionId ?? null };
  const signed: Record<string, unknown> = {};
  for (const noun of SIGNED) {
    const store = stores[noun] as Store<object>;
    signed[noun] = { ...store, insert: (row: object) => store.insert({ ...row, ...signature }) };
  }
  return { ...stores, ...signed };
}

/** Single facts about this data directory. */
export function metaReader(db: Database) {
  return {
    async get(key: string) {
      return db.select().from(meta).where(eq(meta.key, key)).get()?.value;
    },
  };
}

/** The stores for reading what is committed. */
export function createReaders(connection: Connection): Readers {
  const { db } = connection;
  return {
    ...nounStores(db),
    audit: createStore<AuditRow>(db, audit),
    search: createSearch(connection),
    meta: metaReader(db),
    idempotency: {
      async get(caller, operation, key) {
        return db
          .select()
          .from(idempotency)
          .where(and(eq(idempotency.caller, caller), eq(idempotency.operation, operation), eq(idempotency.key, key)))
          .get() as IdempotencyRow | undefined;
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
          .get() as IdempotencyRow | undefined;
      },
    },
  };
}
