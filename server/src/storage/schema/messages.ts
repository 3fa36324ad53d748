import type { Message } from '@agent-console/shared/models/message';
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sessions } from './sessions.ts';

/** Conversations: messages, the documents that search finds, how far transcripts were ingested, and token usage. */

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
    /** The agent's id of the message, so that it is ingested once. */
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
 * the texts; the view `search_texts` resolves the text of a document, so that no text is stored twice. The index refers to
 * documents by rowid, and only a rowid that is a column survives VACUUM.
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

/** How far the agent's own record of a conversation was ingested. */
export const transcripts = sqliteTable('transcripts', {
  sessionId: text()
    .primaryKey()
    .references(() => sessions.id),
  nativeId: text().notNull(),
  /** Where to continue, in the form of the reader of this kind of agent. */
  place: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: text().notNull(),
});

/** Token usage per answer of the model. An answer that the agent reports again is not counted again. */
export const usage = sqliteTable(
  'usage',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    /** The agent's id of the answer. */
    nativeId: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cacheReadTokens: integer().notNull(),
    costUsd: real(),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('usage_native').on(t.sessionId, t.nativeId), index('usage_task').on(t.taskId)],
);
