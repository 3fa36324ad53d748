import { ConsoleError } from '@agent-console/shared/errors';

type Mark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';

/**
 * Whether a session should have no agent process, because it is paused, stopped, or marked completed or failed and then
 * paused for idleness. A later prompt resumes its conversation.
 */
export function isAtRest({ mark, pausedBy }: { mark: Mark; pausedBy: 'person' | 'session' | 'idle' | null }): boolean {
  if (mark === 'completed' || mark === 'failed') return pausedBy === 'idle';
  return mark === 'paused' || mark === 'stopped';
}

/**
 * Returns the mark to store when a caller sets the status of a session; empty for no change. A status that contradicts
 * the session's activity is rejected.
 * @param session `working`: whether it has an active task.
 * @throws CONFLICT with what to do instead.
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
      'This session is not working, and setting its status does not start it. Send it a prompt.',
      {
        mark,
      },
    );
  }
  if (mark === 'paused' || mark === 'stopped') {
    throw new ConsoleError('CONFLICT', `This session is ${mark}. Resume it or send it a prompt.`, { mark });
  }
  if (working && mark === 'open') {
    throw new ConsoleError('CONFLICT', 'This session is working. Cancel its task or wait until it has ended.', {
      mark,
    });
  }
  return { mark: 'open' };
}
