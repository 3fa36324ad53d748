import { shownText } from './line-text.ts';
import type { Row } from './rows.ts';
import type { Line } from './types.ts';
import { breaksOf } from './wrap.ts';

/**
 * Heights in pixels of a line of code and of the heading of a file, and the minimum width of the line numbers. They are
 * larger on a phone, where a finger has to hit the heading and the line numbers.
 */
const SIZES = { linePx: 20, filePx: 36, numberMinPx: 0 };
const PHONE_SIZES = { linePx: 24, filePx: 44, numberMinPx: 40 };
/**
 * Heights of rows without code, in pixels. Rows with `isExact: false` have a variable height and are measured when
 * rendered.
 */
const HEIGHTS = {
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

/** Sizes on which the heights of rows depend: the number of columns for code, and heights in pixels. */
export interface RowSizes {
  columns: number;
  linePx: number;
  filePx: number;
}

/**
 * Returns the width of the line numbers, the number of columns left for code, and the heights of lines and headings.
 * `width` and `character` are in pixels; `digits` is the number of digits of the highest line number.
 */
export function lineLayout(given: {
  width: number;
  character: number;
  digits: number;
  split: boolean;
  isPhone: boolean;
}): RowSizes & { numberPx: number } {
  const { width, character, digits, split, isPhone } = given;
  const { linePx, filePx, numberMinPx } = isPhone ? PHONE_SIZES : SIZES;
  const numbers = split ? digits : digits * 2 + 1;
  const numberPx = Math.max(numberMinPx, Math.ceil(numbers * character * NUMBER_PER_CHARACTER) + NUMBER_PADDING_PX);
  const whole = split ? Math.floor(width / 2) - BETWEEN_PX : width;
  const columns = Math.max(10, Math.floor((whole - numberPx - CODE_PADDING_PX) / character));
  return { numberPx, columns, linePx, filePx };
}

/** Returns the height of a row in pixels, and whether it is exact or must be measured. */
export function heightOf(row: Row, sizes: RowSizes): { height: number; isExact: boolean } {
  switch (row.kind) {
    case 'file':
      return { height: sizes.filePx, isExact: true };
    case 'line':
      return heightOfLine(row.line, sizes);
    case 'pair': {
      const left = heightOfLine(row.left, sizes);
      if (row.left === row.right) return left;
      const right = heightOfLine(row.right, sizes);
      return { height: Math.max(left.height, right.height), isExact: left.isExact && right.isExact };
    }
    default:
      return HEIGHTS[row.kind];
  }
}

interface LineHeight {
  columns: number;
  linePx: number;
  height: number;
  isExact: boolean;
}
/**
 * The computed height of each line. It stays valid when rows are added or removed, for example when a file is
 * collapsed.
 */
const known = new WeakMap<Line, LineHeight>();

function heightOfLine(line: Line | undefined, sizes: RowSizes): { height: number; isExact: boolean } {
  const { columns, linePx } = sizes;
  if (line === undefined) return { height: linePx, isExact: true };
  const before = known.get(line);
  if (before?.columns === columns && before.linePx === linePx) return before;
  const result = { columns, linePx, ...computeHeight(line, sizes) };
  known.set(line, result);
  return result;
}

function computeHeight(line: Line, { columns, linePx }: RowSizes): { height: number; isExact: boolean } {
  const text = shownText(line);
  const breaks = breaksOf(text, columns);
  if (breaks !== undefined) return { height: linePx * breaks.length, isExact: true };
  // A line this short fits into one row even if each character has the maximum width of four columns.
  if (text.length * 4 < columns) return { height: linePx, isExact: true };
  return { height: linePx * Math.max(1, Math.ceil(text.length / columns)), isExact: false };
}
