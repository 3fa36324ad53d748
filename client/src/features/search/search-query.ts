import { SEARCH_PREFIX_MIN_CHARS } from '@agent-console/shared/limits/search';

/**
 * Returns the query for text that is still being typed: its last word matches as a prefix, and an open quotation mark
 * is closed. Undefined if the text is too short to search for.
 */
export function searchQueryOf(typed: string): string | undefined {
  const text = typed.trim();
  if (text.length < SEARCH_PREFIX_MIN_CHARS) return undefined;
  const isOpen = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isOpen) return text.endsWith('"') ? searchQueryOf(text.slice(0, -1)) : `${text}"`;
  const last = /[\p{L}\p{N}]+$/u.exec(typed)?.[0] ?? '';
  return last.length >= SEARCH_PREFIX_MIN_CHARS && !/["*]$/.test(text) ? `${text}*` : text;
}
