import { ConsoleError } from '@agent-console/shared/errors';

type Mark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';

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
