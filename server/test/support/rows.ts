import type { MessageRow, SessionRow, TaskRow } from '../../src/ports/rows.ts';

/** Whole rows for tests that care about a few of their fields. */

const at = '2026-01-01T00:00:00.000Z';

export function sessionRow(id: string, over: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    type: 'quick',
    worktreeId: null,
    repositoryId: null,
    cwd: '/code',
    agentId: 'scripted',
    title: '',
    description: '',
    mark: 'open',
    pausedBy: null,
    queueHeld: false,
    permissionMode: 'default',
    requestedMode: null,
    permissionCeiling: 'default',
    parentSessionId: null,
    forkedFromSessionId: null,
    spawnPointTaskId: null,
    forkPointTaskId: null,
    depth: 0,
    createdByUserId: null,
    createdBySessionId: null,
    viaSessionId: null,
    nativeId: null,
    begun: false,
    visibility: 'workspace',
    contextFiles: [],
    messageCount: 0,
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
    removedAt: null,
    ...over,
  };
}

export function messageRow(id: string, sessionId: string, text: string, over: Partial<MessageRow> = {}): MessageRow {
  return {
    id,
    sessionId,
    taskId: null,
    seq: Number(id.replace(/\D/g, '')),
    role: 'agent',
    kind: 'text',
    parts: [{ type: 'text', text }],
    source: 'transcript',
    logOffset: null,
    nativeId: null,
    createdAt: at,
    ...over,
  };
}

export function taskRow(id: string, sessionId: string, prompt: string, over: Partial<TaskRow> = {}): TaskRow {
  return {
    id,
    sessionId,
    kind: 'prompt',
    prompt,
    status: 'queued',
    waitingFor: null,
    outcomeSource: null,
    certain: null,
    sourceKind: 'person',
    sourceId: null,
    notifyOnCompletion: true,
    delegationId: null,
    position: 1,
    blocked: null,
    sendNow: false,
    quietSince: null,
    remindedAt: null,
    progress: null,
    summary: null,
    artifacts: [],
    errorCode: null,
    errorMessage: null,
    usage: null,
    version: 1,
    createdAt: at,
    startedAt: null,
    endedAt: null,
    ...over,
  };
}
