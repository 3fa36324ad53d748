import type { EventType, SubjectKind } from '@agent-console/shared/models/event';
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const events = sqliteTable(
  'events',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: text().notNull(),
    type: text().$type<EventType>().notNull(),
    subjectKind: text().$type<SubjectKind>().notNull(),
    subjectId: text().notNull(),
    sessionId: text(),
    actor: text().notNull(),
    viaSessionId: text(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index('events_session').on(t.sessionId, t.seq), index('events_subject').on(t.subjectId, t.seq)],
);

export const audit = sqliteTable(
  'audit',
  {
    id: text().primaryKey(),
    at: text().notNull(),
    actor: text().notNull(),
    sessionId: text(),
    /** The user who made the call, or who created the session that made it. Null for calls of the console itself. */
    userId: text(),
    surface: text().notNull(),
    operation: text().notNull(),
    /** `ok` if the call succeeded, otherwise the error code. */
    result: text().notNull(),
    milliseconds: real().notNull(),
  },
  (t) => [
    // Indexes for the audit list, which also counts all rows that match its filter.
    index('audit_at').on(t.at),
    index('audit_session').on(t.sessionId, t.id),
    index('audit_operation').on(t.operation, t.id),
    index('audit_result').on(t.result, t.id),
  ],
);

export const idempotency = sqliteTable(
  'idempotency',
  {
    caller: text().notNull(),
    operation: text().notNull(),
    key: text().notNull(),
    bodySha256: text().notNull(),
    /**
     * The response to the call, which a repeated call with the same key receives too. It is stored in the transaction
     * with the changes of the call, so that neither is stored without the other.
     */
    output: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** Whether the response reached the caller; null while that is unknown. */
    delivered: integer({ mode: 'boolean' }),
    createdAt: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.caller, t.operation, t.key] }),
    index('idempotency_body').on(t.caller, t.operation, t.bodySha256),
  ],
);

export const mcpSessions = sqliteTable('mcp_sessions', {
  id: text().primaryKey(),
  record: text({ mode: 'json' })
    .$type<{ protocolVersion: string; client: { name: string; version: string }; watched?: readonly string[] }>()
    .notNull(),
  createdAt: text().notNull(),
  lastUsedAt: text().notNull(),
});
