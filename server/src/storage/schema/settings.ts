import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The tables of the owner's settings, and of single values about this data directory (`meta`), such as the id of the
 * local owner.
 */

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<string | number>().notNull(),
});

export const meta = sqliteTable('meta', { key: text().primaryKey(), value: text().notNull() });
