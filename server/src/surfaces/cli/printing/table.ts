import type { CliColumn } from '@agent-console/shared/operation';
import Table from 'cli-table3';
import { asObject, cellOf, headingOf, type NamesById, shownColumns } from './cells.ts';
import { bold, colored, type Screen, screenOf, widthOf } from './screen.ts';

const COLUMN_MIN = 8;
const SHORT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}/;
const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

export interface TableOptions {
  screen?: Screen;
  /** Wraps long cells instead of cutting them. */
  wrap?: boolean;
  /** Adds columns, and shows times and ids in full; nothing is cut. */
  wide?: boolean;
  names?: NamesById;
}

/**
 * Returns column widths that fit into `available`. The widest columns shrink first. Id columns never shrink, and no
 * column shrinks below COLUMN_MIN, so the widths may still not fit.
 */
function fitWidths(contentWidths: readonly number[], available: number, isId: readonly boolean[]): number[] {
  const widths = contentWidths.map((width, at) => (isId[at] ? width : Math.min(width, available)));
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess -= 1) {
    const widest = widths.reduce((most, width, at) => (!isId[at] && width > (widths[most] ?? 0) ? at : most), -1);
    if ((widths[widest] ?? 0) <= COLUMN_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/**
 * Formats a table that fits the width of the terminal. Long cells are cut with an ellipsis, or wrapped if `wrap` is
 * set. In a pipe or a file, a tab separates cells without padding, so that `cut` and `awk` can split rows whose cells
 * contain spaces.
 */
export function toTable(
  columns: readonly CliColumn[],
  rows: readonly unknown[],
  { screen = screenOf(), wrap = false, wide = false, names = new Map() }: TableOptions = {},
): string {
  const shown = shownColumns(columns, wide);
  const head = shown.map(headingOf);
  const now = Date.now();
  const cells = rows.map((row) => shown.map((column) => cellOf(row, column, { now, wide, names })));
  if (screen.width === Number.POSITIVE_INFINITY) return [head, ...cells].map((row) => row.join('\t')).join('\n');
  const contentWidths = head.map((heading, at) =>
    Math.max(heading.length, ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  const isId = head.map((_, at) => cells.some((row) => SHORT_ID.test(row[at] ?? '')));
  const width = wide ? Number.POSITIVE_INFINITY : screen.width;
  const table = new Table({
    head: screen.hasColor ? head.map(bold) : head,
    colWidths: fitWidths(contentWidths, width - 2 * (shown.length - 1), isId),
    chars: BORDERLESS,
    wordWrap: wrap,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  const isState = shown.map((column) => screen.hasColor && asObject(column).as === 'state');
  table.push(...cells.map((row) => row.map((cell, at) => (isState[at] ? colored(cell) : cell))));
  return table.toString().replace(/ +$/gm, '');
}
