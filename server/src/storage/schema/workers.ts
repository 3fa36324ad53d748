import type { Approval, ApprovalOption, ApprovalState, FormField } from '@agent-console/shared/models/approval';
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
import type { InputKind, InputState } from '../../domain/inputs.ts';
import type { ProtocolState, RequestId } from '../../domain/protocol.ts';
import { always, referenceTo } from './common.ts';
import { sessions } from './sessions.ts';

/**
 * MCP servers that a caller provided for one agent process: their names, and the id under which their description,
 * which contains secrets, is stored.
 */
interface ClientServers {
  valueId: string;
  names: string[];
}

export const workers = sqliteTable(
  'workers',
  {
    id: text().primaryKey(),
    sessionId: referenceTo(() => sessions.id),
    type: text().$type<WorkerType>().notNull(),
    agentId: text(),
    pid: integer(),
    startTime: text(),
    state: text().$type<WorkerState>().notNull().$default(always('starting')),
    exitCode: integer(),
    signal: text(),
    activityState: text().$type<ActivityState>().notNull().$default(always('unknown')),
    activitySource: text().$type<ActivitySource>().notNull().$default(always('process')),
    activitySince: text().notNull(),
    confidence: text().$type<Confidence>().notNull().$default(always('guess')),
    /** Activity sources that report another state than the displayed one. */
    disputed: text({ mode: 'json' }).$type<Dispute[]>().notNull().default([]),
    /**
     * Current permission mode of the process. Updated when the console requests, or the agent chooses, another mode.
     * Null for a worker that is not an agent or has not started.
     */
    permissionMode: text().$type<PermissionMode>(),
    /** State of the connection to an agent that is run over ACP. Null for an agent in a terminal. */
    protocol: text({ mode: 'json' }).$type<ProtocolState>(),
    logOffset: integer().notNull().$default(always(0)),
    /** Output offset up to which the output was scanned for activity signals. */
    scanOffset: integer().notNull().$default(always(0)),
    /** Offset up to which the signals file was read. */
    signalsOffset: integer().notNull().default(0),
    /**
     * For each kind of activity signal, the output offset directly after the newest signal, or -1 if there was none.
     */
    lastActiveOffset: integer().notNull().$default(always(-1)),
    lastIdleOffset: integer().notNull().$default(always(-1)),
    lastAskingOffset: integer().notNull().$default(always(-1)),
    /**
     * When a person last typed text into the input line without submitting it, accurate to one minute. Null if the line
     * contains no unsubmitted text of a person.
     */
    dirtySince: text(),
    cols: integer().notNull(),
    rows: integer().notNull(),
    warnings: text({ mode: 'json' }).$type<string[]>().notNull().$default(always([])),
    /** MCP servers that the caller who started the agent provided. Null if there are none. */
    clientServers: text({ mode: 'json' }).$type<ClientServers>(),
    /** Agent worker that opened this terminal over its protocol. Null for every worker that no agent opened. */
    agentWorkerId: text(),
    /** Maximum number of bytes of the terminal's output that the agent `agentWorkerId` wants to read. */
    outputLimit: integer(),
    /** Id of the message in the conversation that shows the terminal's output. */
    messageId: text(),
    createdAt: text().notNull(),
    endedAt: text(),
  },
  (t) => [index('workers_session').on(t.sessionId), index('workers_state').on(t.state)],
);

export const inputs = sqliteTable(
  'inputs',
  {
    id: text().primaryKey(),
    workerId: referenceTo(() => workers.id),
    taskId: text(),
    kind: text().$type<InputKind>().notNull(),
    text: text().notNull(),
    state: text().$type<InputState>().notNull().$default(always('queued')),
    pastedOffset: integer(),
    submittedOffset: integer(),
    acceptedBy: text(),
    createdAt: text().notNull(),
    submittedAt: text(),
  },
  (t) => [index('inputs_worker').on(t.workerId, t.state), index('inputs_task').on(t.taskId)],
);

/** Questions to people, asked by agents or, about a budget, by the console. */
export const approvals = sqliteTable(
  'approvals',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    /** Worker that asks; null if the console itself asks, because a budget is used up. */
    workerId: text().references(() => workers.id),
    /** Orchestration whose budget is used up. Null if a worker asks, or if the budget belongs to the session. */
    orchestrationId: text(),
    taskId: text(),
    text: text().notNull(),
    /** The agent's id of the request, if the agent asks over a structured protocol; otherwise null. */
    requestId: text({ mode: 'json' }).$type<RequestId>(),
    kind: text().$type<Approval['kind']>().notNull().default('question'),
    /**
     * Fields of a form, one for each value that it asks for. The values that a person enters are never stored in the
     * database.
     */
    fields: text({ mode: 'json' }).$type<FormField[]>().notNull().default([]),
    /** Page that the person is asked to open, if the question is a link. */
    url: text(),
    /** The agent's id of the link. The agent reports this id when the person has finished on the page. */
    linkId: text(),
    tool: text(),
    /** The agent's id of the tool call that the question is about, if the agent asks over a structured protocol. */
    callId: text(),
    options: text({ mode: 'json' }).$type<ApprovalOption[]>().notNull(),
    source: text().$type<ActivitySource>().notNull(),
    state: text().$type<ApprovalState>().notNull().$default(always('pending')),
    /**
     * The option that somebody chose in the console, stored before the answer is sent to the agent. Null if nobody has
     * chosen, for example because the question was answered in the terminal.
     */
    optionId: text(),
    answeredBy: text(),
    logOffset: integer().notNull(),
    createdAt: text().notNull(),
    endedAt: text(),
  },
  (t) => [index('approvals_state').on(t.state), index('approvals_worker').on(t.workerId, t.state)],
);
