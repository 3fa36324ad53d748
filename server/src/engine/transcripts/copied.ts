import type { NewRow, SessionRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { TranscriptPage, TranscriptReading } from '../../ports/transcripts.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { partsOf } from './parts.ts';
import type { Progress } from './position.ts';

/** A page of a fork's conversation, split into copied and own messages. */
export interface SplitPage {
  copied: TranscriptReading[];
  own: TranscriptReading[];
}

/**
 * Splits a page of a fork's conversation into copied and own messages. Agents copy messages with their timestamps, so
 * messages older than the first text typed into the fork are copies. Equal texts prove nothing, because a fork may
 * receive a prompt that its original has already received.
 */
export async function splitCopied(
  read: Pick<Readers, 'workers' | 'inputs'>,
  session: SessionRow,
  { readings }: Pick<TranscriptPage, 'readings'>,
  { own }: Pick<Progress, 'own'>,
): Promise<SplitPage> {
  if (session.forkedFromSessionId === null) return { copied: [], own: readings };
  const workers = await read.workers.find({ sessionId: session.id, type: 'agent' });
  const workerId = workers.map(({ id }) => id);
  const firstInput =
    workerId.length === 0 ? undefined : await read.inputs.first({ workerId }, { order: ['createdAt'] });
  const firstInputAt = firstInput?.createdAt;
  const hasMessage = (test: (at: string) => boolean) => {
    return ({ messages }: TranscriptReading) => messages.some(({ at }) => at !== null && test(at));
  };
  // Once a message of the fork itself is stored, no copies follow, unless the transcript file was replaced and is read
  // again from its beginning.
  if (own && !readings.some(hasMessage((at) => firstInputAt !== undefined && at < firstInputAt)))
    return { copied: [], own: readings };
  const first = readings.findIndex(hasMessage((at) => firstInputAt !== undefined && at >= firstInputAt));
  const splitAt = first < 0 ? readings.length : first;
  return { copied: own ? [] : readings.slice(0, splitAt), own: readings.slice(splitAt) };
}

/**
 * Stores copied messages, without a task, after the session's first `before` messages. Returns the number of messages
 * stored.
 */
export async function storeCopied(
  tx: Transaction,
  deps: ChangeDeps,
  session: SessionRow,
  copied: readonly TranscriptReading[],
  before: number,
): Promise<number> {
  const rows: Omit<NewRow<'messages'>, 'seq'>[] = [];
  const seen = new Set<string>();
  for (const message of copied.flatMap(({ messages }) => messages)) {
    const { nativeId, kind, at } = message;
    const known = seen.has(nativeId) || (await tx.messages.first({ sessionId: session.id, nativeId })) !== undefined;
    seen.add(nativeId);
    if (known) continue;
    // Role and kind are taken from the original session's message, because agents record a notice as a user message.
    const first = await tx.messages.first({ sessionId: session.forkedFromSessionId ?? '', nativeId });
    rows.push({
      id: deps.newId(),
      sessionId: session.id,
      role: first?.role ?? message.role,
      kind: first?.kind ?? kind,
      parts: partsOf(message),
      source: 'transcript',
      nativeId,
      createdAt: at ?? session.createdAt,
    });
  }
  if (rows.length === 0) return 0;
  const laterMessages = await tx.messages.find({ sessionId: session.id, seq: { above: before } }, { order: ['-seq'] });
  for (const { id, seq } of laterMessages) await tx.messages.update(id, { seq: seq + rows.length });
  for (const [index, row] of rows.entries()) await tx.messages.insert({ ...row, seq: before + index + 1 });
  return rows.length;
}
