import { TRANSCRIPT_INPUTS_MAX } from '@agent-console/shared/limits/transcripts';
import { isSamePrompt, isWholePrompt } from '../../domain/turns.ts';
import type { MessageRow } from '../../ports/rows/messages.ts';
import type { InputRow } from '../../ports/rows/workers.ts';
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

/** What the console typed: the message that stands for it, or only the task of what has none (a reminder). */
export interface Typed {
  taskId: string;
  inputId: string;
  message: MessageRow | null;
}

/**
 * What the console typed and the agent now tells as its user's words; undefined where a person typed it. Each input is
 * found once: the oldest that fits word for word, else the oldest that the words contain.
 */
export async function typedByUs(tx: Transaction, sessionId: string, text: string): Promise<Typed | undefined> {
  const workers = await tx.workers.find({ sessionId, type: 'agent' }, { order: ['-id'], limit: 2 });
  if (workers.length === 0) return undefined;
  const inputs = await tx.inputs.find(
    { workerId: workers.map(({ id }) => id), state: TYPED, taskId: { not: null } },
    { order: ['-id'], limit: TRANSCRIPT_INPUTS_MAX },
  );
  // What was dropped before its Enter was never said.
  const said = inputs.filter(({ state, submittedOffset }) => state !== 'dropped' || submittedOffset !== null).reverse();
  for (const fits of [isWholePrompt, isSamePrompt]) {
    for (const input of said) {
      if (input.taskId === null || !fits(input.text, text)) continue;
      const { taskId } = input;
      if (input.kind === 'reminder') {
        const found = await tx.messages.first({ sessionId, taskId, role: 'system', source: 'transcript' });
        if (found === undefined) return { taskId, inputId: input.id, message: null };
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
