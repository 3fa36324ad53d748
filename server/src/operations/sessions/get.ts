import { GET_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import type { Session } from '@agent-console/shared/models/session';
import type { Call } from '../../domain/call.ts';
import { boardInList } from '../../engine/boards/rows.ts';
import { presentMessage, presentRepository } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { measureAll } from '../workers/resources.ts';
import { getWorktree } from '../worktrees/get.ts';
import { attachmentsOf } from './attachments.ts';
import { sessionOrOwn } from './location.ts';

type Needs = Pick<OperationContext, 'views' | 'storage' | 'resources' | 'git' | 'host'>;

export function getSession(needs: Needs): Implementation<'sessions.get'> {
  const { views } = needs;
  return async ({ sessionId: given, includeMessages, messagesFrom, includePlace }, call) => {
    const sessionId = sessionOrOwn(given, call);
    const session = await views.session(sessionId);
    // The tool shows less of a session, and agents call it again and again.
    const workers =
      call.surface === 'mcp'
        ? session.workers.map((worker) => ({ ...worker, resources: null }))
        : await measureAll(needs, session.workers);
    const asked = includeMessages || messagesFrom !== undefined;
    const messages = asked ? { messages: await messagesOf(needs, sessionId, messagesFrom) } : {};
    const place = includePlace ? await placeNow(needs, session, call) : {};
    const givenToAgent = await attachmentsOf(needs.storage.read, sessionId);
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

/** The messages from a number on, or the newest ones; oldest first. */
async function messagesOf({ storage }: Needs, sessionId: string, from: number | undefined): Promise<Message[]> {
  const { messages } = storage.read;
  const limit = GET_MESSAGES_MAX;
  const rows =
    from === undefined
      ? (await messages.find({ sessionId }, { order: ['-seq'], limit })).reverse()
      : await messages.find({ sessionId, seq: { above: from - 1 } }, { order: ['seq'], limit });
  return rows.map(presentMessage);
}
