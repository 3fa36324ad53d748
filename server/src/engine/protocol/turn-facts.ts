import { firstChars } from '@agent-console/shared/cut';
import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';
import { STOP_MESSAGES } from '@agent-console/shared/stop-messages';
import type { ProtocolState, StopReason, TurnUsage } from '../../domain/protocol.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { titleFrom } from '../sessions/new-session.ts';
import { lastMessageOf } from '../transcripts/last-message.ts';
import { countUsage } from '../transcripts/usage.ts';

const STOPPED: Readonly<Partial<Record<StopReason, string>>> = STOP_MESSAGES;

/** Returns the error with which a turn ended; undefined if the turn ended without an error. */
export async function failureOf(
  tx: Transaction,
  taskId: string | null,
  { isFailing = false }: ProtocolState,
  reason: StopReason,
): Promise<string | undefined> {
  if (!isFailing || reason === 'cancelled') return STOPPED[reason];
  return (taskId === null ? null : await lastMessageOf(tx, taskId)) ?? 'The agent did not say why it failed.';
}

/**
 * Stores the title of the agent's conversation as the session's title, unless a person or another session has chosen
 * one.
 */
export async function followTitle(
  tx: Transaction,
  { sessionId }: WorkerRow,
  state: ProtocolState,
  title: string,
): Promise<ProtocolState> {
  // The title must be one line without control characters, because commits and pull requests use it as their title.
  const given = firstChars(title.replace(/[\s\p{Cc}]+/gu, ' ').trim(), TITLE_MAX_CHARS);
  const session = await tx.sessions.get(sessionId);
  if (given === '' || session === undefined) return state;
  const workers = await tx.workers.find({ sessionId, type: 'agent' });
  const first = await tx.tasks.first({ sessionId, kind: 'prompt' }, { order: ['id'] });
  const own = ['', titleFrom(first?.prompt), state.title, ...workers.map(({ protocol }) => protocol?.title)];
  if (session.title !== given && own.includes(session.title)) {
    await tx.sessions.update(sessionId, { title: given });
    await tx.record({ type: 'session.updated', ...aboutSession(sessionId), data: { title: given } });
  }
  return { ...state, title: given };
}

/**
 * Stores the token usage and the cost of a turn. If the agent answers the prompt several times, the turn still counts
 * only once.
 */
export async function countTurn(
  tx: Transaction,
  deps: ChangeDeps,
  { sessionId }: WorkerRow,
  inputId: string,
  tokens: TurnUsage | null,
  /** Cost of the conversation so far in US dollars, or null if the agent does not report it. */
  costUsd: number | null,
): Promise<void> {
  const turn = { nativeId: inputId, taskId: (await tx.inputs.get(inputId))?.taskId ?? null };
  const entries: Parameters<typeof countUsage>[3][number][] = [];
  if (tokens !== null) entries.push({ usage: { ...tokens, nativeId: `prompt:${inputId}`, costUsd: null }, turn });
  if (costUsd !== null) {
    const nativeId = `cost of ${(await tx.sessions.get(sessionId))?.nativeId}`;
    const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    entries.push({ usage: { ...nothing, nativeId, costUsd, runningTotal: true }, turn });
  }
  await countUsage(tx, deps, sessionId, entries, 'protocol');
}
