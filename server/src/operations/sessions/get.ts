import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';

export function getSession({ views }: Pick<Kit, 'views'>): Implementation<'sessions.get'> {
  return async ({ sessionId }) => ({ ...(await views.session(sessionId)), tasks: await views.tasksOf(sessionId) });
}
