import type { Task } from '@agent-console/shared/models/task';

/** Whether a session wrote the prompt of a task for itself. */
export function isOwnPrompt({ sessionId, source }: Pick<Task, 'sessionId' | 'source'>): boolean {
  return source.kind === 'session' && source.id === sessionId;
}
