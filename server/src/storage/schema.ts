import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { ApprovalOption, ApprovalState } from '@agent-console/shared/models/approval';
import type { DelegationState } from '@agent-console/shared/models/delegation';
import type { EventType, SubjectKind } from '@agent-console/shared/models/event';
import type { NoticeKind } from '@agent-console/shared/models/notice';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { OutcomeSource, TaskKind, TaskStatus } from '@agent-console/shared/models/task';
import type { Scope } from '@agent-console/shared/models/token';
import type {
  ActivitySource,
  ActivityState,
  Confidence,
  Dispute,
  WorkerState,
  WorkerType,
} from '@agent-console/shared/models/worker';
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type {
  InputKind,
  InputState,
  NoticeState,
  SessionMark,
  TaskSourceKind,
  WorktreeKind,
  WorktreeState,
} from '../operations/ports/rows.ts';

/** Moments are ISO 8601 UTC strings, which sort as text. */

/** Who made a row, as events name it, and through which session; stamped on every insert by the transaction. */
const made = { createdBy: text(), viaSessionId: text() };

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
  ],
);

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

export const tasks = sqliteTable(
  'tasks',
  {
    id: text().primaryKey(),
    sessionId: text()
      .notNull()
      .references(() => sessions.id),
    kind: text().$type<TaskKind>().notNull(),
    prompt: text().notNull(),
    status: text().$type<TaskStatus>().notNull(),
    waitingFor: text().$type<'answer' | 'report'>(),
    outcomeSource: text().$type<OutcomeSource>(),
    certain: integer({ mode: 'boolean' }),
    sourceKind: text().$type<TaskSourceKind>().notNull(),
    sourceId: text(),
    notifyOnCompletion: integer({ mode: 'boolean' }).notNull(),
    delegationId: text(),
    position: real().notNull(),
    blocked: text(),
    sendNow: integer({ mode: 'boolean' }).notNull(),
    quietSince: text(),
    remindedAt: text(),
    summary: text(),
    artifacts: text({ mode: 'json' }).$type<string[]>().notNull(),
    errorCode: text(),
    errorMessage: text(),
    usage: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    version: integer().notNull(),
    createdAt: text().notNull(),
    startedAt: text(),
    endedAt: text(),
    ...made,
  },
  (t) => [
    index('tasks_session').on(t.sessionId, t.status),
    index('tasks_status').on(t.status),
    index('tasks_source').on(t.sourceId, t.status),
  ],
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

export const notices = sqliteTable(
  'notices',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    kind: text().$type<NoticeKind>().notNull(),
    aboutSessionId: text().notNull(),
    aboutTaskId: text(),
    aboutDelegationId: text(),
    title: text().notNull(),
    status: text(),
    outcomeSource: text(),
    certain: integer({ mode: 'boolean' }),
    summary: text().notNull(),
    state: text().$type<NoticeState>().notNull(),
    taskId: text(),
    createdAt: text().notNull(),
    deliveredAt: text(),
  },
  (t) => [index('notices_session').on(t.sessionId, t.state), index('notices_task').on(t.taskId)],
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
    state: text().$type<DelegationState>().notNull(),
    failedStep: text().$type<DelegationState>(),
    errorCode: text(),
    errorMessage: text(),
    warnings: text({ mode: 'json' }).$type<string[]>().notNull(),
    notify: integer({ mode: 'boolean' }).notNull(),
    /** Whether the caller was answered with `preparing`, so that a failure must reach it as a notice. */
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

export const events = sqliteTable(
  'events',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: text().notNull(),
    type: text().$type<EventType>().notNull(),
    subjectKind: text().$type<SubjectKind>().notNull(),
    subjectId: text().notNull(),
    sessionId: text(),
    actor: text().notNull(),
    viaSessionId: text(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index('events_session').on(t.sessionId, t.seq)],
);

export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    seq: integer().notNull(),
    role: text().$type<'user' | 'agent' | 'system'>().notNull(),
    kind: text().$type<'text' | 'thought' | 'toolCall' | 'plan' | 'permission' | 'notice' | 'usage'>().notNull(),
    parts: text({ mode: 'json' }).$type<Record<string, unknown>[]>().notNull(),
    source: text().$type<'acp' | 'transcript' | 'hook' | 'screen' | 'console'>().notNull(),
    logOffset: integer(),
    /** The agent's own id of it, by which it is taken in once. */
    nativeId: text(),
    createdAt: text().notNull(),
  },
  (t) => [
    uniqueIndex('messages_session').on(t.sessionId, t.seq),
    uniqueIndex('messages_native').on(t.sessionId, t.nativeId).where(sql`"nativeId" is not null`),
  ],
);

/**
 * What is searched: texts of messages, prompts that have not begun (they are messages once they have), and titles with
 * descriptions of sessions. Triggers of the migration keep these rows and the index over them as the texts are;
 * `search_texts` is the view that finds the text of each, so that none is stored twice. The index names rows by number,
 * and only a number that is a column stays the same when the file is compacted.
 */
