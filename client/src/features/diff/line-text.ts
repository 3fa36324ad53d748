import { escapeHidden } from '../../ui/hidden-characters.ts';
import type { Line } from './types.ts';

/** Characters shown of a line; more is data, and slows every browser down. */
const LINE_SHOWN_CHARS = 1_000;

/** Number of characters shown of a line: up to the limit, without a trailing carriage return. */
export function shownLength({ text }: Line): number {
  return Math.min(text.endsWith('\r') ? text.length - 1 : text.length, LINE_SHOWN_CHARS);
}

/** Note after a line's text: how much is cut off, and an unusual line end. */
export function lineNote(line: Line): string {
  const returns = line.text.endsWith('\r');
  const left = line.text.length - (returns ? 1 : 0) - LINE_SHOWN_CHARS;
  return [
    left > 0 ? ` ... ${left.toLocaleString('en')} more characters` : '',
    returns && line.kind !== 'same' ? ' \\r' : '',
    line.noNewline ? ' (no newline at end of file)' : '',
  ].join('');
}

/** Everything that is shown of a line. */
export function shownText(line: Line): string {
  return escapeHidden(line.text.slice(0, shownLength(line))) + lineNote(line);
}
