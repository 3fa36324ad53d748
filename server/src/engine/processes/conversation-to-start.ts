import type { AgentKind, Conversation, Conversations } from '../../ports/agents.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import { addMessage, type ChangeDeps } from '../changes/task-changes.ts';
import { tracedConversation } from '../transcripts/traced-conversation.ts';

interface Deps extends ChangeDeps {
  storage: Storage;
  conversations: Conversations;
}

/** The conversation with which an agent is started. */
export interface ChosenConversation {
  conversation: Conversation;
  /** Whether the session has an earlier conversation that this one replaces. */
  anew: boolean;
  /**
   * Warning that an existing conversation could not be continued, so that a new one starts; null if no conversation is
   * lost, or if the session's own is lost because agents of this kind cannot resume conversations.
   */
  lost: string | null;
}

/** Decides whether a session's agent resumes its conversation, copies another one or starts a new one. */
export async function conversationToStart(
  deps: Deps,
  session: SessionRow,
  worker: WorkerRow,
  kind: AgentKind,
): Promise<ChosenConversation> {
  if (session.begun) {
    const known = kind.supportsResume ? await resumableId(deps, session, kind) : null;
    if (known !== null) return { conversation: { mode: 'resume', nativeId: known }, anew: false, lost: null };
    // The conversation cannot be resumed, but its id may be in use. An agent refuses an id for which it has a
    // conversation file, so the new id is derived from the worker instead of the session.
    const nativeId = kind.nativeId === 'console' ? kind.conversationId(worker.id) : null;
    if (!(await hasWorked(deps, session))) return copyOrNew(deps, session, kind, { nativeId, anew: true });
    const lost = kind.supportsResume ? lostWarning(kind, OWN) : null;
    return { conversation: { mode: 'new', nativeId }, anew: true, lost };
  }
  return copyOrNew(deps, session, kind, { nativeId: chosenId(session, kind), anew: false });
}

/**
 * Returns the conversation for a session that has no conversation to keep (see `hasWorked`): a copy of the conversation
 * of the session from which it was forked, or a new conversation.
 */
async function copyOrNew(
  deps: Deps,
  { forkedFromSessionId }: SessionRow,
  kind: AgentKind,
  { nativeId, anew }: { nativeId: string | null; anew: boolean },
): Promise<ChosenConversation> {
  if (forkedFromSessionId === null) return { conversation: { mode: 'new', nativeId }, anew, lost: null };
  const origin = await deps.storage.read.sessions.get(forkedFromSessionId);
  const from = origin === undefined ? null : await resumableId(deps, origin, kind);
  if (from !== null) return { conversation: { mode: 'fork', nativeId, from }, anew, lost: null };
  return { conversation: { mode: 'new', nativeId }, anew, lost: lostWarning(kind, FORKED) };
}

const OWN = "this session's conversation";
const FORKED = 'the conversation that this session was forked from';

/** Whether a new worker of a fork starts with a copy of the original session's conversation. */
export function startsAsCopy(session: SessionRow | undefined, { warnings }: Pick<WorkerRow, 'warnings'>): boolean {
  const isFork = session !== undefined && session.forkedFromSessionId !== null && session.nativeId === null;
  // If the original conversation was lost, the worker starts a new one and has a warning. The warning is recognized by
  // OWN or FORKED, because its other words differ between versions of the console.
  return isFork && ![OWN, FORKED].some((conversation) => warnings.some((warning) => warning.includes(conversation)));
}

function lostWarning({ name }: AgentKind, conversation: string): string {
  return `${name} has no record of ${conversation}, so it starts a new conversation. Tell it in a prompt what it needs to know.`;
}

/**
 * Stores the id of a new conversation that replaces an earlier one, and the warning about a lost conversation. Called
 * before the process is started. A lost conversation is reported only once, even if the start is repeated.
 */
export async function storeNewConversation(
  deps: Deps,
  author: Author,
  worker: WorkerRow,
  { conversation, anew, lost }: ChosenConversation,
): Promise<WorkerRow> {
  const { sessionId } = worker;
  const isReported = lost === null || worker.warnings.includes(lost);
  if (isReported && !anew) return worker;
  const warnings = isReported ? worker.warnings : [...worker.warnings, lost];
  await deps.storage.write(author, async (tx) => {
    if (anew) await tx.sessions.update(sessionId, { nativeId: conversation.nativeId });
    if (isReported) return;
    await tx.workers.update(worker.id, { warnings });
    await addMessage(tx, deps, { sessionId, taskId: null, role: 'system', kind: 'text', text: lost });
  });
  return { ...worker, warnings };
}

/** Returns the conversation id that the console chooses; null for agents for which it does not choose the id. */
export function chosenId(session: SessionRow, kind: AgentKind): string | null {
  return kind.nativeId === 'console' ? kind.conversationId(session.id) : null;
}

/**
 * Returns the id of the session's conversation if it can be resumed; null if the agent has not stored the conversation.
 */
async function resumableId(deps: Deps, session: SessionRow, kind: AgentKind): Promise<string | null> {
  const knownId = session.nativeId ?? chosenId(session, kind);
  if (knownId !== null && (await deps.conversations.exists(kind.id, knownId))) return knownId;
  return tracedConversation(deps, session, kind);
}

/** Whether a task of this session was started and has ended. */
async function hasWorked({ storage }: Deps, session: SessionRow): Promise<boolean> {
  const status = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
  const ended = await storage.read.tasks.first({
    sessionId: session.id,
    status: [...status],
    startedAt: { not: null },
  });
  return ended !== undefined;
}
