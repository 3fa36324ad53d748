import { cutSummary } from '@agent-console/shared/cut';
import { ConsoleError, type ErrorBody } from '@agent-console/shared/errors';
import { SESSION_TASK_SUMMARY_CHARS, TASK_SUMMARY_CHARS } from '@agent-console/shared/limits/answers';
import { INTEGRATION_UNDO_MS } from '@agent-console/shared/limits/git';
import type { Approval } from '@agent-console/shared/models/approval';
import type { CheckResult } from '@agent-console/shared/models/check-result';
import type { Delegation } from '@agent-console/shared/models/delegation';
import type { Integration } from '@agent-console/shared/models/integration';
import type { Job } from '@agent-console/shared/models/job';
import type { Message } from '@agent-console/shared/models/message';
import type { Notice } from '@agent-console/shared/models/notice';
import type { Repository } from '@agent-console/shared/models/repository';
import type { SessionTask } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import type { Token } from '@agent-console/shared/models/token';
import type { Worker } from '@agent-console/shared/models/worker';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Caller } from '../domain/caller.ts';
import type {
  ApprovalRow,
  DelegationRow,
  IntegrationRow,
  JobRow,
  MessageRow,
  NoticeRow,
  RepositoryRow,
  TaskRow,
  TokenRow,
  WorkerRow,
  WorktreeRow,
} from '../ports/rows.ts';
import { stepsOf } from './commands/steps.ts';

/** The functions in this file convert stored rows to the models that callers receive. */

export function presentRepository(row: RepositoryRow): Repository {
  const { commonDir: _, worktreesDir: _folder, nextIndex: _next, removedAt: _removed, ...shown } = row;
  return shown;
}

/** @param check result of the check command for the current commit, or null */
export function presentWorktree(row: WorktreeRow, check: CheckResult | null): Worktree {
  const { id, repositoryId, kind, name, path, branch, index, state, currentSha, baseSha, recoveryRef, createdAt } = row;
  return {
    id,
    repositoryId,
    kind,
    name,
    path,
    branch,
    index,
    state,
    gitState: { currentSha, baseSha, hasChanges: row.gitStatus === null ? null : row.gitStatus.dirtyFiles > 0 },
    gitStatus: presentGitStatus(row, check),
    pullRequest: row.pullRequest,
    recoveryRef,
    boardId: row.boardId,
    zoneId: row.zoneId,
    x: row.x,
    y: row.y,
    createdAt,
  };
}

function presentGitStatus({ gitStatus }: WorktreeRow, check: CheckResult | null): Worktree['gitStatus'] {
  if (gitStatus === null) return null;
  const { head: _head, baseHead: _baseHead, ...shown } = gitStatus;
  // Git statuses stored by earlier builds have no `changes`.
  return { ...shown, changes: shown.changes ?? null, check };
}

export function presentWorker(row: WorkerRow): Worker {
  const { id, sessionId, type, agentId, pid, state, exitCode, signal, warnings, createdAt } = row;
  const { activityState, activitySource, activitySince, confidence, disputed, logOffset } = row;
  return {
    id,
    sessionId,
    type,
    agentId,
    agentWorkerId: row.agentWorkerId,
    pid: state === 'running' ? pid : null,
    state,
    exitCode,
    signal,
    activityState,
    activitySource,
    activitySince,
    confidence,
    disputed,
    logOffset,
    warnings,
    createdAt,
  };
}

function storedError(row: { errorCode: string | null; errorMessage: string | null }) {
  return row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' };
}

export function presentTask(row: TaskRow, queuePosition: number | null): Task {
  return {
    id: row.id,
    sessionId: row.sessionId,
    kind: row.kind,
    prompt: row.prompt,
    ...(row.images.length > 0 && { images: row.images }),
    status: row.status,
    waitingFor: row.waitingFor,
    waitingUntil: row.waitingFor === 'quota' ? row.waitingUntil : null,
    outcomeSource: row.outcomeSource,
    certain: row.certain,
    source: { kind: row.sourceKind, id: row.sourceId },
    queuePosition,
    progress: row.progress,
    blocked: row.blocked,
    summary: row.summary,
    artifacts: row.artifacts,
    error: storedError(row),
    usage: row.usage,
    version: row.version,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  };
}

