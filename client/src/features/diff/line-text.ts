import { pluralize } from '@agent-console/shared/pluralize';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import type { Line } from './types.ts';

/** Maximum characters shown of a line. Longer lines are probably data, and every browser renders them slowly. */
const LINE_SHOWN_CHARS = 1_000;

/** Returns how many characters of a line are shown. A trailing carriage return is not shown. */
export function shownLength({ text }: Line): number {
  return Math.min(text.endsWith('\r') ? text.length - 1 : text.length, LINE_SHOWN_CHARS);
}

/**
 * Returns a note to show after a line's text: the number of characters that are not shown, a carriage return at the end
 * of a changed line, and a missing newline at the end of the file. Empty for most lines.
 */
export function lineNote(line: Line): string {
  const returns = line.text.endsWith('\r');
  const left = line.text.length - (returns ? 1 : 0) - LINE_SHOWN_CHARS;
  return [
    left > 0 ? ` ... ${pluralize(left, 'more character')}` : '',
    returns && line.kind !== 'same' ? ' \\r' : '',
    line.noNewline ? ' (no newline at end of file)' : '',
  ].join('');
}

/** Returns everything that is shown for a line: its text with hidden characters escaped, and its note. */
export function shownText(line: Line): string {
  return escapeHidden(line.text.slice(0, shownLength(line))) + lineNote(line);
}
