import type { SessionStatus } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';

/** Statuses of a session that takes nothing from its queue until somebody resumes or prompts it. */
const RESTING: ReadonlySet<SessionStatus> = new Set(['stopped', 'completed', 'failed']);

/**
 * Whether the queue offers to cancel a queued task. Cancelled notices are still pending, so every other session would
 * queue or deliver them again at once.
 */
export function canCancel({ kind }: Pick<Task, 'kind'>, status: SessionStatus | undefined): boolean {
  return kind === 'prompt' || (status !== undefined && RESTING.has(status));
}
