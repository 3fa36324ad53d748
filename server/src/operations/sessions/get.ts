import { GET_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import type { Session } from '@agent-console/shared/models/session';
import { boardInList } from '../boards/rows.ts';
import type { Call, Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { presentMessage, presentRepository } from '../present.ts';
import { measureAll } from '../workers/resources.ts';
import { getWorktree } from '../worktrees/get.ts';
import { givenTo } from './given-to.ts';
import { ownOr } from './place.ts';

type Needs = Pick<Kit, 'views' | 'storage' | 'resources' | 'git' | 'places'>;

export function getSession(needs: Needs): Implementation<'sessions.get'> {
  const { views } = needs;
  return async ({ sessionId: given, includeMessages, includePlace }, call) => {
    const sessionId = ownOr(given, call);
    const session = await views.session(sessionId);
    // The tool shows less of a session, and agents call it again and again.
    const workers =
      call.surface === 'mcp'
        ? session.workers.map((worker) => ({ ...worker, resources: null }))
        : await measureAll(needs, session.workers);
    const messages = includeMessages ? { messages: await newestMessages(needs, sessionId) } : {};
    const place = includePlace ? await placeNow(needs, session, call) : {};
    const givenToAgent = await givenTo(needs.storage.read, sessionId);
    return { ...session, ...givenToAgent, workers, tasks: await views.tasksOf(sessionId), ...messages, ...place };
  };
}

/** Where a session works, as the operations for these show it; null for what it is not in, or what was removed. */
async function placeNow(needs: Needs, { worktreeId }: Session, call: Call) {
  const { read } = needs.storage;
  const row = worktreeId === null ? undefined : await read.worktrees.get(worktreeId);
  if (row === undefined || row.state === 'failed') return { worktree: null, repository: null, board: null };
  const worktree = await getWorktree(needs)({ worktreeId: row.id }, call);
  const repository = await read.repositories.get(row.repositoryId);
  const board = row.boardId === null ? undefined : await read.boards.get(row.boardId);
  return {
    worktree,
    repository: repository === undefined ? null : presentRepository(repository),
    board: board === undefined ? null : await boardInList(read, board),
  };
}

async function newestMessages({ storage }: Needs, sessionId: string): Promise<Message[]> {
  const rows = await storage.read.messages.find({ sessionId }, { order: ['-seq'], limit: GET_MESSAGES_MAX });
  return rows.reverse().map(presentMessage);
}