/** Returns the task with a truncated summary, for lists. */
export function cutTask(task: Task): Task {
  return { ...task, ...cutSummary(task.summary, TASK_SUMMARY_CHARS) };
}

export function presentSessionTask(row: TaskRow): SessionTask {
  const { id, status, waitingFor, outcomeSource, certain, progress, startedAt, endedAt } = row;
  const summary = cutSummary(row.summary, SESSION_TASK_SUMMARY_CHARS);
  const source = { kind: row.sourceKind, id: row.sourceId };
  const outcome = { status, waitingFor, outcomeSource, certain, progress };
  return { id, ...outcome, ...summary, error: storedError(row), source, startedAt, endedAt };
}

export function presentNotice(row: NoticeRow): Notice {
  const { id, sessionId, kind, status, outcomeSource, certain, summary, state, taskId, createdAt, deliveredAt } = row;
  const about = {
    sessionId: row.aboutSessionId,
    taskId: row.aboutTaskId,
    delegationId: row.aboutDelegationId,
    orchestrationId: row.aboutOrchestrationId,
    title: row.title,
  };
  return { id, sessionId, kind, about, status, outcomeSource, certain, summary, state, taskId, createdAt, deliveredAt };
}

export function presentDelegation(row: DelegationRow): Delegation {
  const { id, parentSessionId, sessionId, workerId, taskId, worktreeId, worktreePath, branch } = row;
  const { state, failedStep, warnings, createdAt, updatedAt } = row;
  const created = { id, parentSessionId, sessionId, workerId, taskId, worktreeId, worktreePath, branch };
  return { ...created, state, failedStep, error: storedError(row), warnings, createdAt, updatedAt };
}

export function presentApproval({
  logOffset: _,
  requestId: _requestId,
  linkId: _linkId,
  ...row
}: ApprovalRow): Approval {
  return row;
}

export function presentJob(row: JobRow): Job {
  const step = Object.values(stepsOf(row)).at(-1);
  const terminal = step === undefined ? {} : { terminal: { sessionId: step.sessionId, workerId: step.workerId } };
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    progress: { fraction: row.fraction, phase: row.phase, ...terminal },
    ...(row.result === null ? {} : { result: row.result }),
    ...(row.error === null ? {} : { error: row.error }),
    createdAt: row.createdAt,
    endedAt: row.endedAt,
  };
}

export function presentIntegration(row: IntegrationRow, now: Date): Integration {
  const { id, repositoryId, worktreeId, jobId, strategy, branch, into, state, beforeSha, afterSha, conflicts } = row;
  const { cleanup, resolvingSessionId, createdAt, endedAt } = row;
  const until = state === 'integrated' && afterSha !== beforeSha ? Date.parse(endedAt ?? '') + INTEGRATION_UNDO_MS : 0;
  return {
    id,
    repositoryId,
    worktreeId,
    jobId,
    strategy,
    branch,
    into,
    state,
    before: beforeSha,
    commit: state === 'integrated' || state === 'undone' ? afterSha : null,
    conflicts,
    cleanup: cleanup === null ? null : { ...cleanup, warnings: cleanup.warnings ?? [] },
    resolvingSessionId,
    error: storedError(row),
    undoableUntil: until > now.getTime() ? new Date(until).toISOString() : null,
    createdAt,
    endedAt,
  };
}

export function presentMessage(row: MessageRow): Message {
  const { nativeId: _, ...shown } = row;
  return shown;
}

export function presentToken(row: TokenRow, caller: Caller): Token {
  const { id, name, kind, userId, workerId, scopes, createdAt, expiresAt, login, lastUsedAt } = row;
  const current = caller.kind === 'user' && caller.tokenId === id;
  return { id, name, kind, userId, workerId, scopes, createdAt, expiresAt, login, lastUsedAt, current };
}

/**
 * Converts an error to the form that jobs and delegations store. The message of an unexpected error may contain
 * internal details and is replaced.
 */
export function toStoredError(error: unknown): ErrorBody['error'] {
  const known =
    error instanceof ConsoleError
      ? error
      : new ConsoleError('INTERNAL', 'Internal error. See the server log for details.');
  return known.toBody().error;
}
