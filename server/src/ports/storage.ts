import type { EventType, SubjectKind } from '@agent-console/shared/models/event';
import type { Wanted } from '../domain/search.ts';
import type { AgentRow, McpServerRow, SessionMcpServerRow } from './rows/agents.ts';
import type { BoardRow, ZoneRow } from './rows/boards.ts';
import type { MessageRow, TranscriptRow, UsageRow } from './rows/messages.ts';
import type { TokenRow, UserRow } from './rows/people.ts';
import type { AuditRow, EventRow, IdempotencyRow } from './rows/records.ts';
import type { SessionRow } from './rows/sessions.ts';
import type { DelegationRow, NoticeRow, TaskRow } from './rows/tasks.ts';
import type { ApprovalRow, InputRow, WorkerRow } from './rows/workers.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from './rows/worktrees.ts';

type Test<V> =
  | V
  | readonly V[]
  | { not: V | readonly V[] }
  | { above: NonNullable<V> }
  | { below: NonNullable<V> }
  | { above: NonNullable<V>; below: NonNullable<V> }
  | { startsWith: string };

/** Columns with what they must be: a value, one of several, not that, a bound, or a beginning. All must hold. */
export type Where<Row> = { [K in keyof Row]?: Test<Row[K]> };

export interface FindOptions<Row> {
  /** Columns to sort by; `-` before a name turns it round. Default: id, which is the order of creation. */
  order?: readonly (keyof Row & string)[] | readonly `-${keyof Row & string}`[];
  limit?: number;
  skip?: number;
}

export interface StoreReader<Row> {
  get(id: string): Promise<Row | undefined>;
  find(where: Where<Row>, options?: FindOptions<Row>): Promise<Row[]>;
  first(where: Where<Row>, options?: FindOptions<Row>): Promise<Row | undefined>;
  count(where: Where<Row>): Promise<number>;
}

export interface Store<Row> extends StoreReader<Row> {
  insert(row: Row): Promise<void>;
  update(id: string, patch: Partial<Row>): Promise<void>;
  remove(where: Where<Row>): Promise<void>;
}

interface Nouns {
  repositories: RepositoryRow;
  worktrees: WorktreeRow;
  sessions: SessionRow;
  workers: WorkerRow;
  tasks: TaskRow;
  inputs: InputRow;
  notices: NoticeRow;
  delegations: DelegationRow;
  jobs: JobRow;
  messages: MessageRow;
  transcripts: TranscriptRow;
  usage: UsageRow;
  approvals: ApprovalRow;
  users: UserRow;
  boards: BoardRow;
  zones: ZoneRow;
  mcpServers: McpServerRow;
  sessionMcpServers: SessionMcpServerRow;
  agents: AgentRow;
  tokens: TokenRow;
}

/** A session whose texts have what was wanted. */
export interface FoundSession {
  sessionId: string;
  /** The text to show: its newest message that matches, else whatever matches. */
  documentId: number;
  /** How many of its texts match, of those that were looked at. */
  matches: number;
}

export interface SearchReader {
  /**
   * Sessions for which `where` holds and that have a text with all that is wanted, the newest match first. Not
   * `complete`: there are older matches than were looked at.
   */
  sessions(wanted: Wanted, where: Where<SessionRow>): Promise<{ found: FoundSession[]; complete: boolean }>;
  /** A text that was found, and the id of its message, task or session. */
  text(
    documentId: number,
  ): Promise<{ kind: 'message' | 'task' | 'session'; sourceId: string; text: string } | undefined>;
}

/** Everything committed, as callers may see it. */
export type Readers = { readonly [N in keyof Nouns]: StoreReader<Nouns[N]> } & {
  readonly events: StoreReader<EventRow>;
  readonly audit: StoreReader<AuditRow>;
  readonly search: SearchReader;
  readonly settings: { all(): Promise<Record<string, string | number>> };
  /** Single facts about this data directory. */
  readonly meta: { get(key: string): Promise<string | undefined> };
  readonly idempotency: {
    get(caller: string, operation: string, key: string): Promise<IdempotencyRow | undefined>;
    /** Newest call of this caller with the same body that was given no key and whose answer never arrived. */
    undelivered(
      caller: string,
      operation: string,
      bodySha256: string,
      since: string,
    ): Promise<IdempotencyRow | undefined>;
  };
};

export interface NewEvent {
  type: EventType;
  subject: { kind: SubjectKind; id: string };
  /** The session whose story this belongs to. */
  sessionId?: string | null;
  data?: Record<string, unknown>;
}

/** One transaction: what is done through it is committed as a whole or not at all, with its events. */
export type Transaction = { readonly [N in keyof Nouns]: Store<Nouns[N]> } & {
  readonly events: StoreReader<EventRow>;
  readonly settings: {
    all(): Promise<Record<string, string | number>>;
    set(key: string, value: string | number): Promise<void>;
  };
  readonly meta: { get(key: string): Promise<string | undefined>; set(key: string, value: string): Promise<void> };
  readonly idempotency: {
    delivered(caller: string, operation: string, key: string, delivered: boolean): Promise<void>;
    /** Answers of keyless calls whose fate nobody knows count as lost: their server died. */
    loseUnknown(): Promise<void>;
  };
  readonly audit: { add(row: AuditRow): Promise<void> };
  readonly loginCodes: {
    add(sha256: string, userId: string, expiresAt: string): Promise<void>;
    /** Takes the code away and answers whose it was, or undefined when unknown or expired at `now`. */
    redeem(sha256: string, now: string): Promise<string | undefined>;
  };
  /** Forgets what is older than this: events below a number or a moment, audit rows before that moment, keys before theirs. */
  prune(before: { eventSeq: number; eventsAt: string; idempotencyAt: string }): Promise<void>;
  /** Appends an event; it is published after the commit. */
  record(event: NewEvent): Promise<void>;
  /** Stores what a repeat of this call with the same idempotency key answers. */
  remember(output: Record<string, unknown>): Promise<void>;
};

/** On whose behalf a transaction runs. */
export interface Author {
  actor: string;
  viaSessionId?: string;
  idempotency?: { caller: string; operation: string; key: string; bodySha256: string };
}

export interface Storage {
  readonly read: Readers;
  /** Runs `work` alone: no other transaction begins before it ended. Nothing but storage may be awaited inside. */
  write<T>(author: Author, work: (tx: Transaction) => Promise<T>): Promise<T>;
}
