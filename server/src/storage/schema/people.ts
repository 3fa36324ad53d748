import type { Scope } from '@agent-console/shared/models/token';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { made } from './common.ts';

/** People, their tokens, and codes for a login. */

/** People; the local owner is one of them. */
export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    username: text(),
    email: text(),
    avatarUrl: text(),
    createdAt: text().notNull(),
    removedAt: text(),
    ...made,
  },
  (t) => [uniqueIndex('users_email').on(t.email).where(sql`email is not null and "removedAt" is null`)],
);

export const tokens = sqliteTable(
  'tokens',
  {
    id: text().primaryKey(),
    sha256: text().notNull().unique(),
    name: text().notNull(),
    kind: text().$type<'user' | 'worker'>().notNull(),
    userId: text(),
    workerId: text(),
    sessionId: text(),
    scopes: text({ mode: 'json' }).$type<Scope[]>().notNull(),
    createdAt: text().notNull(),
    expiresAt: text(),
    /** Made by a log-in of the dashboard: each use puts its end off. */
    login: integer({ mode: 'boolean' }).notNull().default(false),
    /** Noted for tokens of people only, at most once in TOKEN_USE_NOTED_MS. */
    lastUsedAt: text(),
    revokedAt: text(),
    ...made,
  },
  (t) => [index('tokens_worker').on(t.workerId)],
);

export const loginCodes = sqliteTable('login_codes', {
  sha256: text().primaryKey(),
  userId: text().notNull(),
  expiresAt: text().notNull(),
});
