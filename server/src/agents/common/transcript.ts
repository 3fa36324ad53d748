import type { TranscriptMessage, TranscriptReading, TurnEnd } from '../../ports/transcripts.ts';
import { asFields, asText } from './fields.ts';

/** Helpers that the transcript readers of all kinds share. */

export type { TranscriptMessage, TranscriptReading, TurnEnd } from '../../ports/transcripts.ts';

export const EMPTY_READING: TranscriptReading = { messages: [], usage: [] };

export const ANSWERED: TurnEnd = { how: 'answered', error: null };
export const INTERRUPTED: TurnEnd = { how: 'interrupted', error: null };
const WAS_COMMAND: TurnEnd = { how: 'command', error: null };

/**
 * @param resetsAt time at which the subscription limit that ended the turn is reset; null if another error ended the
 * turn
 */
export const failedWith = (error: string | null, resetsAt: string | null = null): TurnEnd => ({
  how: 'failed',
  error,
  ...(resetsAt !== null && { resetsAt }),
});

/** Creates the transcript reading of a command that the user typed to the agent, such as `/clear` or `!ls`. */
export function commandReading(nativeId: string, text: string, at: string | null): TranscriptReading {
  const message: TranscriptMessage = { nativeId, role: 'user', kind: 'text', text, at, command: true };
  return { messages: [message], usage: [], turnEnd: WAS_COMMAND };
}

/** Creates a reading that contains only the end of a turn. */
export const turnEndReading = (turnEnd: TurnEnd): TranscriptReading => ({ ...EMPTY_READING, turnEnd });

/** Formats a tool call as `name(input)`, with the input as JSON unless it is already text. */
export function toolCallText(name: unknown, input: unknown): string {
  return `${name}(${typeof input === 'string' ? input : JSON.stringify(input ?? {})})`;
}

/** Returns the texts of a message's content blocks. Blocks without text are left out. */
export function blockTexts(blocks: readonly unknown[]): string[] {
  return blocks.flatMap((block) => asText(asFields(block).text) ?? []);
}
