import { type AnySQLiteColumn, text } from 'drizzle-orm/sqlite-core';

/** Columns that tables share. Timestamps are ISO 8601 UTC strings, which sort as text. */

/**
 * The creator of a row, in the form that events use, and the session through which it was created. The transaction sets
 * both on insert.
 */
export const author = { createdBy: text(), viaSessionId: text() };

/** The id of a row that must exist. */
export const referenceTo = (column: () => AnySQLiteColumn) => text().notNull().references(column);

/** A default for `$default`, which fills in new rows and is not part of the table. */
export function always<Value>(value: Value): () => Value {
  return () => value;
}
