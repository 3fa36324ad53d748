import type { Message } from '@agent-console/shared/models/message';
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sessions } from './sessions.ts';

export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    seq: integer().notNull(),
    role: text().$type<Message['role']>().notNull(),
    kind: text().$type<Message['kind']>().notNull(),
    parts: text({ mode: 'json' }).$type<Message['parts']>().notNull(),
    source: text().$type<Message['source']>().notNull(),
    logOffset: integer(),
    /** The agent's own message ID, used to ingest each message once. */
    nativeId: text(),
    /**
     * Number of the message's latest change within its session. Triggers in the migrations set it to the next higher
     * number whenever a message is added or changed, so that a reader can fetch the changes since its last read.
     */
    revision: integer().notNull().default(0),
    createdAt: text().notNull(),
  },
  (t) => [
    uniqueIndex('messages_session').on(t.sessionId, t.seq),
    index('messages_revision').on(t.sessionId, t.revision),
    uniqueIndex('messages_native').on(t.sessionId, t.nativeId).where(sql`"nativeId" is not null`),
  ],
);

/**
 * Searchable documents: texts of messages, prompts of tasks that have not started (the prompt of a started task is a
 * message), and titles and descriptions of sessions. Triggers in the migrations update these rows and the full-text
 * index when a text changes. A row does not contain its text; the view `search_texts` finds the text, so that no text
 * is stored twice. The full-text index refers to documents by rowid. The rowid is declared as the column `id`, because
 * VACUUM could otherwise change it.
 */
export const searchDocuments = sqliteTable(
  'search_documents',
  {
    id: integer().primaryKey(),
    kind: text().$type<'message' | 'task' | 'session'>().notNull(),
    sourceId: text().notNull(),
    sessionId: text().notNull(),
  },
  (t) => [uniqueIndex('search_documents_source').on(t.sourceId)],
);

/** Progress of ingesting transcripts, the agents' own records of conversations. */
export const transcripts = sqliteTable('transcripts', {
  sessionId: text()
    .primaryKey()
    .references(() => sessions.id),
  nativeId: text().notNull(),
  /** Position in the transcript at which ingestion continues. Its format depends on the agent kind. */
  place: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: text().notNull(),
});

/** Token usage of each model response. A response that the agent reports repeatedly is counted once. */
export const usage = sqliteTable(
  'usage',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    /** The agent's own ID of the response. */
    nativeId: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cacheReadTokens: integer().notNull(),
    costUsd: real(),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('usage_native').on(t.sessionId, t.nativeId), index('usage_task').on(t.taskId)],
);
