import { GET_MESSAGES_MAX } from '@agent-console/shared/limits';
import type { Message } from '@agent-console/shared/models/message';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { presentMessage } from '../present.ts';
import { measureAll } from '../workers/resources.ts';
import { ownOr } from './place.ts';

type Needs = Pick<Kit, 'views' | 'storage' | 'resources'>;

export function getSession(needs: Needs): Implementation<'sessions.get'> {
  const { views } = needs;
  return async ({ sessionId: given, includeMessages }, call) => {
    const sessionId = ownOr(given, call);
    const session = await views.session(sessionId);
    // The tool shows less of a session, and agents call it again and again.
    const workers =
      call.surface === 'mcp'
        ? session.workers.map((worker) => ({ ...worker, resources: null }))
        : await measureAll(needs, session.workers);
    const messages = includeMessages ? { messages: await newestMessages(needs, sessionId) } : {};
    return { ...session, workers, tasks: await views.tasksOf(sessionId), ...messages };
  };
}

async function newestMessages({ storage }: Needs, sessionId: string): Promise<Message[]> {
  const rows = await storage.read.messages.find({ sessionId }, { order: ['-seq'], limit: GET_MESSAGES_MAX });
  return rows.reverse().map(presentMessage);
}
