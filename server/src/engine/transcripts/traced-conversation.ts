import type { AgentKind, Conversations } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import type { TranscriptMessage, TranscriptPosition, Transcripts } from '../../ports/transcripts.ts';
import { SYSTEM } from '../changes/author.ts';
import { splitCopied } from './copied.ts';
import { findTypedText } from './typed-text.ts';

/**
 * Finds the conversation of a session by the session's cwd and creation time, if the agent chooses its own ids or can
 * switch conversations. Returns null unless exactly one conversation matches, and for any other kind of agent.
 */
export async function tracedConversation(
  { storage, conversations }: { storage: Pick<Storage, 'read'>; conversations: Conversations },
  session: SessionRow,
  kind: Pick<AgentKind, 'id' | 'nativeId' | 'switchesConversation'>,
): Promise<string | null> {
  if (kind.nativeId !== 'agent' && !kind.switchesConversation) return null;
  const { cwd, createdAt: since } = session;
  const others = await storage.read.sessions.find({ cwd });
  const taken = new Set(
    others.flatMap(({ id, nativeId }) => (id !== session.id && nativeId !== null ? [nativeId] : [])),
  );
  return conversations.find(kind.id, { cwd, since, taken });
}

/**
 * A conversation found by its cwd and start time, because the agent does not report to which session the conversation
 * belongs.
 */
export interface TracedConversation {
  kind: Parameters<Transcripts['read']>[0];
  nativeId: string;
}

/**
 * Assigns a conversation that was found by its cwd and start time to the session. Requires that the console typed the
 * conversation's first prompt, or that no other session has the same cwd. Messages that a fork has copied do not count
 * as the first prompt. Returns whether the conversation now belongs to the session.
 */
export async function claim(
  deps: { storage: Storage; transcripts: Pick<Transcripts, 'read'> },
  session: SessionRow,
  traced: TracedConversation,
): Promise<boolean> {
  const first = await firstOwnPrompt(deps, session, traced);
  if (first === undefined) return false;
  return deps.storage.write(SYSTEM, (tx) => store(tx, session.id, traced.nativeId, first));
}

async function store(tx: Transaction, sessionId: string, nativeId: string, first: TranscriptMessage): Promise<boolean> {
  const session = await tx.sessions.get(sessionId);
  if (session === undefined || session.removedAt !== null) return false;
  if (session.nativeId !== null) return session.nativeId === nativeId;
  const others = await tx.sessions.find({ cwd: session.cwd, id: { not: sessionId } });
  if (others.some((other) => other.nativeId === nativeId)) return false;
  if (others.length > 0 && (await findTypedText(tx, sessionId, first.text)) === undefined) return false;
  await tx.sessions.update(sessionId, { nativeId });
  return true;
}

/** Returns the first user message that was written in this conversation, not copied from another one by a fork. */
async function firstOwnPrompt(
  { storage, transcripts }: { storage: Storage; transcripts: Pick<Transcripts, 'read'> },
  session: SessionRow,
  { kind, nativeId }: TracedConversation,
): Promise<TranscriptMessage | undefined> {
  for (let position: TranscriptPosition = {}; ; ) {
    const page = await transcripts.read(kind, nativeId, position);
    if (page === null) return undefined;
    const { own } = await splitCopied(storage.read, session, page, { own: false });
    const first = own.flatMap(({ messages }) => messages).find(({ role }) => role === 'user');
    if (first !== undefined || !page.more) return first;
    position = page.position;
  }
}
