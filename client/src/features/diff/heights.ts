import { shownText } from './line-text.ts';
import type { Row } from './rows.ts';
import type { Line } from './types.ts';
import { breaksOf } from './wrap.ts';

const LINE_PX = 20;
export const FILE_PX = 36;
/**
 * Heights of rows without code, in pixels. Rows with `isExact: false` have a variable height and are measured when
 * rendered.
 */
const HEIGHTS = {
  file: { height: FILE_PX, isExact: true },
  hunk: { height: 24, isExact: true },
  note: { height: 40, isExact: false },
  comment: { height: 88, isExact: false },
  editor: { height: 156, isExact: false },
} as const;
/** Width of a code character in pixels, used until the real width is measured. */
export const CHARACTER_PX = 7.2;
/**
 * Ratio of the width of a digit of a line number to the width of a character of code. diff.css sets their font sizes in
 * this ratio.
 */
const NUMBER_PER_CHARACTER = 11 / 12;
/**
 * Widths in pixels, in this order: padding of a line number; sign and padding of a line of code; border between the
 * sides.
 */
const NUMBER_PADDING_PX = 12;
const CODE_PADDING_PX = 28;
const BETWEEN_PX = 1;

/**
 * Returns the width of the line numbers and the number of columns left for code. `width` and `character` are in pixels;
 * `digits` is the number of digits of the highest line number.
 */
export function lineLayout(width: number, character: number, digits: number, split: boolean) {
  const numbers = split ? digits : digits * 2 + 1;
  const numberPx = Math.ceil(numbers * character * NUMBER_PER_CHARACTER) + NUMBER_PADDING_PX;
  const whole = split ? Math.floor(width / 2) - BETWEEN_PX : width;
  return { numberPx, columns: Math.max(10, Math.floor((whole - numberPx - CODE_PADDING_PX) / character)) };
}

/** Returns the height of a row in pixels, and whether it is exact or must be measured. */
export function heightOf(row: Row, columns: number): { height: number; isExact: boolean } {
  switch (row.kind) {
    case 'line':
      return heightOfLine(row.line, columns);
    case 'pair': {
      const left = heightOfLine(row.left, columns);
      if (row.left === row.right) return left;
      const right = heightOfLine(row.right, columns);
      return { height: Math.max(left.height, right.height), isExact: left.isExact && right.isExact };
    }
    default:
      return HEIGHTS[row.kind];
  }
}

interface LineHeight {
  columns: number;
  height: number;
  isExact: boolean;
}
const EMPTY = { height: LINE_PX, isExact: true };
/**
 * The computed height of each line. It stays valid when rows are added or removed, for example when a file is
 * collapsed.
 */
const known = new WeakMap<Line, LineHeight>();

function heightOfLine(line: Line | undefined, columns: number): { height: number; isExact: boolean } {
  if (line === undefined) return EMPTY;
  const before = known.get(line);
  if (before?.columns === columns) return before;
  const result = { columns, ...computeHeight(line, columns) };
  known.set(line, result);
  return result;
}

function computeHeight(line: Line, columns: number): { height: number; isExact: boolean } {
  const text = shownText(line);
  const breaks = breaksOf(text, columns);
  if (breaks !== undefined) return { height: LINE_PX * breaks.length, isExact: true };
  // A line this short fits into one row even if each character has the maximum width of four columns.
  if (text.length * 4 < columns) return { height: LINE_PX, isExact: true };
  return { height: LINE_PX * Math.max(1, Math.ceil(text.length / columns)), isExact: false };
}
