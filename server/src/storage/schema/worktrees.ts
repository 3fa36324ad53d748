import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { WorktreeKind, WorktreeState } from '../../ports/rows/worktrees.ts';
import { made } from './common.ts';

/** Repositories, their worktrees, and the jobs that make them. */

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
    /** Folder that holds its managed worktrees. */
    worktreesDir: text().notNull(),
    nextIndex: integer().notNull(),
    createdAt: text().notNull(),
    removedAt: text(),
  },
  (t) => [uniqueIndex('repositories_common_dir').on(t.commonDir).where(sql`"removedAt" is null`)],
);

export const worktrees = sqliteTable(
  'worktrees',
  {
    id: text().primaryKey(),
    repositoryId: text()
      .notNull()
      .references(() => repositories.id),
    kind: text().$type<WorktreeKind>().notNull(),
    name: text().notNull(),
    path: text().notNull(),
    branch: text(),
    /** Whether we made the branch, so that undoing the worktree may delete it. */
    branchCreated: integer({ mode: 'boolean' }).notNull(),
    index: integer(),
    state: text().$type<WorktreeState>().notNull(),
    baseRef: text(),
    baseSha: text(),
    currentSha: text(),
    recoveryRef: text(),
    /** Where it lies: the board and its zone, and where on it in the board's own units; null off every board. */
    boardId: text(),
    zoneId: text(),
    x: real(),
    y: real(),
    createdAt: text().notNull(),
    ...made,
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
  kind: text().$type<'repository-clone' | 'worktree-creation'>().notNull(),
  state: text().$type<'running' | 'succeeded' | 'failed'>().notNull(),
  fraction: real().notNull(),
  phase: text().notNull(),
  /** What is needed to go on or to undo after a crash. */
  params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  result: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  error: text({ mode: 'json' }).$type<{ code: string; message: string; details: Record<string, unknown> }>(),
  actor: text().notNull(),
  createdAt: text().notNull(),
  endedAt: text(),
});
