import { text } from 'drizzle-orm/sqlite-core';

/** Columns that tables share. Timestamps are ISO 8601 UTC strings, which sort as text. */

/** Who created a row, in the form that events use, and through which session. The transaction stamps both on insert. */
export const author = { createdBy: text(), viaSessionId: text() };
