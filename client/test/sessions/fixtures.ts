import type { Session, SessionTask } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';

/** Time stamps in order. */
export const T = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:01:00.000Z', '2026-03-01T10:02:00.000Z'] as const;

export function agentWorker(fields: Partial<Worker> = {}): Worker {
  return {
    id: 'w1',
    sessionId: 's1',
    type: 'agent',
    agentId: 'scripted',
    pid: 7,
    state: 'running',
    exitCode: null,
    signal: null,
    activityState: 'idle',
    activitySource: 'hook',
    activitySince: T[1],
    confidence: 'certain',
    disputed: [],
    logOffset: 0,
    warnings: [],
    createdAt: T[0],
    ...fields,
  };
}

export function task(fields: Partial<SessionTask> = {}): SessionTask {
  return {
    id: 't1',
    status: 'running',
    waitingFor: null,
    outcomeSource: null,
    certain: null,
    progress: null,
    summary: null,
    error: null,
    startedAt: T[0],
    endedAt: null,
    ...fields,
  };
}

export function session(fields: Partial<Session> = {}): Session {
  return {
    id: 's1',
    type: 'worktree',
    worktreeId: 'wt1',
    repositoryId: 'r1',
    cwd: '/work/shop',
    agentId: 'scripted',
    title: '',
    description: '',
    status: 'idle',
    permissionConfig: {
      mode: 'acceptEdits',
      requestedMode: null,
      applies: 'now',
      ceiling: 'acceptEdits',
      allowedTools: [],
    },
    genealogy: {
      parentSessionId: null,
      forkedFromSessionId: null,
      spawnPointTaskId: null,
      forkPointTaskId: null,
      children: [],
    },
    depth: 0,
    visibility: 'workspace',
    createdByUserId: null,
    createdBySessionId: null,
    viaSessionId: null,
    gitState: { ref: 'ac/checkout', baseSha: null, currentSha: null },
    workers: [agentWorker()],
    task: null,
    outcome: null,
    queued: 0,
    reclaimable: false,
    messageCount: 0,
    createdAt: T[0],
    updatedAt: T[2],
    archivedAt: null,
    ...fields,
  };
}