export const searchDocuments = sqliteTable(
  'search_documents',
  {
    id: integer().primaryKey(),
    kind: text().$type<'message' | 'task' | 'session'>().notNull(),
    sourceId: text().notNull(),
    sessionId: text().notNull(),
  },
  (t) => [uniqueIndex('search_documents_source').on(t.sourceId)],
);

/** How far the conversation that an agent keeps itself has been taken in. */
export const transcripts = sqliteTable('transcripts', {
  sessionId: text()
    .primaryKey()
    .references(() => sessions.id),
  nativeId: text().notNull(),
  /** What the reader of this kind needs to go on. */
  place: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  updatedAt: text().notNull(),
});

/** Tokens of single answers of the model, each counted once however often the agent tells them. */
export const usage = sqliteTable(
  'usage',
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    taskId: text(),
    /** The agent's own id of the answer. */
    nativeId: text().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    cacheReadTokens: integer().notNull(),
    costUsd: real(),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('usage_native').on(t.sessionId, t.nativeId), index('usage_task').on(t.taskId)],
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

export const agents = sqliteTable('agents', {
  id: text().primaryKey(),
  name: text().notNull(),
  kind: text().$type<AgentKindName>().notNull().default('custom'),
  command: text({ mode: 'json' }).$type<string[]>().notNull(),
  env: text({ mode: 'json' }).$type<string[]>().notNull(),
  queueWhenUnknown: text().$type<'hold' | 'send'>().notNull(),
  createdAt: text().notNull(),
});

/** People; the local owner is one of them. */
export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    username: text(),
    email: text(),
    avatarUrl: text(),
    createdAt: text().notNull(),
    removedAt: text(),
    ...made,
  },
  (t) => [uniqueIndex('users_email').on(t.email).where(sql`email is not null and "removedAt" is null`)],
);

export const boards = sqliteTable(
  'boards',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    description: text().notNull(),
    ownerId: text().notNull(),
    createdAt: text().notNull(),
    removedAt: text(),
    ...made,
  },
  (t) => [index('boards_owner').on(t.ownerId)],
);

/** Named areas of a board, in its own units. */
export const zones = sqliteTable(
  'zones',
  {
    id: text().primaryKey(),
    boardId: text()
      .notNull()
      .references(() => boards.id),
    name: text().notNull(),
    color: text().notNull(),
    x: real().notNull(),
    y: real().notNull(),
    width: real().notNull(),
    height: real().notNull(),
    createdAt: text().notNull(),
    ...made,
  },
  (t) => [index('zones_board').on(t.boardId)],
);

/** Other MCP servers that sessions can be given. Values of headers and variables are in files of their own. */
export const mcpServers = sqliteTable('mcp_servers', {
  id: text().primaryKey(),
  name: text().notNull(),
  ownerId: text().notNull(),
  transport: text().$type<'http' | 'sse' | 'stdio'>().notNull(),
  url: text(),
  command: text({ mode: 'json' }).$type<string[]>(),
  /** Names of headers and variables, each with the id of its private value. */
  headers: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  env: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  createdAt: text().notNull(),
  removedAt: text(),
});

export const sessionMcpServers = sqliteTable(
  'session_mcp_servers',
  {
    id: text().primaryKey(),
    sessionId: text()
      .notNull()
      .references(() => sessions.id),
    mcpServerId: text()
      .notNull()
      .references(() => mcpServers.id),
    createdAt: text().notNull(),
  },
  (t) => [uniqueIndex('session_mcp_servers_pair').on(t.sessionId, t.mcpServerId)],
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
    scopes: text({ mode: 'json' }).$type<Scope[]>().notNull(),
    createdAt: text().notNull(),
    expiresAt: text(),
    revokedAt: text(),
    ...made,
  },
  (t) => [index('tokens_worker').on(t.workerId)],
);

export const loginCodes = sqliteTable('login_codes', {
  sha256: text().primaryKey(),
  userId: text().notNull(),
  expiresAt: text().notNull(),
});

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<string | number>().notNull(),
});

export const idempotency = sqliteTable(
  'idempotency',
  {
    caller: text().notNull(),
    operation: text().notNull(),
    key: text().notNull(),
    bodySha256: text().notNull(),
    /** What the operation answers to a repeat; written in the transaction of the change itself. */
    output: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** Whether the answer reached the caller; null while it is not known. */
    delivered: integer({ mode: 'boolean' }),
    createdAt: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.caller, t.operation, t.key] }),
    index('idempotency_body').on(t.caller, t.operation, t.bodySha256),
  ],
);

export const audit = sqliteTable('audit', {
  id: text().primaryKey(),
  at: text().notNull(),
  actor: text().notNull(),
  sessionId: text(),
  /** The person behind it: who called, or whose session did. */
  userId: text(),
  surface: text().notNull(),
  operation: text().notNull(),
  result: text().notNull(),
  milliseconds: real().notNull(),
});

export const mcpSessions = sqliteTable('mcp_sessions', {
  id: text().primaryKey(),
  record: text({ mode: 'json' })
    .$type<{ protocolVersion: string; client: { name: string; version: string }; watched?: readonly string[] }>()
    .notNull(),
  createdAt: text().notNull(),
  lastUsedAt: text().notNull(),
});

export const meta = sqliteTable('meta', { key: text().primaryKey(), value: text().notNull() });
