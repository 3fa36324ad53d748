import type { DelegationState } from '@agent-console/shared/models/delegation';
import type { PromptImage } from '@agent-console/shared/models/image';
import type { Notice, NoticeKind } from '@agent-console/shared/models/notice';
import type { OutcomeSource, Task, TaskKind, TaskStatus, TaskUsage } from '@agent-console/shared/models/task';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { always, author, referenceTo } from './common.ts';
import { sessions } from './sessions.ts';

export const tasks = sqliteTable(
  'tasks',
  {
    id: text().primaryKey(),
    sessionId: referenceTo(() => sessions.id),
    kind: text().$type<TaskKind>().notNull(),
    prompt: text().notNull(),
    /** Images that the agent sees with the prompt. The content of the images is in files. */
    images: text({ mode: 'json' }).$type<PromptImage[]>().notNull().default([]),
    status: text().$type<TaskStatus>().notNull().$default(always('queued')),
    waitingFor: text().$type<'answer' | 'report' | 'quota'>(),
    /** Time at which the console continues a task that waits for the reset of a usage limit; otherwise null. */
    waitingUntil: text(),
    outcomeSource: text().$type<OutcomeSource>(),
    certain: integer({ mode: 'boolean' }),
    sourceKind: text().$type<Task['source']['kind']>().notNull(),
    sourceId: text(),
    notifyOnCompletion: integer({ mode: 'boolean' }).notNull().$default(always(false)),
    delegationId: text(),
    position: real().notNull().$default(always(0)),
    blocked: text(),
    sendNow: integer({ mode: 'boolean' }).notNull().$default(always(false)),
    quietSince: text(),
    remindedAt: text(),
    /** The latest reported progress, 0 to 1. */
    progress: real(),
    summary: text(),
    artifacts: text({ mode: 'json' }).$type<string[]>().notNull().$default(always([])),
    errorCode: text(),
    errorMessage: text(),
    usage: text({ mode: 'json' }).$type<TaskUsage>(),
    version: integer().notNull().$default(always(1)),
    createdAt: text().notNull(),
    startedAt: text(),
    endedAt: text(),
    ...author,
  },
  (t) => [
    index('tasks_session').on(t.sessionId, t.status),
    index('tasks_status').on(t.status),
    index('tasks_source').on(t.sourceId, t.status),
  ],
);

export const delegations = sqliteTable(
  'delegations',
  {
    id: text().primaryKey(),
    parentSessionId: text(),
    repositoryId: text().notNull(),
    sessionId: text().notNull(),
    workerId: text().notNull(),
    taskId: text().notNull(),
    worktreeId: text().notNull(),
    worktreePath: text().notNull(),
    branch: text().notNull(),
    base: text().notNull(),
    useRemote: integer({ mode: 'boolean' }).notNull(),
    state: text().$type<DelegationState>().notNull().$default(always('requested')),
    failedStep: text().$type<DelegationState>(),
    errorCode: text(),
    errorMessage: text(),
    warnings: text({ mode: 'json' }).$type<string[]>().notNull(),
    notify: integer({ mode: 'boolean' }).notNull(),
    /**
     * Whether the call that requested the delegation returned before the delegation was prepared, so that a failure
     * must be reported to the caller in a notice.
     */
    answered: integer({ mode: 'boolean' }).notNull(),
    createdAt: text().notNull(),
    updatedAt: text().notNull(),
  },
  (t) => [
    index('delegations_parent').on(t.parentSessionId),
    index('delegations_state').on(t.state),
    index('delegations_session').on(t.sessionId),
  ],
);

export const notices = sqliteTable(
  'notices',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    kind: text().$type<NoticeKind>().notNull(),
    aboutSessionId: text().notNull(),
    aboutTaskId: text(),
    aboutDelegationId: text(),
    /** Orchestration that the notice is about. `aboutSessionId` is then the receiving session. */
    aboutOrchestrationId: text(),
    title: text().notNull(),
    status: text(),
    outcomeSource: text(),
    certain: integer({ mode: 'boolean' }),
    summary: text().notNull(),
    state: text().$type<Notice['state']>().notNull(),
    taskId: text(),
    createdAt: text().notNull(),
    deliveredAt: text(),
  },
  (t) => [index('notices_session').on(t.sessionId, t.state), index('notices_task').on(t.taskId)],
);
