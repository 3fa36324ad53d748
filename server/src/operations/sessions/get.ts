import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { measureAll } from '../workers/resources.ts';

export function getSession(needs: Pick<Kit, 'views' | 'storage' | 'resources'>): Implementation<'sessions.get'> {
  const { views } = needs;
  return async ({ sessionId }, { surface }) => {
    const session = await views.session(sessionId);
    // The tool shows less of a session, and agents call it again and again.
    const workers =
      surface === 'mcp'
        ? session.workers.map((worker) => ({ ...worker, resources: null }))
        : await measureAll(needs, session.workers);
    return { ...session, workers, tasks: await views.tasksOf(sessionId) };
  };
}
