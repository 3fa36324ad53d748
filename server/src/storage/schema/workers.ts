import type { ApprovalOption, ApprovalState } from '@agent-console/shared/models/approval';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type {
  ActivitySource,
  ActivityState,
  Confidence,
  Dispute,
  WorkerState,
  WorkerType,
} from '@agent-console/shared/models/worker';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { InputKind, InputState } from '../../ports/rows/workers.ts';
import { sessions } from './sessions.ts';

/** Workers, what is typed to them, and what they ask. */

export const workers = sqliteTable(
  'workers',
  {
    id: text().primaryKey(),
    sessionId: text()
      .notNull()
      .references(() => sessions.id),
    type: text().$type<WorkerType>().notNull(),
    agentId: text(),
    pid: integer(),
    startTime: text(),
    state: text().$type<WorkerState>().notNull(),
    exitCode: integer(),
    signal: text(),
    activityState: text().$type<ActivityState>().notNull(),
    activitySource: text().$type<ActivitySource>().notNull(),
    activitySince: text().notNull(),
    confidence: text().$type<Confidence>().notNull(),
    /** Sources that say otherwise. */
    disputed: text({ mode: 'json' }).$type<Dispute[]>().notNull().default([]),
    /** The mode its process was started with; null where it is no agent or was not started yet. */
    permissionMode: text().$type<PermissionMode>(),
    logOffset: integer().notNull(),
    /** Output below this offset has been read for signs of activity. */
    scanOffset: integer().notNull(),
    /** Lines of its signals file below this offset have been taken in. */
    signalsOffset: integer().notNull().default(0),
    /** Offsets behind the newest signs; -1 before the first. */
    lastActiveOffset: integer().notNull(),
    lastIdleOffset: integer().notNull(),
    lastAskingOffset: integer().notNull(),
    /** Since when a person's line stands unfinished, or null. */
    dirtySince: text(),
    cols: integer().notNull(),
    rows: integer().notNull(),
    warnings: text({ mode: 'json' }).$type<string[]>().notNull(),
    createdAt: text().notNull(),
    endedAt: text(),
  },
  (t) => [index('workers_session').on(t.sessionId), index('workers_state').on(t.state)],
);

export const inputs = sqliteTable(
  'inputs',
  {
    id: text().primaryKey(),
    workerId: text()
      .notNull()
      .references(() => workers.id),
    taskId: text(),
    kind: text().$type<InputKind>().notNull(),
    text: text().notNull(),
    state: text().$type<InputState>().notNull(),
    pastedOffset: integer(),
    submittedOffset: integer(),
    acceptedBy: text(),
    createdAt: text().notNull(),
    submittedAt: text(),
  },
  (t) => [index('inputs_worker').on(t.workerId, t.state), index('inputs_task').on(t.taskId)],
);

/** Questions that an agent asks before it goes on. */
export const approvals = sqliteTable(
  'approvals',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    workerId: text()
      .notNull()
      .references(() => workers.id),
    taskId: text(),
    text: text().notNull(),
    tool: text(),
    options: text({ mode: 'json' }).$type<ApprovalOption[]>().notNull(),
    source: text().$type<ActivitySource>().notNull(),
    state: text().$type<ApprovalState>().notNull(),
    /** The option that was chosen here; null when it was answered at the keyboard or is not asked any more. */
    optionId: text(),
    answeredBy: text(),
    logOffset: integer().notNull(),
    createdAt: text().notNull(),
    endedAt: text(),
  },
  (t) => [index('approvals_state').on(t.state), index('approvals_worker').on(t.workerId, t.state)],
);
