import * as v from 'valibot';
import { idOf, nullableActor, nullableIdOf, untyped } from '../ids.ts';

const text = v.string();
const number = v.number();
const flag = v.boolean();
const nullableText = v.nullable(text);
const nullableNumber = v.nullable(number);
const json = v.unknown();
const failure = v.object({ code: text, message: text });

const session = idOf('session', 'Id of the session');
const nullableSession = nullableIdOf('session', 'Id of the session, or null');
const task = idOf('task', 'Id of the task');
const nullableTask = nullableIdOf('task', 'Id of the task, or null');
const worktree = idOf('worktree', 'Id of the worktree');
const nullableWorktree = nullableIdOf('worktree', 'Id of the worktree, or null');
const repository = idOf('repository', 'Id of the repository');
const user = idOf('user', 'Id of the user');
const board = idOf('board', 'Id of the board');
const nullableBoard = nullableIdOf('board', 'Id of the board, or null');
const zone = idOf('zone', 'Id of the zone');
const nullableZone = nullableIdOf('zone', 'Id of the zone, or null');
const worker = idOf('worker', 'Id of the worker');

/**
 * Returns the schema of an event's data. Data without a `sessionId` gets one when the event is read: that of the
 * session whose history contains the event.
 */
function data<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.partial(v.object({ sessionId: nullableSession, ...entries }));
}

/**
 * Data of event types without fields of their own. Also used for unknown event types, which a newer version of the
 * console stored.
 */
export const NO_EVENT_DATA = data({});
const origin = { parentSessionId: session, forkedFromSessionId: session, childSessionId: session };
const jobData = data({ kind: text, dryRun: flag, error: untyped(json, 'Error of the failed job') });
const boardData = data({
  boardId: board,
  name: text,
  ownerId: user,
  changed: v.array(text),
  worktreeId: worktree,
  from: board,
  worktrees: number,
});
const zoneData = data({ zoneId: zone, boardId: board, name: text });
const branchData = data({ ...origin, taskId: nullableTask });
const delegationData = data({
  state: text,
  parentSessionId: nullableSession,
  failedStep: nullableText,
  error: failure,
  branch: text,
  taskId: task,
  worktreeId: worktree,
});
const permission = v.object({ mode: text, requested: nullableText, ceiling: text });
const workerData = data({
  workerType: text,
  pid: nullableNumber,
  exitCode: nullableNumber,
  signal: nullableText,
  logOffset: number,
});
const inputData = data({ inputId: text, taskId: nullableTask, source: text, blocked: nullableText });
const approvalData = data({
  kind: text,
  workerId: worker,
  taskId: nullableTask,
  text,
  tool: nullableText,
  options: json,
  optionId: nullableText,
  label: nullableText,
  answeredBy: nullableActor('Who answered the question, or null'),
  source: text,
  state: text,
  logOffset: number,
});
const noticeData = data({ kind: text, aboutSessionId: session, status: nullableText, state: text });
const tokenData = data({ name: text, scopes: v.array(text), userId: v.nullable(user) });
const markData = data({
  sessionIds: v.array(session),
  orchestrationIds: v.array(idOf('orchestration', 'Id of the orchestration')),
});
const userData = data({ username: nullableText });
const mcpServerData = data({ name: text, transport: text });
const integrationData = data({
  worktreeId: worktree,
  repositoryId: repository,
  into: text,
  strategy: text,
  commit: nullableText,
  conflicts: number,
  error: failure,
});
const orchestrationAgentData = data({
  agentId: text,
  role: text,
  attempt: number,
  sessionId: nullableSession,
  taskId: nullableTask,
  reason: nullableText,
  exitCode: nullableNumber,
  errorMessage: nullableText,
});
const budgetData = data({ limit: text, used: number, allowed: number, exhausted: flag });
const pausedData = data({ pausedBy: nullableText });

/**
 * Every event type, `<noun>.<past participle>`, with its data. All fields are optional, because stored events may come
 * from an older version of the console. Callers who do not see every session receive only fields declared here.
 */
