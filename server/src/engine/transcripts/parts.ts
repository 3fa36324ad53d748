import { TRANSCRIPT_CALL_MAX_CHARS, TRANSCRIPT_TEXT_MAX_CHARS } from '@agent-console/shared/limits/transcripts';
import type { MessageRow } from '../../ports/rows.ts';
import type { TranscriptMessage } from '../../ports/transcripts.ts';

/** Converts a recorded message to the stored part. A text that is too long is cut. */
export function partsOf({ kind, text }: Pick<TranscriptMessage, 'kind' | 'text'>): MessageRow['parts'] {
  const maxChars = kind === 'toolCall' ? TRANSCRIPT_CALL_MAX_CHARS : TRANSCRIPT_TEXT_MAX_CHARS;
  if (text.length <= maxChars) return [{ type: 'text', text }];
  return [{ type: 'text', text: text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, ''), truncated: true }];
}
