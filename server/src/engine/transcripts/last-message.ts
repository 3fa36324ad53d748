import { setTimeout as pause } from 'node:timers/promises';
import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';
import { TRANSCRIPT_END_POLL_MS, TRANSCRIPT_LAST_WORDS_MS } from '@agent-console/shared/limits/transcripts';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import type { MessageRow, WorkerRow } from '../../ports/rows.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../changes/subjects.ts';
import { addMessage, type ChangeDeps } from '../changes/task-changes.ts';
import { recordedEnd } from './position.ts';
import type { TranscriptScanner } from './scanner.ts';

interface LastMessageDeps {
  scanner: Pick<TranscriptScanner, 'scan'>;
  storage: Pick<Storage, 'read'>;
}

/**
 * Stores an agent's last messages. Called before the end of its turn is stored. If the agent records the ends of turns
 * (`recordsTurnEnds`), waits until the transcript contains the end of this turn. Stops waiting after
 * TRANSCRIPT_LAST_WORDS_MS; never rejects.
 */
export async function ingestLastMessages(
  deps: LastMessageDeps,
  { id: workerId, sessionId }: Pick<WorkerRow, 'id' | 'sessionId'>,
  recordsTurnEnds: boolean,
): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const timeout = pause(TRANSCRIPT_LAST_WORDS_MS, undefined, { signal, ref: false }).catch(() => undefined);
  await Promise.race([
    scanUntilEnd(deps, workerId, sessionId, recordsTurnEnds, signal).catch(() => undefined),
    timeout,
  ]);
  waiting.abort();
}

async function scanUntilEnd(
  { scanner, storage }: LastMessageDeps,
  workerId: string,
  sessionId: string,
  recordsTurnEnds: boolean,
  signal: AbortSignal,
): Promise<void> {
  const submitted = { workerId, state: LIVE_INPUT, submittedOffset: { not: null } };
  const input = recordsTurnEnds ? await storage.read.inputs.first(submitted) : undefined;
  for (;;) {
    await scanner.scan(sessionId);
    if (input === undefined || recordedEnd(await storage.read.transcripts.get(sessionId), input.id) !== null) return;
    await pause(TRANSCRIPT_END_POLL_MS, undefined, { signal, ref: false });
  }
}

/** Returns the agent's last stored message for a task; null if there is none. */
export async function lastMessageOf(tx: Transaction, taskId: string): Promise<string | null> {
  const { workMessage, reply } = await lastMessagesOf(tx, taskId);
  return reply ?? workMessage;
}

/**
 * Returns the agent's last message about its work, and its reply to the reminder to report the result. A missing
 * message is null.
 */
export async function lastMessagesOf(
  tx: Transaction,
  taskId: string,
): Promise<{ workMessage: string | null; reply: string | null }> {
  const task = await tx.tasks.get(taskId);
  if (task === undefined) return { workMessage: null, reply: null };
  const { sessionId, remindedAt } = task;
  const ofAgent = { sessionId, taskId, role: 'agent', kind: 'text', source: { not: 'console' } } as const;
  const last = async (createdAt: { below: string } | { above: string } | null) => {
    const filter = createdAt === null ? ofAgent : { ...ofAgent, createdAt };
    return textOf(await beginningOf(tx, await tx.messages.first(filter, { order: ['-seq'] })));
  };
  if (remindedAt === null) return { workMessage: await last(null), reply: null };
  return { workMessage: await last({ below: remindedAt }), reply: await last({ above: remindedAt }) };
}

/** Returns the first row of a message that is stored in several rows because it is too long for one. */
async function beginningOf(tx: Transaction, row: MessageRow | undefined): Promise<MessageRow | undefined> {
  let first = row;
  while (first?.parts[0]?.continues === true) {
    const { sessionId, seq, kind } = first;
    const before = await tx.messages.first({ sessionId, seq: seq - 1 });
    if (before?.kind !== kind) break;
    first = before;
  }
  return first;
}

function textOf(message: MessageRow | undefined): string | null {
  const text = message?.parts[0]?.text;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** Stores the message reported by an agent's hook, for agents without a readable transcript. */
export async function storeLastMessage(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  message: string,
): Promise<void> {
  const { sessionId } = worker;
  if (message.trim() === '' || (await tx.transcripts.get(sessionId)) !== undefined) return;
  const input = await tx.inputs.first({ workerId: worker.id, state: LIVE_INPUT });
  const taskId = input?.taskId ?? null;
  const text = message.slice(0, TEXT_MAX_CHARS);
  await addMessage(tx, deps, { sessionId, taskId, role: 'agent', kind: 'text', text, source: 'hook' });
  await tx.record({ type: 'conversation.grown', ...aboutSession(sessionId), data: { count: 1 } });
}
