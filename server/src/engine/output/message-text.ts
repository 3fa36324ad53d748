import { firstChars } from '@agent-console/shared/cut';
import { OUTPUT_CALL_MAX_CHARS } from '@agent-console/shared/limits/answers';
import type { MessageRow } from '../../ports/rows.ts';

/**
 * Returns a message as text: a tool call as one line of limited length, any other message in full. An image becomes
 * `[image]`.
 */
export function textOfMessage({ kind, parts }: Pick<MessageRow, 'kind' | 'parts'>): string {
  const text = parts
    .map(({ type, text, title, status, truncated }) => {
      if (type === 'image') return '[image]';
      const shown = [text, title, status].filter((part) => typeof part === 'string').join(' · ');
      return truncated === true ? `${shown}… [cut; the rest is not stored]` : shown;
    })
    .join('\n');
  if (kind !== 'toolCall') return text;
  const line = text.replace(/\s+/g, ' ');
  return line.length <= OUTPUT_CALL_MAX_CHARS ? line : `${firstChars(line, OUTPUT_CALL_MAX_CHARS - 1)}…`;
}
