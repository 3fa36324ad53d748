import type { Budget } from '@agent-console/shared/models/budget';
import type {
  FailurePolicy,
  Orchestration,
  OrchestrationAgentState,
  OrchestrationIntegration,
  OrchestrationState,
  OrchestrationStrategy,
  RecoveryPolicy,
} from '@agent-console/shared/models/orchestration';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { always } from './common.ts';

/**
 * The events of orchestrations are in the event log, from which the view `orchestration_events` in the migrations
 * selects them.
 */

export const orchestrations = sqliteTable(
  'orchestrations',
  {
    id: text().primaryKey(),
    workspaceHash: text('workspace_hash').notNull(),
    objective: text().notNull(),
    strategy: text().$type<OrchestrationStrategy>().notNull(),
    state: text().$type<OrchestrationState>().notNull().$default(always('created')),
    createdAt: text('created_at').notNull(),
    startedAt: text('started_at'),
    completedAt: text('completed_at'),
    agentCount: integer('agent_count').notNull().default(0),
    completedAgents: integer('completed_agents').notNull().default(0),
    failedAgents: integer('failed_agents').notNull().default(0),
    metadata: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull().default({}),
    errorMessage: text('error_message'),
    repositoryId: text('repository_id').notNull(),
    /** Session whose agent created the orchestration and is notified of its end; null if a person created it. */
    createdBySessionId: text('created_by_session_id'),
    createdByUserId: text('created_by_user_id'),
    isolation: text().$type<Orchestration['isolation']>().notNull(),
    /** Worktree in which all agents work, if they share one. Null before the first agent has started. */
    worktreeId: text('worktree_id'),
    base: text().notNull(),
    maxConcurrent: integer('max_concurrent'),
    onFailure: text('on_failure').$type<FailurePolicy>().notNull(),
    onInterrupted: text('on_interrupted').$type<RecoveryPolicy>().notNull(),
    acceptUnreported: integer('accept_unreported', { mode: 'boolean' }).notNull(),
    roleLimits: text('role_limits', { mode: 'json' }).$type<Record<string, number>>().notNull(),
    budget: text({ mode: 'json' }).$type<Budget>(),
    /** Budget limits for which the creator was notified that 80 % is used. */
    budgetWarned: text('budget_warned', { mode: 'json' }).$type<(keyof Budget)[]>().notNull().default([]),
    integrate: text({ mode: 'json' }).$type<{ into: string; check: boolean; resolve: boolean }>(),
    integration: text({ mode: 'json' }).$type<OrchestrationIntegration>(),
    definition: text({ mode: 'json' }).$type<{ name: string; contentHash: string }>(),
    pausedBy: text('paused_by').$type<'person' | 'session' | 'budget'>(),
    pausedAt: text('paused_at'),
    /** Total length of the ended pauses in milliseconds. Pauses do not count as running time of the orchestration. */
    pausedMs: integer('paused_ms').notNull().default(0),
    /**
     * The largest progress since the start, or since a caller last added or retried agents. The shown progress is never
     * smaller.
     */
    progress: real().notNull().default(0),
    archivedAt: text('archived_at'),
  },
  (t) => [
    index('idx_state').on(t.state, t.id),
    index('idx_workspace').on(t.workspaceHash, t.id),
    index('idx_created').on(t.createdAt),
    index('orchestrations_creator').on(t.createdBySessionId, t.state),
    check('orchestrations_state', sql`state in ('created', 'running', 'paused', 'completed', 'failed', 'cancelled')`),
    check('orchestrations_strategy', sql`strategy in ('parallel', 'sequential', 'adaptive', 'pipeline')`),
  ],
);

export const orchestrationAgents = sqliteTable(
  'orchestration_agents',
  {
    orchestrationId: text('orchestration_id')
      .notNull()
      .references(() => orchestrations.id, { onDelete: 'cascade' }),
    agentId: text('agent_id').notNull(),
    role: text().notNull(),
    task: text().notNull(),
    state: text().$type<OrchestrationAgentState>().notNull().$default(always('pending')),
    dependencies: text({ mode: 'json' }).$type<string[]>().notNull(),
    createdAt: text('created_at').notNull(),
    startedAt: text('started_at'),
    completedAt: text('completed_at'),
    exitCode: integer('exit_code'),
    errorMessage: text('error_message'),
    /** Identifies the row; ids sort in the order in which agents were added. */
    id: text().notNull(),
    suffix: text(),
    /**
     * Why the agent waits, was paused, skipped, interrupted or cancelled, or has failed; null if there is no reason to
     * state.
     */
    reason: text(),
    stage: integer().notNull(),
    agenticTool: text('agentic_tool'),
    permissionMode: text('permission_mode').$type<PermissionMode>(),
    allowFailure: integer('allow_failure', { mode: 'boolean' }).notNull(),
    maxAttempts: integer('max_attempts').notNull(),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    attempt: integer().notNull().default(0),
    /** Session, task and worktree of the agent's latest attempt. */
    sessionId: text('session_id'),
    taskId: text('task_id'),
    worktreeId: text('worktree_id'),
    branch: text(),
    /** Newest commit of the agent's branch after its task completed. */
    commit: text(),
    progress: real(),
    status: text(),
    summary: text(),
    artifacts: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.orchestrationId, t.agentId] }),
    uniqueIndex('orchestration_agents_id').on(t.id),
    index('orchestration_agents_session').on(t.sessionId),
    index('orchestration_agents_task').on(t.taskId),
    check(
      'orchestration_agents_state',
      sql`state in ('pending', 'running', 'paused', 'interrupted', 'completed', 'failed', 'cancelled', 'skipped')`,
    ),
  ],
);

/**
 * Tasks in which an orchestration's agent worked, each with its attempt and session. An attempt has several tasks if
 * the agent was continued after an interruption or a pause.
 */
export const orchestrationAttempts = sqliteTable(
  'orchestration_attempts',
  {
    id: text().primaryKey(),
    orchestrationId: text('orchestration_id')
      .notNull()
      .references(() => orchestrations.id, { onDelete: 'cascade' }),
    agentId: text('agent_id').notNull(),
    attempt: integer().notNull(),
    sessionId: text('session_id').notNull(),
    taskId: text('task_id').notNull(),
    startedAt: text('started_at').notNull(),
    endedAt: text('ended_at'),
    state: text().$type<OrchestrationAgentState>().notNull(),
    reason: text(),
  },
  (t) => [uniqueIndex('orchestration_attempts_attempt').on(t.orchestrationId, t.agentId, t.attempt, t.taskId)],
);

/** Definitions that a person has accepted for a repository. `contentHash` is the hash of the accepted text. */
export const orchestrationDefinitions = sqliteTable(
  'orchestration_definitions',
  {
    id: text().primaryKey(),
    repositoryId: text('repository_id').notNull(),
    contentHash: text('content_hash').notNull(),
    name: text().notNull(),
    acceptedBy: text('accepted_by').notNull(),
    acceptedAt: text('accepted_at').notNull(),
  },
  (t) => [uniqueIndex('orchestration_definitions_text').on(t.repositoryId, t.contentHash)],
);
