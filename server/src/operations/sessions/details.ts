import { GENEALOGY_MAX, GET_MESSAGES_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import type { Session, SessionAttachments } from '@agent-console/shared/models/session';
import type { Descendant, Relative } from '@agent-console/shared/operations/session-prompts';
import type { Call } from '../../domain/call.ts';
import { sessionOrOwn } from '../../domain/call.ts';
import { toPublicEvent } from '../../engine/access/public-event.ts';
import { boardInList } from '../../engine/boards/rows.ts';
import { useOf } from '../../engine/budgets/use.ts';
import { attachedTo } from '../../engine/mcp-servers/attached.ts';
import { presentMessage, presentNotice, presentRepository, presentWorker } from '../../engine/present.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { pageOf, slicePage } from '../paging.ts';
import { measureAll } from '../resources.ts';
import { getWorktree } from '../worktrees.ts';

function getSession(context: OperationContext): Implementation<'sessions.get'> {
  const { views } = context;
  return async ({ sessionId: requestedId, includeMessages, messagesFrom, includePlace }, call) => {
    const sessionId = sessionOrOwn(requestedId, call);
    const session = await views.session(sessionId);
    // MCP tools do not return resource use, because agents call them often, and measuring reads every process of the
    // machine.
    const workers =
      call.surface === 'mcp'
        ? session.workers.map((worker) => ({ ...worker, resources: null }))
        : await measureAll(context, session.workers);
    const withMessages = includeMessages || messagesFrom !== undefined;
    const messages = withMessages ? { messages: await messagesOf(context, sessionId, messagesFrom) } : {};
    const location = includePlace ? await currentLocation(context, session, call) : {};
    const attachments = await attachmentsOf(context.storage.read, sessionId);
    const budget = await budgetOf(context, sessionId);
    return {
      ...session,
      ...attachments,
      ...budget,
      workers,
      tasks: await views.tasksOf(sessionId),
      ...messages,
      ...location,
    };
  };
}

async function currentLocation(context: OperationContext, { worktreeId }: Session, call: Call) {
  const { read } = context.storage;
  const row = worktreeId === null ? undefined : await read.worktrees.get(worktreeId);
  if (row === undefined || row.state === 'failed') return { worktree: null, repository: null, board: null };
  const worktree = await getWorktree(context)({ worktreeId: row.id }, call);
  const repository = await read.repositories.get(row.repositoryId);
  const board = row.boardId === null ? undefined : await read.boards.get(row.boardId);
  return {
    worktree,
    repository: repository === undefined ? null : presentRepository(repository),
    board: board === undefined ? null : await boardInList(read, board),
  };
}

/** Returns the messages from a sequence number on, or the newest messages. Both are sorted with the oldest first. */
async function messagesOf(
  { storage }: OperationContext,
  sessionId: string,
  from: number | undefined,
): Promise<Message[]> {
  const { messages } = storage.read;
  const limit = GET_MESSAGES_MAX;
  const rows =
    from === undefined
      ? (await messages.find({ sessionId }, { order: ['-seq'], limit })).reverse()
      : await messages.find({ sessionId, seq: { above: from - 1 } }, { order: ['seq'], limit });
  return rows.map(presentMessage);
}

type Read = Pick<Readers, 'sessions' | 'sessionMcpServers' | 'mcpServers'>;

export async function attachmentsOf(read: Read, sessionId: string): Promise<SessionAttachments> {
  const { contextFiles } = await sessionRow(read.sessions, sessionId);
  const servers = await attachedTo(read, sessionId);
  return { contextFiles, mcpServers: servers.map(({ id, name, transport }) => ({ id, name, transport })) };
}

/** Returns the budget of a session, if it has one, and who or what paused the session, if it is paused. */
async function budgetOf({ storage, now }: OperationContext, sessionId: string) {
  const row = await sessionRow(storage.read.sessions, sessionId);
  const pausedBy = row.mark === 'paused' && row.pausedBy !== null ? { pausedBy: row.pausedBy } : {};
  if (row.budget === null) return pausedBy;
  const budgetUsed = await useOf(storage.read, { kind: 'session', row }, now());
  return { ...pausedBy, budget: row.budget, budgetUsed };
}

/** Returns only the ids of sessions that the caller can see. */
async function visibleIds({ storage }: OperationContext, ids: readonly string[]): Promise<string[]> {
  const seen = new Set(ids.length === 0 ? [] : await storage.read.sessions.ids({ id: [...ids] }));
  return ids.filter((id) => seen.has(id));
}

/**
 * Returns a session as an entry of a genealogy. `relation` tells whether the session is a child (`spawn`) or a fork.
 */
function relativeOf({ id, title, agentId, status, outcome, genealogy }: Session): Relative {
  return { id, title, agentId, status, outcome, relation: genealogy.parentSessionId === null ? 'fork' : 'spawn' };
}

/**
 * Returns the parent of a session or, without a parent, the session from which it was forked. Null if it has neither,
 * or if that session was removed or is hidden from the caller.
 */
async function parentOf(context: OperationContext, { genealogy }: Session): Promise<Session | null> {
  const id = genealogy.parentSessionId ?? genealogy.forkedFromSessionId;
  const [seen] = id === null ? [] : await visibleIds(context, [id]);
  return seen === undefined ? null : context.views.session(seen);
}

/** Returns at most GENEALOGY_MAX + 1 descendants, level by level, oldest first within a level. */
async function descendants(context: OperationContext, session: Session, depth: number): Promise<Descendant[]> {
  const found: Descendant[] = [];
  let parents = [session];
  for (let level = 1; level <= depth && parents.length > 0 && found.length <= GENEALOGY_MAX; level += 1) {
    const nextParents: Session[] = [];
    for (const { id: parentId, genealogy } of parents) {
      const room = GENEALOGY_MAX + 1 - found.length;
      const children = await context.views.sessions((await visibleIds(context, genealogy.children)).slice(0, room));
      nextParents.push(...children);
      found.push(...children.map((child) => ({ ...relativeOf(child), parentId, level })));
    }
    parents = nextParents;
  }
  return found;
}

function sessionGenealogy(context: OperationContext): Implementation<'sessions.genealogy'> {
  return async ({ sessionId, depth }) => {
    const session = await context.views.session(sessionId);
    const parent = await parentOf(context, session);
    const siblingIds = await visibleIds(context, parent?.genealogy.children.filter((id) => id !== sessionId) ?? []);
    const siblings = await context.views.sessions(siblingIds.slice(0, GENEALOGY_MAX));
    const children = await descendants(context, session, depth);
    return {
      sessionId,
      parent: parent === null ? null : { ...relativeOf(parent), relation: relativeOf(session).relation },
      siblings: siblings.map(relativeOf),
      children: children.slice(0, GENEALOGY_MAX),
      truncated: siblingIds.length > GENEALOGY_MAX || children.length > GENEALOGY_MAX,
    };
  };
}

function listMessages({ storage }: OperationContext): Implementation<'sessions.messages'> {
  return ({ sessionId, changedSince, ...page }) =>
    changedSince === undefined
      ? pageOf(storage.read.messages, { sessionId }, page, presentMessage, ['seq'])
      : pageOf(storage.read.messages, { sessionId, revision: { above: changedSince } }, page, presentMessage, [
          'revision',
        ]);
}

function listSessionEvents({ storage }: OperationContext): Implementation<'sessions.events'> {
  return ({ sessionId, after, ...page }) =>
    pageOf(storage.read.events, { sessionId, seq: { above: after } }, page, toPublicEvent, ['seq']);
}

function listNotices({ storage }: OperationContext): Implementation<'sessions.notices'> {
  return ({ sessionId, ...page }) => pageOf(storage.read.notices, { sessionId }, page, presentNotice);
}

function listWorkers({ storage }: OperationContext): Implementation<'sessions.workers'> {
  return ({ sessionId, ...page }) => pageOf(storage.read.workers, { sessionId }, page, presentWorker);
}

function listSessionTasks({ views }: OperationContext): Implementation<'sessions.tasks'> {
  return async ({ sessionId, ...page }) => slicePage(await views.tasksOf(sessionId), page);
}

export function sessionDetails(context: OperationContext) {
  return {
    'sessions.get': getSession(context),
    'sessions.genealogy': sessionGenealogy(context),
    'sessions.messages': listMessages(context),
    'sessions.events': listSessionEvents(context),
    'sessions.notices': listNotices(context),
    'sessions.workers': listWorkers(context),
    'sessions.tasks': listSessionTasks(context),
  } satisfies Partial<Implementations>;
}
