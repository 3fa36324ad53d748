import { type AnySQLiteColumn, text } from 'drizzle-orm/sqlite-core';

/** Timestamps are ISO 8601 UTC strings, which sort as text. */

/**
 * Columns for the author of a row: the actor, as in events, and the session from which the call came, if any. The
 * transaction sets both on insert.
 */
export const author = { createdBy: text(), viaSessionId: text() };

/** A column with the id of a row that must exist. */
export const referenceTo = (column: () => AnySQLiteColumn) => text().notNull().references(column);

/**
 * Returns a function for drizzle's `$default` that always returns this value. drizzle sets the default on insert; the
 * table itself has no default.
 */
export function always<Value>(value: Value): () => Value {
  return () => value;
}
