import { text } from 'drizzle-orm/sqlite-core';

/** Columns that tables share. Timestamps are ISO 8601 UTC strings, which sort as text. */

/** The creator of a row, in the form that events use, and the session used. The transaction sets both on insert. */
export const author = { createdBy: text(), viaSessionId: text() };
