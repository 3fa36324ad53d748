import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';

const AT = '2026-01-01T00:00:00.000Z';

export function message(seq: number, taskId: string | null, text: string, more: Partial<Message> = {}): Message {
  return {
    id: `m${seq}`,
    sessionId: 's',
    taskId,
    seq,
    role: 'user',
    kind: 'text',
    parts: [{ type: 'text', text }],
    source: 'console',
    logOffset: null,
    revision: seq,
    createdAt: AT,
    ...more,
  };
}

/** Returns a completed task. */
export function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    sessionId: 's',
    kind: 'prompt',
    prompt: '',
    status: 'completed',
    waitingFor: null,
    outcomeSource: 'report',
    certain: true,
    progress: null,
    source: { kind: 'person', id: 'u' },
    queuePosition: null,
    blocked: null,
    summary: null,
    artifacts: [],
    error: null,
    usage: null,
    version: 1,
    createdAt: AT,
    startedAt: AT,
    endedAt: AT,
    ...more,
  };
}
