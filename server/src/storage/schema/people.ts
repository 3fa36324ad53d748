import type { Scope } from '@agent-console/shared/models/token';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { always, author } from './common.ts';

/** Users, including the local owner. */
export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    username: text(),
    email: text(),
    avatarUrl: text(),
    createdAt: text().notNull(),
    removedAt: text(),
    ...author,
  },
  (t) => [uniqueIndex('users_email').on(t.email).where(sql`email is not null and "removedAt" is null`)],
);

/**
 * Users' read marks and pins: the time up to which a user has read the outcomes of a session or orchestration, and
 * the time at which the user pinned it.
 */
export const marks = sqliteTable(
  'marks',
  {
    /** `<user id> <subject id>`, so that a user has at most one row per subject. */
    id: text().primaryKey(),
    userId: text().notNull(),
    subjectKind: text().$type<'session' | 'orchestration'>().notNull(),
    subjectId: text().notNull(),
    readUntil: text(),
    pinnedAt: text(),
  },
  (t) => [index('marks_user').on(t.userId), index('marks_subject').on(t.subjectId)],
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
    scopes: text({ mode: 'json' }).$type<Scope[]>().notNull().$default(always([])),
    createdAt: text().notNull(),
    expiresAt: text(),
    /** Whether the token was created by a login to the dashboard. Using such a token extends `expiresAt`. */
    login: integer({ mode: 'boolean' }).notNull().default(false),
    /**
     * Time of the last use. Recorded only for tokens of users, not of workers, and at most once per
     * TOKEN_USE_STORED_MS.
     */
    lastUsedAt: text(),
    revokedAt: text(),
    ...author,
  },
  (t) => [index('tokens_worker').on(t.workerId)],
);

export const loginCodes = sqliteTable('login_codes', {
  sha256: text().primaryKey(),
  userId: text().notNull(),
  expiresAt: text().notNull(),
});
