import type { AnswerOption } from '../../ports/agents.ts';
import { unboxed } from './screen-text.ts';

/** A list of answers of which one is marked as chosen. */
export interface OptionList {
  options: AnswerOption[];
  /** Index of the marked answer; -1 where none is. */
  chosen: number;
  /** Whether a sign marks the answer that Enter would choose; without one the list may be any list. */
  marked: boolean;
  /** Lists without numbers look much like any text with a sign before it: count them only with further evidence. */
  numbered: boolean;
  /** Index of the first and last line of the list among those given. */
  first: number;
  last: number;
}

/** ActivityOffsets put before the chosen answer: Claude `❯`, Codex `›`, Gemini `●`; the others are common in such lists. */
const MARKERS = '❯›●▸▶➤>';
const NUMBERED = new RegExp(`^(\\s*)([${MARKERS}]\\s*)?(\\d{1,2})[.)]\\s+(.*\\S)\\s*$`, 'u');
const MARKED = new RegExp(`^(\\s*)[${MARKERS}]\\s+(?!\\d+[.)])(\\S.*)$`, 'u');
/** Lines between two answers that belong to the first: a description, the end of a long label, a line drawn across. */
const BETWEEN_MAX = 4;
/** A line this long goes on in the next one, which is no description then. */
const WRAPPED_AT = 60;

const ALLOW = /^(?:yes|confirm|(?:always )?allow|accept|approve|trust|proceed|continue|run|submit)\b/i;
const DENY = /^(?:no|don['’]t|do not|deny|reject|decline|cancel|exit|quit|back)\b/i;

/** What an answer does, by its first word: the one thing that all agents and versions have in common. */
export function kindOf(label: string): AnswerOption['kind'] {
  if (DENY.test(label)) return 'deny';
  return ALLOW.test(label) ? 'allow' : 'other';
}

/** The list of answers that stands lowest, its answers numbered from 1 without a gap or one below the other; else null. */
export function findOptions(lines: readonly string[]): OptionList | null {
  return numbered(lines) ?? plain(lines);
}

function numbered(lines: readonly string[]): OptionList | null {
  const rows = lines.flatMap((line, index) => {
    const found = NUMBERED.exec(unboxed(line));
    const [, , marker, digits, label] = found ?? [];
    return digits !== undefined && label !== undefined
      ? [
          {
            index,
            marked: marker !== undefined,
            number: Number(digits),
            label: withoutColumns(label) + restOf(lines, index),
          },
        ]
      : [];
  });
  // Upwards from the lowest, each number one less than the one before.
  const list: typeof rows = [];
  for (const row of rows.toReversed()) {
    const above = list[0];
    if (above !== undefined && (row.number !== above.number - 1 || above.index - row.index > BETWEEN_MAX + 1)) break;
    list.unshift(row);
  }
  const [first, last] = [list[0], list.at(-1)];
  if (first === undefined || last === undefined || first.number !== 1 || list.length < 2) return null;
  const options = list.map((row) => ({
    id: String(row.number),
    label: row.label,
    kind: kindOf(row.label),
    keys: String(row.number),
  }));
  const chosen = list.findIndex((row) => row.marked);
  return { options, chosen, marked: chosen >= 0, numbered: true, first: first.index, last: last.index };
}

/** The answers of a list as they are reached with the arrow keys, from the marked one, and taken with Enter. */
export function byArrows({ options, chosen }: OptionList): AnswerOption[] {
  return options.map((option, index) => {
    const steps = index - Math.max(chosen, 0);
    return { ...option, keys: `${(steps < 0 ? '\x1b[A' : '\x1b[B').repeat(Math.abs(steps))}\r` };
  });
}

/** The end of a label that was too long for the line. */
function restOf(lines: readonly string[], index: number): string {
  const [line, next] = [unboxed(lines[index] ?? ''), unboxed(lines[index + 1] ?? '')];
  const indented = /^\s{3,}\S/.test(next) && !NUMBERED.test(next);
  return line.length >= WRAPPED_AT && indented ? ` ${next.trim()}` : '';
}

/** Answers without numbers are reached with the arrow keys, from the marked one. */
function plain(lines: readonly string[]): OptionList | null {
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
  const options = lines.slice(first, last + 1).map((line, index) => {
    const label = withoutColumns(unboxed(line).slice(column).trim());
    return { id: String(index + 1), label, kind: kindOf(label), keys: '' };
  });
  const list: OptionList = { options, chosen: marked - first, marked: true, numbered: false, first, last };
  return { ...list, options: byArrows(list) };
}

/** The answer itself, where a description stands beside it in a second column. */
function withoutColumns(label: string): string {
  return (label.split(/\s{2,}/)[0] ?? label).trim();
}
