import type { AnswerOption } from '../../ports/agents.ts';
import { unboxed } from './screen-text.ts';

/** A list of answers on a screen. One of them may be marked as chosen. */
export interface OptionList {
  options: AnswerOption[];
  /** Index of the marked answer, or -1. */
  chosen: number;
  /**
   * Whether a marker shows the answer that Enter would choose. Without a marker, the list may be ordinary text instead
   * of answers.
   */
  marked: boolean;
  /**
   * Whether the answers are numbered. A list without numbers resembles any text, so more evidence of a question is
   * needed.
   */
  numbered: boolean;
  /** Indexes of the list's first and last line among the lines passed in. */
  first: number;
  last: number;
}

/**
 * Markers of the chosen answer: `❯` in Claude Code, `›` in Codex, `●` in Gemini. The other markers are common in lists
 * of answers.
 */
const MARKERS = '❯›●▸▶➤>';
const NUMBERED = new RegExp(`^(\\s*)([${MARKERS}]\\s*)?(\\d{1,2})[.)]\\s+(.*\\S)\\s*$`, 'u');
const MARKED = new RegExp(`^(\\s*)[${MARKERS}]\\s+(?!\\d+[.)])(\\S.*)$`, 'u');
/** Maximum number of lines between two answers: a description, the end of a long label, a horizontal line. */
const BETWEEN_MAX = 4;
/**
 * An answer's line of at least this length continues on the next line. After a shorter line, the next line describes
 * the answer.
 */
const WRAPPED_AT = 60;

const ALLOW = /^(?:yes|confirm|(?:always )?allow|accept|approve|trust|proceed|continue|run|submit)\b/i;
const DENY = /^(?:no|don['’]t|do not|deny|reject|decline|cancel|exit|quit|back)\b/i;

/**
 * Returns whether an answer allows, denies or does something else, determined by its first word. The other words differ
 * between agents and versions.
 */
export function kindOf(label: string): AnswerOption['kind'] {
  if (DENY.test(label)) return 'deny';
  return ALLOW.test(label) ? 'allow' : 'other';
}

/**
 * Finds the lowest list of answers on the screen that are numbered from 1 without gaps. If there is none, finds answers
 * without numbers: the consecutive lines around the lowest marker. Null if there are no answers.
 */
export function findOptions(lines: readonly string[]): OptionList | null {
  return numberedList(lines) ?? plainList(lines);
}

function numberedList(lines: readonly string[]): OptionList | null {
  const rows = lines.flatMap((line, index) => {
    const [, , marker, digits, label] = NUMBERED.exec(unboxed(line)) ?? [];
    if (digits === undefined || label === undefined) return [];
    const number = Number(digits);
    return [{ index, marked: marker !== undefined, number, label: firstColumn(label) + continuation(lines, index) }];
  });
  // Going upwards from the lowest row, the number of each row must be one less than that of the row below it.
  const list: typeof rows = [];
  for (const row of rows.toReversed()) {
    const below = list[0];
    if (below !== undefined && (row.number !== below.number - 1 || below.index - row.index > BETWEEN_MAX + 1)) break;
    list.unshift(row);
  }
  const [first, last] = [list[0], list.at(-1)];
  if (first === undefined || last === undefined || first.number !== 1 || list.length < 2) return null;
  const options = list.map(({ number, label }) => ({
    id: String(number),
    label,
    kind: kindOf(label),
    keys: String(number),
  }));
  const chosen = list.findIndex((row) => row.marked);
  return { options, chosen, marked: chosen >= 0, numbered: true, first: first.index, last: last.index };
}

/**
 * Returns the answers, each with the keys that choose it: the arrow keys from the marked answer to this answer, then
 * Enter.
 */
export function byArrows({ options, chosen }: Pick<OptionList, 'options' | 'chosen'>): AnswerOption[] {
  return options.map((option, index) => {
    const steps = index - Math.max(chosen, 0);
    return { ...option, keys: `${(steps < 0 ? '\x1b[A' : '\x1b[B').repeat(Math.abs(steps))}\r` };
  });
}

/** Returns the rest of a label that continues on the next line, or an empty text. */
function continuation(lines: readonly string[], index: number): string {
  const [line, next] = [unboxed(lines[index] ?? ''), unboxed(lines[index + 1] ?? '')];
  const indented = /^\s{3,}\S/.test(next) && !NUMBERED.test(next);
  return line.length >= WRAPPED_AT && indented ? ` ${next.trim()}` : '';
}

/** Finds answers without numbers, which can only be reached with the arrow keys. */
function plainList(lines: readonly string[]): OptionList | null {
  const marked = lines.findLastIndex((line) => MARKED.test(unboxed(line)));
  const found = MARKED.exec(unboxed(lines[marked] ?? ''));
  if (found?.[2] === undefined) return null;
  const column = unboxed(lines[marked] ?? '').indexOf(found[2]);
  const isRow = (index: number) => {
    const line = unboxed(lines[index] ?? '');
    return line.length > column && line.slice(0, column).trim() === '' && line[column] !== ' ';
  };
  let first = marked;
  let last = marked;
  while (first > 0 && isRow(first - 1)) first -= 1;
  while (last + 1 < lines.length && isRow(last + 1)) last += 1;
  if (first === last) return null;
  const withoutKeys = lines.slice(first, last + 1).map((line, index) => {
    const label = firstColumn(unboxed(line).slice(column).trim());
    return { id: String(index + 1), label, kind: kindOf(label), keys: '' };
  });
  const chosen = marked - first;
  return { options: byArrows({ options: withoutKeys, chosen }), chosen, marked: true, numbered: false, first, last };
}

/** Returns the answer itself, without a description in a second column. */
function firstColumn(label: string): string {
  return (label.split(/\s{2,}/)[0] ?? label).trim();
}
