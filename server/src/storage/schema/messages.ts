import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sessions } from './sessions.ts';

/** Conversations: messages, what is searched, how far they are taken in, and tokens. */

export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    seq: integer().notNull(),
    role: text().$type<'user' | 'agent' | 'system'>().notNull(),
    kind: text().$type<'text' | 'thought' | 'toolCall' | 'plan' | 'permission' | 'notice' | 'usage'>().notNull(),
    parts: text({ mode: 'json' }).$type<Record<string, unknown>[]>().notNull(),
    source: text().$type<'acp' | 'transcript' | 'hook' | 'screen' | 'console'>().notNull(),
    logOffset: integer(),
    /** The agent's own id of it, by which it is taken in once. */
    nativeId: text(),
    createdAt: text().notNull(),
  },
  (t) => [
    uniqueIndex('messages_session').on(t.sessionId, t.seq),
    uniqueIndex('messages_native').on(t.sessionId, t.nativeId).where(sql`"nativeId" is not null`),
  ],
);

/**
 * What is searched: texts of messages, prompts that have not begun (they are messages once they have), and titles with
 * descriptions of sessions. Triggers of the migration keep these rows and the index over them as the texts are;
 * `search_texts` is the view that finds the text of each, so that none is stored twice. The index names rows by number,
 * and only a number that is a column stays the same when the file is compacted.
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

/** How far the conversation that an agent keeps itself has been taken in. */
export const transcripts = sqliteTable('transcripts', {
  sessionId: text()
    .primaryKey()
    .references(() => sessions.id),
  nativeId: text().notNull(),
  /** What the reader of this kind needs to go on. */
  place: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: text().notNull(),
});

/** Tokens of single answers of the model, each counted once however often the agent tells them. */
export const usage = sqliteTable(
  'usage',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    /** The agent's own id of the answer. */
    nativeId: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cacheReadTokens: integer().notNull(),
    costUsd: real(),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('usage_native').on(t.sessionId, t.nativeId), index('usage_task').on(t.taskId)],
);
