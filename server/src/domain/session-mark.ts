import { ConsoleError } from '@agent-console/shared/errors';

type Mark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';

/**
 * Whether a session should have no agent process: it is paused or stopped, or was paused as idle after it was marked
 * completed or failed.
 */
export function isAtRest({ mark, pausedBy }: { mark: Mark; pausedBy: string | null }): boolean {
  if (mark === 'completed' || mark === 'failed') return pausedBy === 'idle';
  return mark === 'paused' || mark === 'stopped';
}

/**
 * Returns the mark to store when a caller sets this status; empty if the mark stays the same.
 * @param session.working whether the session has an active task.
 * @throws CONFLICT if the status contradicts the session's activity.
 */
export function markForStatus(
  status: 'idle' | 'running' | 'completed' | 'failed',
  { mark, working }: { mark: Mark; working: boolean },
): { mark?: Mark } {
  if (status === 'completed' || status === 'failed') return { mark: status };
  if (status === 'running') {
    if (working && mark === 'open') return {};
    throw new ConsoleError(
      'CONFLICT',
      'The status running cannot be set directly. Send the session a prompt to start it.',
      { mark },
    );
  }
  if (mark === 'paused' || mark === 'stopped') {
    throw new ConsoleError('CONFLICT', `This session is ${mark}. Resume it or send it a prompt.`, { mark });
  }
  if (working && mark === 'open') {
    throw new ConsoleError('CONFLICT', 'This session is working. Cancel its task, or wait until the task has ended.', {
      mark,
    });
  }
  return { mark: 'open' };
}
