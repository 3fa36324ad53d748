import type { Budget } from '@agent-console/shared/models/budget';
import type { PermissionMode, Session, Visibility } from '@agent-console/shared/models/session';
import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { PausedBy, SessionMark } from '../../domain/session-mark.ts';
import { always } from './common.ts';
import { repositories, worktrees } from './worktrees.ts';

export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
    type: text().$type<Session['type']>().notNull(),
    worktreeId: text().references(() => worktrees.id),
    repositoryId: text().references(() => repositories.id),
    cwd: text().notNull(),
    agentId: text().notNull(),
    title: text().notNull(),
    description: text().notNull(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    mark: text().$type<SessionMark>().notNull().$default(always('open')),
    pausedBy: text().$type<PausedBy>(),
    /**
     * Whether the console holds queued prompts until somebody sends a new prompt, for example after the agent has
     * exited.
     */
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
    /** Orchestration for which the session's agent works, or null. */
    orchestrationId: text(),
    /** Budget of the session and its descendants, or null. */
    budget: text({ mode: 'json' }).$type<Budget>(),
    budgetWarned: text({ mode: 'json' }).$type<(keyof Budget)[]>().notNull().default([]),
    viaSessionId: text(),
    /** The agent's own ID of the conversation, with which the agent can resume the conversation. */
    nativeId: text(),
    /** Whether the conversation has begun. If so, the next start of the agent resumes it. */
    begun: integer({ mode: 'boolean' }).notNull().$default(always(false)),
    /** Who may read the session: every user, or only its creator and the local owner. */
    visibility: text().$type<Visibility>().notNull().default('workspace'),
    /**
     * Values that people chose for options of the agent, by option id. The console sets them again in each new process
     * of the agent.
     */
    optionValues: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    /** Files that the first prompt names, relative to `cwd`. */
    contextFiles: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    messageCount: integer().notNull().$default(always(0)),
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
    // Contains every column that is needed to count the sessions that a caller may see, so that SQLite need not read
    // the rows.
    index('sessions_listed').on(t.removedAt, t.archivedAt, t.id, t.mark, t.agentId, t.visibility, t.createdByUserId),
    index('sessions_repository').on(t.repositoryId),
    check('sessions_type_and_worktree', sql`("type" = 'worktree') = ("worktreeId" is not null)`),
  ],
);
