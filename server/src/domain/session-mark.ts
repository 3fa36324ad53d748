import { ConsoleError } from '@agent-console/shared/errors';

type Mark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';

/**
 * Whether a session wants no agent process: paused, stopped, or called done or failed and idle since for as long as the
 * setting says. What wakes it resumes its conversation.
 */
export function isAtRest({ mark, pausedBy }: { mark: Mark; pausedBy: 'person' | 'session' | 'idle' | null }): boolean {
  if (mark === 'completed' || mark === 'failed') return pausedBy === 'idle';
  return mark === 'paused' || mark === 'stopped';
}

/**
 * What is stored of a session when somebody says how it stands. `working`: a task is running or waits. Nobody can say
 * that work goes on or does not where that is not so.
 * @throws CONFLICT with what to do instead.
 */
export function markOf(
  status: 'idle' | 'running' | 'completed' | 'failed',
  { mark, working }: { mark: Mark; working: boolean },
): { mark?: Mark } {
  if (status === 'completed' || status === 'failed') return { mark: status };
  if (status === 'running') {
    if (working && mark === 'open') return {};
    throw new ConsoleError('CONFLICT', 'This session is not at work, and saying so does not start it. Prompt it.', {
      mark,
    });
  }
  if (mark === 'paused' || mark === 'stopped') {
    throw new ConsoleError('CONFLICT', `This session is ${mark}. Resume it, or give it a prompt.`, { mark });
  }
  if (working && mark === 'open') {
    throw new ConsoleError('CONFLICT', 'This session is at work. Cancel its task, or wait until it has ended.', {
      mark,
    });
  }
  return { mark: 'open' };
}
