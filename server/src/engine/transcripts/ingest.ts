import { isWholePrompt } from '../../domain/turns.ts';
import type { MessageRow, SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { TranscriptMessage, TranscriptPage, TranscriptReading, TranscriptUsage } from '../../ports/transcripts.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { splitCopied, storeCopied } from './copied.ts';
import { placeMessages } from './offsets.ts';
import { partsOf } from './parts.ts';
import { type PrintedOutput, type Progress, progressOf, type RecordedTurn } from './position.ts';
import { findTypedText } from './typed-text.ts';
import { countUsage } from './usage.ts';

interface PageRead {
  nativeId: string;
  page: TranscriptPage;
  worker: PrintedOutput;
}

/**
 * Stores the messages and token usage of a transcript page together with the read position, so a crash neither loses
 * nor repeats a page. Messages that are already stored are not added again. Returns false if the session is gone.
 */
export async function ingestPage(
  tx: Transaction,
  deps: ChangeDeps,
  sessionId: string,
  pageRead: PageRead,
): Promise<boolean> {
  const session = await tx.sessions.get(sessionId);
  if (session === undefined || session.removedAt !== null) return false;
  const stored = await tx.transcripts.get(sessionId);
  const progress = progressOf(stored, pageRead.nativeId);
  const { copied, own } = await splitCopied(tx, session, pageRead.page, progress);
  const copiedCount = await storeCopied(tx, deps, session, copied, progress.copied);
  const grown = { ...session, messageCount: session.messageCount + copiedCount };
  const summary = await storeReadings(tx, deps, grown, own, progress.turn);
  const tasks = await countUsage(tx, deps, sessionId, [...usageBeforeFork(copied), ...summary.usage]);
  const unplacedFrom =
    progress.unplacedFrom === null ? null : Math.min(progress.unplacedFrom + copiedCount, summary.lowest);
  const from = { ...progress, unplacedFrom };
  const firstNew = Math.min(grown.messageCount + 1, summary.lowest);
  const positions = await placeMessages(tx, session, pageRead.worker, from, firstNew);

  const newProgress = {
    reader: pageRead.page.position,
    turn: summary.turn,
    ...positions,
    copied: progress.copied + copiedCount,
    own: progress.own || own.length > 0,
  } satisfies Progress;
  const row = { nativeId: pageRead.nativeId, place: { ...newProgress }, updatedAt: deps.now().toISOString() };
  if (stored === undefined) await tx.transcripts.insert({ sessionId, ...row });
  else await tx.transcripts.update(sessionId, row);

  const count = copiedCount + summary.changed;
  if (count === 0 && tasks.size === 0) return true;
  const messageCount = grown.messageCount + summary.added;
  await tx.sessions.update(sessionId, { messageCount, updatedAt: deps.now().toISOString() });
  await tx.record({ type: 'conversation.grown', ...aboutSession(sessionId), data: { count } });
  return true;
}

interface ReadingSummary {
  turn: RecordedTurn;
  added: number;
  changed: number;
  /**
   * Lowest sequence number of the messages that were added from this page of the transcript; infinite if there are
   * none.
   */
  lowest: number;
  usage: { usage: TranscriptUsage; turn: RecordedTurn }[];
}

async function storeReadings(
  tx: Transaction,
  deps: ChangeDeps,
  session: SessionRow,
  readings: readonly TranscriptReading[],
  turn: RecordedTurn,
): Promise<ReadingSummary> {
  const summary: ReadingSummary = { turn, added: 0, changed: 0, lowest: Number.POSITIVE_INFINITY, usage: [] };
  for (const { messages, usage, turnEnd } of readings) {
    for (const message of messages) {
      const { result, taskId, inputId, seq } = await storeMessage(tx, deps, session, message, summary);
      if (result === 'added') summary.added += 1;
      if (seq !== undefined) summary.lowest = Math.min(summary.lowest, seq);
      if (result === 'added' || result === 'changed') summary.changed += 1;
      if (message.role === 'user') summary.turn = { nativeId: message.nativeId, taskId, inputId, end: null };
      // A message after the recorded end of the turn shows that the turn continues, for example because a hook required
      // it.
      else if (result === 'added') summary.turn = { ...summary.turn, end: null };
    }
    if (turnEnd !== undefined) summary.turn = { ...summary.turn, end: turnEnd };
    summary.usage.push(...usage.map((each) => ({ usage: each, turn: summary.turn })));
  }
  return summary;
}

async function storeMessage(
  tx: Transaction,
  deps: ChangeDeps,
  session: SessionRow,
  message: TranscriptMessage,
  { turn, added }: ReadingSummary,
): Promise<Stored> {
  const { nativeId, role, kind } = message;
  const sessionId = session.id;
  const known = await tx.messages.first({ sessionId, nativeId });
  const parts = partsOf(message);
  if (known !== undefined) {
    const { taskId } = known;
    const inputId = nativeId === turn.nativeId ? (turn.inputId ?? null) : await inputOf(tx, known);
    const isSame = known.source === 'console' || JSON.stringify(known.parts) === JSON.stringify(parts);
    if (isSame) return { result: 'known', taskId, inputId };
    await tx.messages.update(known.id, { parts });
    return { result: 'changed', taskId, inputId };
  }
  if (role === 'agent' && (await adoptReportedMessage(tx, sessionId, nativeId, parts))) {
    return { result: 'known', taskId: turn.taskId, inputId: null };
  }
  const typed = role === 'user' ? await findTypedText(tx, sessionId, message.text) : undefined;
  if (typed?.message != null) await tx.messages.update(typed.message.id, { nativeId });
  // A command that a person typed into the terminal is not stored as a message.
  if (typed?.message != null || message.command) {
    return { result: 'known', taskId: typed?.taskId ?? null, inputId: typed?.inputId ?? null };
  }
  const taskId = role === 'user' ? (typed?.taskId ?? null) : turn.taskId;
  const end = session.messageCount + added + 1;
  const seq = role === 'user' ? end : await insertPosition(tx, sessionId, turn, message, end);
  await tx.messages.insert({
    id: deps.newId(),
    sessionId,
    taskId,
    seq,
    role: typed === undefined ? role : 'system',
    kind,
    parts,
    source: 'transcript',
    nativeId,
    createdAt: message.at ?? deps.now().toISOString(),
  });
  return { result: 'added', taskId, inputId: typed?.inputId ?? null, seq };
}

interface Stored {
  result: 'added' | 'changed' | 'known';
  taskId: string | null;
  /** Id of the input with which the console typed the prompt; null if a person typed it, and for an agent's message. */
  inputId: string | null;
  /** Sequence number of the message if `result` is `added`. */
  seq?: number;
}

/** Returns the id of the input with which the console typed a stored message; null if the console did not type it. */
async function inputOf(tx: Transaction, { taskId, role, source, parts }: MessageRow): Promise<string | null> {
  if (taskId === null || role === 'agent') return null;
  const isLater = role === 'system' && source === 'transcript';
  const inputs = await tx.inputs.find({ taskId }, { order: ['-id'] });
  const text = String(parts[0]?.text);
  return (
    inputs.find(({ kind, text: typed }) =>
      kind === 'reminder' || kind === 'continuation' ? isLater && isWholePrompt(typed, text) : !isLater,
    )?.id ?? null
  );
}

/**
 * Returns the sequence number that places an agent's message after the earlier messages of its turn. Transcripts lag
 * behind, so the next prompt may already be stored. If so, the sequence numbers of that prompt and all later messages
 * increase by one.
 */
async function insertPosition(
  tx: Transaction,
  sessionId: string,
  turn: RecordedTurn,
  { at }: TranscriptMessage,
  end: number,
): Promise<number> {
  const prompt = turn.nativeId === '' ? undefined : await tx.messages.first({ sessionId, nativeId: turn.nativeId });
  if (prompt === undefined) return end;
  const laterMessages = await tx.messages.find({ sessionId, seq: { above: prompt.seq } }, { order: ['seq'] });
  const later = laterMessages.find(
    ({ source, nativeId, taskId, role, createdAt }) =>
      source === 'console' &&
      nativeId === null &&
      taskId !== null &&
      (role === 'agent' ? at !== null && at <= createdAt : taskId !== turn.taskId),
  );
  if (later === undefined) return end;
  for (const { id, seq } of laterMessages.toReversed()) {
    if (seq >= later.seq) await tx.messages.update(id, { seq: seq + 1 });
  }
  return later.seq;
}

/**
 * Finds the stored message that the agent's hook reported with this text while the transcript could not be read. Marks
 * that message as read from the transcript. Returns whether there is such a message.
 */
async function adoptReportedMessage(
  tx: Transaction,
  sessionId: string,
  nativeId: string,
  parts: MessageRow['parts'],
): Promise<boolean> {
  const reported = await tx.messages.find({ sessionId, source: 'hook', nativeId: null }, { order: ['seq'] });
  const same = reported.find((row) => JSON.stringify(row.parts) === JSON.stringify(parts));
  if (same === undefined) return false;
  await tx.messages.update(same.id, { nativeId, source: 'transcript' });
  return true;
}

/**
 * Returns the running totals of token usage in the copied messages. The fork's own usage is counted from these totals.
 */
function usageBeforeFork(copied: readonly TranscriptReading[]): ReadingSummary['usage'] {
  const turn = { nativeId: '', taskId: null };
  const totals = copied.flatMap(({ usage }) => usage).filter(({ runningTotal }) => runningTotal);
  return totals.map((usage) => ({ usage, turn }));
}
