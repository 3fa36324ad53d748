import { setTimeout as pause } from 'node:timers/promises';
import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import { TRANSCRIPT_LAST_WORDS_MS } from '@agent-console/shared/limits/transcripts';
import { LIVE_INPUT } from '../inputs.ts';
import type { MessageRow } from '../ports/rows/messages.ts';
import type { WorkerRow } from '../ports/rows/workers.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Pen } from '../task-changes.ts';
import type { Intake } from './intake.ts';

/** Takes in what an agent said before the end of its turn is stored, unless that takes long; never rejects. */
export async function lastWords({ intake }: { intake: Pick<Intake, 'look'> }, sessionId: string): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const enough = pause(TRANSCRIPT_LAST_WORDS_MS, undefined, { signal, ref: false }).catch(() => undefined);
  await Promise.race([intake.look(sessionId).catch(() => undefined), enough]);
  waiting.abort();
}

/** What the agent said last for a task, as far as it was taken in; null for nothing. */
export async function lastWordsOf(tx: Transaction, taskId: string): Promise<string | null> {
  const task = await tx.tasks.get(taskId);
  if (task === undefined) return null;
  const { sessionId } = task;
  const last = await tx.messages.first(
    { sessionId, taskId, role: 'agent', kind: 'text', source: { not: 'console' } },
    { order: ['-seq'] },
  );
  const text = last?.parts[0]?.text;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** Stores the words that an agent's hook told, where the agent keeps no transcript that can be read. */
export async function keepWords(tx: Transaction, pen: Pen, worker: WorkerRow, words: string): Promise<void> {
  const { sessionId } = worker;
  const session = await tx.sessions.get(sessionId);
  if (session === undefined || words.trim() === '' || (await tx.transcripts.get(sessionId)) !== undefined) return;
  const input = await tx.inputs.first({ workerId: worker.id, state: [...LIVE_INPUT] });
  const at = pen.now().toISOString();
  const seq = session.messageCount + 1;
  const row: MessageRow = {
    id: pen.newId(),
    sessionId,
    taskId: input?.taskId ?? null,
    seq,
    role: 'agent',
    kind: 'text',
    parts: [{ type: 'text', text: words.slice(0, TEXT_MAX_CHARS) }],
    source: 'hook',
    logOffset: null,
    nativeId: null,
    createdAt: at,
  };
  await tx.messages.insert(row);
  await tx.sessions.update(sessionId, { messageCount: seq, updatedAt: at });
  const subject = { kind: 'session', id: sessionId } as const;
  await tx.record({ type: 'conversation.grown', subject, sessionId, data: { count: 1 } });
}
