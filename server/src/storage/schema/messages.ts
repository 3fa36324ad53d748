import type { Message } from '@agent-console/shared/models/message';
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sessions } from './sessions.ts';

/** Conversations: messages, searchable documents, transcript positions, and token usage. */

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
    createdAt: text().notNull(),
  },
  (t) => [
    uniqueIndex('messages_session').on(t.sessionId, t.seq),
    uniqueIndex('messages_native').on(t.sessionId, t.nativeId).where(sql`"nativeId" is not null`),
  ],
);

/**
 * Searchable documents: the texts of messages, prompts that have not started (once started they are messages), and the
 * titles and descriptions of sessions. Triggers in the migrations keep these rows and the full-text index in step with
 * the texts. The view `search_texts` resolves the text of a document, so that no text is stored twice. The index refers
 * to documents by rowid, and only a rowid that is a column survives VACUUM.
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

/** How much of the agent's own record of a conversation was ingested. */
export const transcripts = sqliteTable('transcripts', {
  sessionId: text()
    .primaryKey()
    .references(() => sessions.id),
  nativeId: text().notNull(),
  /** Position to continue from, in the format of this agent kind's reader. */
  place: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: text().notNull(),
});

/** Token usage per model answer. An answer that the agent reports repeatedly is counted once. */
export const usage = sqliteTable(
  'usage',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    /** The agent's own ID of the answer. */
    nativeId: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cacheReadTokens: integer().notNull(),
    costUsd: real(),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('usage_native').on(t.sessionId, t.nativeId), index('usage_task').on(t.taskId)],
);
