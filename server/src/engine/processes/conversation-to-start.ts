import type { AgentKind, Conversation, Conversations } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import { addMessage, type ChangeDeps } from '../task-changes.ts';
import { tracedConversation } from '../transcripts/traced-conversation.ts';

interface Deps extends ChangeDeps {
  storage: Storage;
  conversations: Conversations;
}

/** The conversation that an agent is started with. */
export interface ChosenConversation {
  conversation: Conversation;
  /** Whether the session had begun a conversation before, which is not gone on with. */
  anew: boolean;
  /** What people must know where an agent begins anew that should have gone on; null where nothing is lost. */
  lost: string | null;
}

/** Whether a session's agent goes on with its conversation, copies another one, or begins a new one. */
export async function conversationToStart(
  deps: Deps,
  session: SessionRow,
  worker: WorkerRow,
  kind: AgentKind,
): Promise<ChosenConversation> {
  if (session.begun) {
    const known = kind.supportsResume ? await keptId(deps, session, kind) : null;
    if (known !== null) return { conversation: { mode: 'resume', nativeId: known }, anew: false, lost: null };
    // Agents refuse an id of which there is a file, even one that they do not take up.
    const nativeId = kind.nativeId === 'ours' ? kind.conversationId(worker.id) : null;
    if (!(await hasWorked(deps, session))) return copyOrNew(deps, session, kind, { nativeId, anew: true });
    const lost = kind.supportsResume ? lostWords(kind, OWN) : null;
    return { conversation: { mode: 'new', nativeId }, anew: true, lost };
  }
  return copyOrNew(deps, session, kind, { nativeId: chosenId(session, kind), anew: false });
}

/** Where nothing was said in the session itself. */
async function copyOrNew(
  deps: Deps,
  { forkedFromSessionId }: SessionRow,
  kind: AgentKind,
  { nativeId, anew }: { nativeId: string | null; anew: boolean },
): Promise<ChosenConversation> {
  if (forkedFromSessionId === null) return { conversation: { mode: 'new', nativeId }, anew, lost: null };
  const origin = await deps.storage.read.sessions.get(forkedFromSessionId);
  const from = origin === undefined ? null : await keptId(deps, origin, kind);
  if (from !== null) return { conversation: { mode: 'fork', nativeId, from }, anew, lost: null };
  return { conversation: { mode: 'new', nativeId }, anew, lost: lostWords(kind, FORKED) };
}

const OWN = "this session's conversation";
const FORKED = 'the conversation that this session was forked from';

/** Whether a worker that has just been started copies the conversation that its session was forked from. */
export function startsAsCopy(
  session: SessionRow | undefined,
  { warnings }: Pick<WorkerRow, 'warnings'>,
  kind: AgentKind,
): boolean {
  const isFork = session !== undefined && session.forkedFromSessionId !== null && session.nativeId === null;
  return isFork && ![OWN, FORKED].some((conversation) => warnings.includes(lostWords(kind, conversation)));
}

function lostWords({ name }: AgentKind, conversation: string): string {
  return `${name} has kept nothing of ${conversation} that it could go on with, so it begins anew: tell it what it needs to know.`;
}

/**
 * Stores, before there is a process, that it begins another conversation, so that it is known of one whose start nobody
 * got to write down. What is lost is said in the session and at the worker, once, however often the start is repeated.
 */
export async function storeAnew(
  deps: Deps,
  author: Author,
  worker: WorkerRow,
  { conversation, anew, lost }: ChosenConversation,
): Promise<WorkerRow> {
  const { sessionId } = worker;
  const told = lost === null || worker.warnings.includes(lost);
  if (told && !anew) return worker;
  const warnings = told ? worker.warnings : [...worker.warnings, lost];
  await deps.storage.write(author, async (tx) => {
    if (anew) await tx.sessions.update(sessionId, { nativeId: conversation.nativeId });
    if (told) return;
    await tx.workers.update(worker.id, { warnings });
    await addMessage(tx, deps, { sessionId, taskId: null, role: 'system', kind: 'text', text: lost });
  });
  return { ...worker, warnings };
}

/** The id that we give a conversation, for agents that let us. */
export function chosenId(session: SessionRow, kind: AgentKind): string | null {
  return kind.nativeId === 'ours' ? kind.conversationId(session.id) : null;
}

/** The id of a conversation that the agent really keeps: one that was only announced cannot be taken up. */
async function keptId(deps: Deps, session: SessionRow, kind: AgentKind): Promise<string | null> {
  const told = session.nativeId ?? chosenId(session, kind);
  if (told !== null && (await deps.conversations.exists(kind.id, told))) return told;
  return tracedConversation(deps, session, kind);
}

/** Whether an earlier task was given to an agent of this session; the one that is being started is not over yet. */
async function hasWorked({ storage }: Deps, session: SessionRow): Promise<boolean> {
  const status = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
  const ended = await storage.read.tasks.first({
    sessionId: session.id,
    status: [...status],
    startedAt: { not: null },
  });
  return ended !== undefined;
}
