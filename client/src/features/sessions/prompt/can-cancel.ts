import type { SessionWithTasks } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';

/**
 * Whether the queue offers to cancel a queued task. Cancelled notices are still pending, and a session that is
 * not at rest may queue or deliver them again at once.
 */
export function canCancel(
  { kind }: Pick<Task, 'kind'>,
  session: Pick<SessionWithTasks, 'status' | 'pausedBy'> | undefined,
): boolean {
  return kind === 'prompt' || (session !== undefined && isAtRest(session));
}

/** Whether a session is at rest: it delivers no notices until somebody resumes or prompts it, or raises its budget. */
function isAtRest({ status, pausedBy }: Pick<SessionWithTasks, 'status' | 'pausedBy'>): boolean {
  if (pausedBy !== undefined) return pausedBy !== 'idle';
  return status === 'stopped' || status === 'completed' || status === 'failed';
}