export const EVENT_DATA = {
  'server.started': data({ pid: number, port: number, version: text }),
  'server.crashed': data({ exitCode: nullableNumber, signal: nullableText, at: text, count: number, hung: flag }),
  'runner.lost': NO_EVENT_DATA,
  'repository.registered': data({ repositoryId: repository, name: text }),
  'repository.updated': data({ repositoryId: repository, changed: v.array(text) }),
  'repository.removed': data({ repositoryId: repository, name: text }),
  'worktree.created': data({ worktreeId: worktree, repositoryId: repository, branch: nullableText, path: text }),
  'worktree.failed': data({ worktreeId: worktree, error: failure, branch: nullableText }),
  'worktree.updated': data({
    worktreeId: worktree,
    name: text,
    state: text,
    currentSha: nullableText,
    boardId: nullableBoard,
    zoneId: nullableZone,
    x: nullableNumber,
    y: nullableNumber,
  }),
  'worktree.removed': data({ worktreeId: worktree, recoveryRef: nullableText }),
  'worktree.saved': data({ worktreeId: worktree, recoveryRef: text }),
  'worktree.restored': data({ worktreeId: worktree, branch: nullableText }),
  'overlap.found': data({ worktreeId: worktree, otherWorktreeId: worktree, conflicts: number, files: number }),
  'overlap.resolved': data({ worktreeId: worktree, otherWorktreeId: worktree }),
  'worktree.checked': data({
    worktreeId: worktree,
    commit: text,
    passed: flag,
    exitCode: nullableNumber,
    durationMs: number,
  }),
  'worktree.committed': data({ worktreeId: worktree, commit: text }),
  'worktree.discard_started': data({ worktreeId: worktree, recoveryRef: text }),
  'worktree.discard_refused': data({ worktreeId: worktree, recoveryRef: text }),
  'worktree.discarded': data({ worktreeId: worktree, recoveryRef: text, files: number }),
  'worktree.discard_undone': data({ worktreeId: worktree, recoveryRef: text, files: number }),
  'worktree.rebased': data({ worktreeId: worktree, commit: text, base: text }),
  'worktree.pushed': data({ worktreeId: worktree, branch: text, commit: text, forced: flag }),
  'integration.started': integrationData,
  'integration.integrated': integrationData,
  'integration.conflicted': integrationData,
  'integration.failed': integrationData,
  'integration.undone': integrationData,
  // Clients rely on the snake_case field names of this event.
  'orchestration.created': data({ session_id: text, objective: text, strategy: text, agent_count: number }),
  'orchestration.started': NO_EVENT_DATA,
  'orchestration.paused': data({ session_id: text, pausedBy: text, interrupt: flag }),
  'orchestration.resumed': NO_EVENT_DATA,
  'orchestration.cancelled': NO_EVENT_DATA,
  'orchestration.completed': NO_EVENT_DATA,
  'orchestration.failed': data({ errorMessage: nullableText }),
  'orchestration.archived': NO_EVENT_DATA,
  'orchestration.unarchived': NO_EVENT_DATA,
  'orchestration.agent_added': orchestrationAgentData,
  'orchestration.agent_started': orchestrationAgentData,
  'orchestration.agent_completed': orchestrationAgentData,
  'orchestration.agent_failed': orchestrationAgentData,
  'orchestration.agent_skipped': orchestrationAgentData,
  'orchestration.agent_paused': orchestrationAgentData,
  'orchestration.agent_resumed': orchestrationAgentData,
  'orchestration.agent_interrupted': orchestrationAgentData,
  'orchestration.agent_cancelled': orchestrationAgentData,
  'orchestration.agent_retried': orchestrationAgentData,
  'orchestration.agent_waited': orchestrationAgentData,
  'orchestration.progressed': data({ agentId: text, progress: nullableNumber, status: nullableText }),
  'orchestration.message_sent': data({ agentId: text, to: text, file: text }),
  'orchestration.artifact_added': data({ agentId: text, artifacts: v.array(text) }),
  'orchestration.integrated': data({ agentId: nullableText, state: text, commit: nullableText, conflicts: number }),
  'orchestration.budget_used': budgetData,
  'orchestration.recovered': data({ interrupted: v.array(text) }),
  'orchestration.cleaned_up': data({ error: failure }),
  'board.created': boardData,
  'board.updated': boardData,
  'board.duplicated': boardData,
  'board.removed': boardData,
  'zone.created': zoneData,
  'zone.updated': zoneData,
  'zone.removed': zoneData,
  'job.started': jobData,
  'job.succeeded': jobData,
  'job.failed': jobData,
  'session.created': data({
    title: text,
    agentId: text,
    worktreeId: nullableWorktree,
    parentSessionId: nullableSession,
  }),
  'session.forked': branchData,
  'session.spawned': branchData,
  'session.updated': data({
    title: text,
    description: text,
    visibility: text,
    labels: v.array(text),
    status: text,
    progress: number,
    budget: json,
    agentId: text,
    pausedBy: nullableText,
    permission: v.object({ before: permission, after: permission, loweredBy: v.optional(session) }),
  }),
  'session.paused': pausedData,
  'session.resumed': pausedData,
  'session.budget_used': budgetData,
  'session.kept': NO_EVENT_DATA,
  'session.stopped': NO_EVENT_DATA,
  'session.archived': NO_EVENT_DATA,
  'session.unarchived': NO_EVENT_DATA,
  'session.removed': data({ parentSessionId: nullableSession, forkedFromSessionId: nullableSession }),
  'session.options_changed': data({ optionId: text, value: text }),
  'conversation.grown': data({ count: number }),
  'worker.started': workerData,
  'worker.exited': workerData,
  'worker.lost': workerData,
  'worker.removed': data({ workerType: text }),
  'worker.warned': data({ warnings: v.array(text) }),
  'activity.changed': data({
    activityState: text,
    activitySource: text,
    confidence: text,
    disputed: json,
    logOffset: number,
  }),
  'task.queued': data({ status: text, kind: text }),
  'task.moved': data({ after: nullableTask }),
  'task.started': data({ status: text, kind: text, again: flag }),
  'task.progressed': data({ status: text, kind: text, progress: nullableNumber }),
  'task.waiting': data({ status: text, kind: text, waitingFor: nullableText, waitingUntil: nullableText }),
  'task.ended': data({ ...origin, status: text, kind: text, outcomeSource: text, certain: flag }),
  'input.accepted': inputData,
  'input.blocked': inputData,
  'input.uncertain': inputData,
  'approval.requested': approvalData,
  'approval.updated': approvalData,
  'approval.answered': approvalData,
  'approval.withdrawn': approvalData,
  'delegation.requested': delegationData,
  'delegation.advanced': delegationData,
  'delegation.rejected': delegationData,
  'notice.created': noticeData,
  'notice.delivered': noticeData,
  'agent.created': NO_EVENT_DATA,
  'agent.updated': NO_EVENT_DATA,
  'agent.removed': NO_EVENT_DATA,
  'agent.checked': data({ ok: flag, version: nullableText }),
  'token.created': tokenData,
  'token.revoked': tokenData,
  'user.marked': data({ ...markData.entries, readUntil: nullableText }),
  'user.pinned': data({ sessionIds: v.array(session), pinnedAt: nullableText }),
  'user.created': userData,
  'user.updated': userData,
  'user.removed': userData,
  'mcpServer.created': mcpServerData,
  'mcpServer.updated': mcpServerData,
  'mcpServer.removed': mcpServerData,
  'settings.updated': data({
    defaultAgentId: text,
    branchNames: text,
    delegationDepth: number,
    delegationChildren: number,
    liveSessions: number,
    reminderSeconds: number,
    idlePauseMinutes: number,
    orchestrationRetentionDays: number,
    archiveOrchestrations: text,
    editorCommand: text,
    editorUrl: text,
  }),
} as const satisfies Record<`${string}.${string}`, v.GenericSchema>;

export type EventType = keyof typeof EVENT_DATA;
export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

export type EventDataOf<T extends EventType> = v.InferOutput<(typeof EVENT_DATA)[T]>;
