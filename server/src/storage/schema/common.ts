import { text } from 'drizzle-orm/sqlite-core';

/** What tables have in common. Moments are ISO 8601 UTC strings, which sort as text. */

/** Who made a row, as events name it, and through which session; stamped on every insert by the transaction. */
export const made = { createdBy: text(), viaSessionId: text() };
