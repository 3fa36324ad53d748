import type { PermissionMode } from '@agent-console/shared/models/session';
import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { SessionMark } from '../../ports/rows/sessions.ts';
import { repositories, worktrees } from './worktrees.ts';

/** Sessions. */

export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
    type: text().$type<'worktree' | 'quick'>().notNull(),
    worktreeId: text().references(() => worktrees.id),
    repositoryId: text().references(() => repositories.id),
    cwd: text().notNull(),
    agentId: text().notNull(),
    title: text().notNull(),
    description: text().notNull(),
    mark: text().$type<SessionMark>().notNull(),
    pausedBy: text().$type<'person' | 'session' | 'idle'>(),
    /** An agent exit keeps the queue until the next prompt. */
    queueHeld: integer({ mode: 'boolean' }).notNull(),
    permissionMode: text().$type<PermissionMode>().notNull(),
    requestedMode: text().$type<PermissionMode>(),
    permissionCeiling: text().$type<PermissionMode>().notNull(),
    parentSessionId: text(),
    forkedFromSessionId: text(),
    spawnPointTaskId: text(),
    forkPointTaskId: text(),
    depth: integer().notNull(),
    createdByUserId: text(),
    createdBySessionId: text(),
    viaSessionId: text(),
    /** The agent's own id of the conversation, for its resume. */
    nativeId: text(),
    /** Whether the conversation has begun, so that the next start resumes it. */
    begun: integer({ mode: 'boolean' }).notNull(),
    /** Who else may look at it: everybody here, or only who made it and the local owner. */
    visibility: text().$type<'workspace' | 'private'>().notNull().default('workspace'),
    /** Files that its first prompt names, relative to its folder. */
    contextFiles: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    messageCount: integer().notNull(),
    createdAt: text().notNull(),
    updatedAt: text().notNull(),
    archivedAt: text(),
    removedAt: text(),
  },
  (t) => [
    index('sessions_worktree').on(t.worktreeId),
    index('sessions_parent').on(t.parentSessionId),
    index('sessions_creator').on(t.createdBySessionId),
    index('sessions_fork').on(t.forkedFromSessionId),
    index('sessions_private').on(t.createdByUserId).where(sql`visibility = 'private'`),
    // Lists count the sessions that they show, and that their reader sees, without looking at rows.
    index('sessions_listed').on(t.removedAt, t.archivedAt, t.id, t.mark, t.agentId, t.visibility, t.createdByUserId),
    index('sessions_repository').on(t.repositoryId),
    check('sessions_type_and_worktree', sql`("type" = 'worktree') = ("worktreeId" is not null)`),
  ],
);
