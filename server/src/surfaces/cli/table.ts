import { shortId } from '@agent-console/shared/ids';
import type { CliColumn } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import Table from 'cli-table3';
import { toJson } from './output.ts';

/** Table width when stdout is not a terminal. */
const WIDTH_DEFAULT = 120;
const COLUMN_MIN = 8;
const SHORT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Table style without borders, so that `awk` can split the rows. */
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

/** Returns the heading of a column: AGENT for `agentId`, TITLE for `session.title`, CREATED for `createdAt`. */
export function headingOf(column: CliColumn): string {
  if (typeof column === 'object') return column.heading;
  const [last = '', before] = column
    .split('.')
    .filter((part) => !/^\d+$/.test(part))
    .reverse();
  const words = (last === 'id' && before !== undefined ? before : last).split(/(?=[A-Z])/);
  if (words.length > 1 && /^(?:Id|At)$/.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ').toUpperCase();
}

function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const key of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return value;
}

function cellOf(row: unknown, column: CliColumn, now: number): string {
  const { path, as } = typeof column === 'string' ? { path: column, as: undefined } : column;
  const paths = typeof path === 'string' ? [path] : path;
  const values = paths.map((each) => valueAt(row, each));
  const value = values.find((each) => each !== '' && each !== null && each !== undefined) ?? values.at(-1);
  if (as === 'age') return typeof value === 'string' ? ageOf(value, now) : '-';
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return stripControls(value.join(' '));
  if (typeof value === 'object') return stripControls(JSON.stringify(value));
  const text = stripControls(String(value)).replace(/\s+/g, ' ');
  return UUID.test(text) ? shortId(text) : text;
}

/** Formats an age in the largest whole unit: `45s`, `3m`, `2h`, `4d`. */
function ageOf(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Returns column widths that fit into `available`. The widest columns shrink first; id columns never shrink. */
function fitWidths(natural: readonly number[], available: number, isId: readonly boolean[]): number[] {
  const widths = natural.map((width, at) => (isId[at] ? width : Math.min(width, available)));
  for (let over = widths.reduce((sum, width) => sum + width, 0) - available; over > 0; over -= 1) {
    const widest = widths.reduce((most, width, at) => (!isId[at] && width > (widths[most] ?? 0) ? at : most), -1);
    if ((widths[widest] ?? 0) <= COLUMN_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Formats a table as wide as the terminal. Longer cells are truncated with an ellipsis, or wrapped with `wrap`. */
export function toTable(
  columns: readonly CliColumn[],
  rows: readonly unknown[],
  { width = process.stdout.columns ?? WIDTH_DEFAULT, wrap = false }: { width?: number; wrap?: boolean } = {},
): string {
  const now = Date.now();
  const head = columns.map(headingOf);
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, now)));
  const natural = head.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const isId = head.map((_, at) => cells.some((row) => SHORT_ID.test(row[at] ?? '')));
  const widths = fitWidths(natural, width - 2 * (columns.length - 1), isId);
  const table = new Table({
    head,
    colWidths: widths,
    chars: BORDERLESS,
    wordWrap: wrap,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...cells);
  return table.toString().replace(/ +$/gm, '');
}

/** Formats an object with one line per field and nested values as JSON. Null fields are omitted. */
export function toFieldLines(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toJson(value);
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields
    .map(
      ([name, field]) => `${name.padEnd(width)}  ${formatField(field).replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`,
    )
    .join('\n');
}

function formatField(value: unknown): string {
  return typeof value === 'object' ? toJson(value) : stripControls(String(value));
}
