import { firstChars } from '@agent-console/shared/cut';
import { OUTPUT_CALL_MAX_CHARS } from '@agent-console/shared/limits/answers';
import type { MessageRow } from '../../ports/rows.ts';

/** Returns a message as text: a call of a tool in one line, any other message as it is. */
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
