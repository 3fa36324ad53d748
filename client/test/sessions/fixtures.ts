import { Session, type SessionTask } from '@agent-console/shared/models/session';
import { Worker } from '@agent-console/shared/models/worker';
import * as v from 'valibot';

export const T = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:01:00.000Z', '2026-03-01T10:02:00.000Z'] as const;

type Nulls<T> = { [K in keyof T as null extends T[K] ? K : never]: null };

/** Returns null for each nullable field of a model, so that a new nullable field needs no line in a fixture. */
export function nullsOf<Entries extends v.ObjectEntries>(model: v.ObjectSchema<Entries, undefined>) {
  const names = Object.entries(model.entries).filter(([, field]) => v.is(field, null));
  return Object.fromEntries(names.map(([name]) => [name, null])) as Nulls<
    v.InferOutput<v.ObjectSchema<Entries, undefined>>
  >;
}

export function agentWorker(fields: Partial<Worker> = {}): Worker {
  return {
    ...nullsOf(Worker),
    id: 'w1',
    sessionId: 's1',
    type: 'agent',
    agentId: 'scripted',
    pid: 7,
    state: 'running',
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
    source: { kind: 'person', id: null },
    startedAt: T[0],
    endedAt: null,
    ...fields,
  };
}

export function gitState(ref: string): Session['gitState'] {
  return { worktreeState: 'ready', ref, baseSha: null, currentSha: null, changes: null, work: null };
}

export function session(fields: Partial<Session> = {}): Session {
  return {
    ...nullsOf(Session),
    id: 's1',
    type: 'worktree',
    worktreeId: 'wt1',
    repositoryId: 'r1',
    cwd: '/work/shop',
    agentId: 'scripted',
    driver: 'pty',
    title: '',
    labels: [],
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
    gitState: gitState('ac/checkout'),
    workers: [agentWorker()],
    queued: 0,
    resumable: true,
    reclaimable: false,
    messageCount: 0,
    createdAt: T[0],
    updatedAt: T[2],
    ...fields,
  };
}
