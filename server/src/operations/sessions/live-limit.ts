import { ConsoleError } from '@agent-console/shared/errors';
import type { Kit } from '../kit.ts';

/** Refuses to make one more session live beyond the total; a session that lives already is not one more. */
export async function refuseBeyondLiveLimit(
  { views, settings }: Pick<Kit, 'views' | 'settings'>,
  sessionId: string,
): Promise<void> {
  const live = await views.liveSessionIds();
  const { liveSessions } = await settings.current();
  if (live.length < liveSessions || live.includes(sessionId)) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `${live.length} sessions are live in this console (setting liveSessions: ${liveSessions}). Stop or pause one first.`,
    { limit: 'liveSessions', value: liveSessions },
  );
}
