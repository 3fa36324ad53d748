import { TRANSCRIPT_INPUTS_MAX } from '@agent-console/shared/limits/transcripts';
import { isSamePrompt, isWholePrompt } from '../../domain/turns.ts';
import type { InputRow, MessageRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';

const TYPED: readonly InputRow['state'][] = [
  'submitting',
  'submitted',
  'uncertain',
  'accepted',
  'interrupting',
  'ended',
  'dropped',
];

/**
 * A text that the console typed, with its stored message. `message` is null for reminders and continuations, because
 * their messages are stored only when the transcript is read.
 */
export interface Typed {
  taskId: string;
  inputId: string;
  message: MessageRow | null;
}

/**
 * Returns the typed text that the agent recorded as this user message; undefined if a person typed the message. Each
 * input is matched only once. An input that equals the text is preferred to an input whose first characters appear in
 * the text. The oldest inputs are tried first.
 */
export async function findTypedText(tx: Transaction, sessionId: string, text: string): Promise<Typed | undefined> {
  const workers = await tx.workers.find({ sessionId, type: 'agent' }, { order: ['-id'], limit: 2 });
  if (workers.length === 0) return undefined;
  const inputs = await tx.inputs.find(
    { workerId: workers.map(({ id }) => id), state: TYPED, taskId: { not: null } },
    { order: ['-id'], limit: TRANSCRIPT_INPUTS_MAX },
  );
  // An input that was dropped before Enter was pressed never reached the agent, so it cannot match.
  const candidates = inputs
    .filter(({ state, submittedOffset }) => state !== 'dropped' || submittedOffset !== null)
    .reverse();
  for (const fits of [isWholePrompt, isSamePrompt]) {
    for (const input of candidates) {
      if (input.taskId === null || !fits(input.text, text)) continue;
      const { taskId } = input;
      if (input.kind === 'reminder' || input.kind === 'continuation') {
        const found = await tx.messages.find({ sessionId, taskId, role: 'system', source: 'transcript' });
        if (!found.some(({ parts }) => isWholePrompt(input.text, String(parts[0]?.text))))
          return { taskId, inputId: input.id, message: null };
        continue;
      }
      const message = await tx.messages.first({
        sessionId,
        taskId,
        role: ['user', 'system'],
        source: 'console',
        nativeId: null,
      });
      if (message !== undefined) return { taskId, inputId: input.id, message };
    }
  }
  return undefined;
}
