import type { ParameterValue } from '@agent-console/shared/models/orchestration-definition';

/** A part of a text: literal text, or the name between `${{` and `}}`. */
type Part = { text: string } | { name: string; offset: number };

export interface Placeholders {
  parts: readonly Part[];
  names: readonly { name: string; offset: number }[];
  /**
   * Name of the placeholder if the text is a single placeholder, apart from surrounding white space; otherwise null.
   * Only a value that replaces a whole text keeps its type: a list, for example, then stays a list.
   */
  whole: string | null;
  mistakes: readonly { offset: number; message: string }[];
}

export const OPEN = '${{';
const CLOSE = '}}';
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Finds the placeholders in a text. `$${{` is an escaped `${{`. Offsets are relative to the text. */
export function findPlaceholders(text: string): Placeholders {
  const parts: Part[] = [];
  const mistakes: { offset: number; message: string }[] = [];
  let from = 0;
  for (let at = text.indexOf(OPEN); at >= 0; at = text.indexOf(OPEN, from)) {
    if (text[at - 1] === '$' && at - 1 >= from) {
      parts.push({ text: `${text.slice(from, at - 1)}${OPEN}` });
      from = at + OPEN.length;
      continue;
    }
    const end = text.indexOf(CLOSE, at);
    const lineEnd = text.indexOf('\n', at);
    if (end < 0 || (lineEnd >= 0 && lineEnd < end)) {
      mistakes.push({
        offset: at,
        message: `"${OPEN}" without "${CLOSE}"; write "$${OPEN}" for a literal "${OPEN}"`,
      });
      break;
    }
    const name = text.slice(at + OPEN.length, end).trim();
    parts.push({ text: text.slice(from, at) });
    if (NAME.test(name)) parts.push({ name, offset: at });
    else
      mistakes.push({
        offset: at,
        message: `"${text.slice(at, end + CLOSE.length).slice(0, 80)}" must contain the name of a parameter and nothing else`,
      });
    from = end + CLOSE.length;
  }
  parts.push({ text: text.slice(from) });
  const names = parts.filter((part) => 'name' in part);
  const rest = parts.every((part) => 'name' in part || part.text.trim() === '');
  return {
    parts,
    names,
    whole: names.length === 1 && mistakes.length === 0 && rest ? (names[0]?.name ?? null) : null,
    mistakes,
  };
}

/** Converts a value to text: a list to one line per item, a missing value to an empty text. */
export function toText(value: ParameterValue | undefined): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.map((item) => `- ${item}`).join('\n') : String(value);
}
