import type { GitStatus } from '@agent-console/shared/models/git-status';
import type { CleanupResult, Integration, MergeConflict } from '@agent-console/shared/models/integration';
import type { Job } from '@agent-console/shared/models/job';
import type { OverlapFile } from '@agent-console/shared/models/overlap';
import type { PullRequest } from '@agent-console/shared/models/pull-request';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { always, author, referenceTo } from './common.ts';

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
    /** Shell command that creates a pull request and prints the URL of the pull request. If null, `gh pr create` is used. */
    pullRequestCommand: text(),
    /** Whether agents may integrate into the default branch. */
    agentsMayIntegrate: integer({ mode: 'boolean' }).notNull().default(false),
    /** Whether git hooks also run for commits and integrations by agents. */
    runHooks: integer({ mode: 'boolean' }).notNull().default(false),
    /** The folder in which the console creates worktrees of the repository. */
    worktreesDir: text().notNull(),
    nextIndex: integer().notNull().$default(always(1)),
    createdAt: text().notNull(),
    removedAt: text(),
  },
  (t) => [uniqueIndex('repositories_common_dir').on(t.commonDir).where(sql`"removedAt" is null`)],
);

/** A git status, with the commit of the worktree and the commit of the base for which it was computed. */
export type StoredGitStatus = Omit<GitStatus, 'check'> & { head: string; baseHead: string | null };

export const worktrees = sqliteTable(
  'worktrees',
  {
    id: text().primaryKey(),
    repositoryId: referenceTo(() => repositories.id),
    kind: text().$type<Worktree['kind']>().notNull(),
    name: text().notNull(),
    path: text().notNull(),
    branch: text(),
    /** Whether the console created the branch. If so, discarding the worktree may delete the branch. */
    branchCreated: integer({ mode: 'boolean' }).notNull().$default(always(false)),
    index: integer(),
    state: text().$type<Worktree['state']>().notNull(),
    baseRef: text(),
    baseSha: text(),
    currentSha: text(),
    recoveryRef: text(),
    /**
     * Git status as last computed, without its field `check`: the results of checks are stored in `worktree_checks`.
     */
    gitStatus: text({ mode: 'json' }).$type<StoredGitStatus>(),
    pullRequest: text({ mode: 'json' }).$type<PullRequest>(),
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
  /** Parameters that are needed to continue or undo the job after a crash. */
  params: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  result: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  error: text({ mode: 'json' }).$type<NonNullable<Job['error']>>(),
  actor: text().notNull(),
  createdAt: text().notNull(),
  endedAt: text(),
});

/** Runs of repositories' check commands. The newest run that passed or failed is the check result of its commit. */
export const worktreeChecks = sqliteTable(
  'worktree_checks',
  {
    id: text().primaryKey(),
    repositoryId: referenceTo(() => repositories.id),
    worktreeId: referenceTo(() => worktrees.id),
    jobId: text().notNull(),
    commit: text().notNull(),
    clean: integer({ mode: 'boolean' }).notNull(),
    command: text().notNull(),
    /** `lost`: the check has no result, because its process was lost. */
    state: text().$type<'running' | 'passed' | 'failed' | 'lost'>().notNull().$default(always('running')),
    exitCode: integer(),
    /** Worker that runs the repository's check command in a terminal. */
    workerId: text(),
    createdAt: text().notNull(),
    endedAt: text(),
    ...author,
  },
  (t) => [
    index('worktree_checks_commit').on(t.repositoryId, t.commit),
    index('worktree_checks_worktree').on(t.worktreeId, t.state),
  ],
);

/** Result of a clean-up. Older versions of the console stored no warnings. */
type StoredCleanup = Omit<CleanupResult, 'warnings'> & Partial<Pick<CleanupResult, 'warnings'>>;

/** Integrations of worktrees' branches into other branches. */
export const integrations = sqliteTable(
  'integrations',
  {
    id: text().primaryKey(),
    repositoryId: referenceTo(() => repositories.id),
    worktreeId: referenceTo(() => worktrees.id),
    jobId: text(),
    strategy: text().$type<Integration['strategy']>().notNull(),
    branch: text().notNull(),
    /** Commit of the worktree's branch that is integrated. */
    sourceSha: text().notNull(),
    into: text().notNull(),
    beforeSha: text().notNull(),
    /** Commit to which the target branch is moved. Null until the commit exists. */
    afterSha: text(),
    state: text().$type<Integration['state']>().notNull().$default(always('running')),
    /** Whether an undo is in progress. An undo sets the target branch back to `beforeSha`. */
    undoing: integer({ mode: 'boolean' }).notNull().default(false),
    conflicts: text({ mode: 'json' }).$type<MergeConflict[]>().notNull().$default(always([])),
    cleanup: text({ mode: 'json' }).$type<StoredCleanup>(),
    resolvingSessionId: text(),
    errorCode: text(),
    errorMessage: text(),
    createdAt: text().notNull(),
    endedAt: text(),
    ...author,
  },
  (t) => [
    index('integrations_repository').on(t.repositoryId, t.createdAt),
    index('integrations_worktree').on(t.worktreeId, t.createdAt),
    index('integrations_state').on(t.state),
  ],
);

/** Pairs of worktrees that change the same files. `worktreeId` is the smaller of the two ids. */
export const overlaps = sqliteTable(
  'overlaps',
  {
    id: text().primaryKey(),
    repositoryId: referenceTo(() => repositories.id),
    worktreeId: referenceTo(() => worktrees.id),
    otherWorktreeId: referenceTo(() => worktrees.id),
    files: text({ mode: 'json' }).$type<OverlapFile[]>().notNull(),
    /**
     * Time at which the console notified the common parent of two sessions in these worktrees that their files
     * conflict; null if it did not.
     */
    toldAt: text(),
    computedAt: text().notNull(),
    createdAt: text().notNull(),
  },
  (t) => [
    index('overlaps_repository').on(t.repositoryId),
    uniqueIndex('overlaps_pair').on(t.worktreeId, t.otherWorktreeId),
  ],
);
