import { ConsoleError } from '@agent-console/shared/errors';
import type { OperationContext } from '../context.ts';

/** Refuses what must start or reach a process, before anything of it is stored, while there is nobody to do that. */
export function refuseWithoutRunner({ runner }: Pick<OperationContext, 'runner'>): void {
  if (!runner.gone) return;
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    'The runner is gone, so no agent can be started or reached until a person runs `agent-console serve`, which starts the next one.',
    {},
    { retryable: false },
  );
}

/**
 * Refuses to make one more session live beyond the total; a session that lives already is not one more. Without a runner
 * none can be.
 */
export async function refuseUnlessMayLive(
  needs: Pick<OperationContext, 'views' | 'settings' | 'runner'>,
  sessionId: string,
): Promise<void> {
  refuseWithoutRunner(needs);
  const live = await needs.views.liveSessionIds();
  const { liveSessions } = await needs.settings.current();
  if (live.length < liveSessions || live.includes(sessionId)) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `${live.length} sessions are live in this console (setting liveSessions: ${liveSessions}). Stop or pause one first.`,
    { limit: 'liveSessions', value: liveSessions },
  );
}
