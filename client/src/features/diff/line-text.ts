import { escapeHidden } from '../../ui/hidden-characters.ts';
import type { Line } from './types.ts';

/** Characters of a line that are shown; more is data, and slows every browser down. */
const LINE_SHOWN_CHARS = 1_000;

/** How many of a line's characters are shown: not those beyond the limit, nor a carriage return at its end. */
export function shownLength({ text }: Line): number {
  return Math.min(text.endsWith('\r') ? text.length - 1 : text.length, LINE_SHOWN_CHARS);
}

/** What is told behind a line's text: how much is left out, and how it ends where that is unusual. */
export function lineNote(line: Line): string {
  const returns = line.text.endsWith('\r');
  const left = line.text.length - (returns ? 1 : 0) - LINE_SHOWN_CHARS;
  return [
    left > 0 ? ` ... ${left.toLocaleString('en')} more characters` : '',
    returns && line.kind !== 'same' ? ' \\r' : '',
    line.noNewline ? ' (no newline at the end)' : '',
  ].join('');
}

/** All that stands on the page for a line. */
export function shownText(line: Line): string {
  return escapeHidden(line.text.slice(0, shownLength(line))) + lineNote(line);
}
