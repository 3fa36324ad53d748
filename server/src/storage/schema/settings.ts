import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What the owner tuned, and what the console notes for itself. */

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<string | number>().notNull(),
});

export const meta = sqliteTable('meta', { key: text().primaryKey(), value: text().notNull() });
