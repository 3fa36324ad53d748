import type { Job } from '@agent-console/shared/models/job';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { always, author, referenceTo } from './common.ts';

/** Repositories, their worktrees, and the jobs that create them. */

export const repositories = sqliteTable(
  'repositories',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    path: text().notNull(),
    commonDir: text().notNull(),
    url: text(),
    defaultBranch: text().notNull(),
    setupCommand: text(),
    cleanupCommand: text(),
    checkCommand: text(),
    /** The folder in which the console creates worktrees of the repository. */
    worktreesDir: text().notNull(),
    nextIndex: integer().notNull().$default(always(1)),
    createdAt: text().notNull(),
    removedAt: text(),
  },
  (t) => [uniqueIndex('repositories_common_dir').on(t.commonDir).where(sql`"removedAt" is null`)],
);

export const worktrees = sqliteTable(
  'worktrees',
  {
    id: text().primaryKey(),
    repositoryId: referenceTo(() => repositories.id),
    kind: text().$type<Worktree['kind']>().notNull(),
    name: text().notNull(),
    path: text().notNull(),
    branch: text(),
    /** Whether the console created the branch, so that discarding the worktree may delete it. */
    branchCreated: integer({ mode: 'boolean' }).notNull().$default(always(false)),
    index: integer(),
    state: text().$type<Worktree['state']>().notNull(),
    baseRef: text(),
    baseSha: text(),
    currentSha: text(),
    recoveryRef: text(),
    /** The board and zone that show the worktree, and its position in board units. Null without a board. */
    boardId: text(),
    zoneId: text(),
    x: real(),
    y: real(),
    createdAt: text().notNull(),
    ...author,
  },
  (t) => [
    index('worktrees_repository').on(t.repositoryId, t.state),
    index('worktrees_board').on(t.boardId),
    uniqueIndex('worktrees_path').on(t.path).where(sql`state in ('creating', 'ready', 'removing', 'restoring')`),
    uniqueIndex('worktrees_branch')
      .on(t.repositoryId, t.branch)
      .where(sql`branch is not null and kind <> 'main' and state in ('creating', 'ready', 'removing', 'restoring')`),
  ],
);

export const jobs = sqliteTable('jobs', {
  id: text().primaryKey(),
  kind: text().$type<Job['kind']>().notNull(),
  state: text().$type<Job['state']>().notNull().$default(always('running')),
  fraction: real().notNull().$default(always(0)),
  phase: text().notNull().$default(always('queued')),
  /** Parameters for continuing or undoing the job after a crash. */
  params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  result: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  error: text({ mode: 'json' }).$type<NonNullable<Job['error']>>(),
  actor: text().notNull(),
  createdAt: text().notNull(),
  endedAt: text(),
});
