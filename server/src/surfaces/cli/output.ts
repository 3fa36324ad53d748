import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import { stripControls } from '@agent-console/shared/text';
import Table from 'cli-table3';

/** Width assumed where the output is no terminal. */
const WIDTH_DEFAULT = 120;
const CELL_MIN = 8;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** No borders: rows can be read by `awk` as well. */
const BARE = {
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

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** JSON that no terminal takes for a command: JSON itself escapes the C0 controls, not the C1 ones. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\x7f-\x9f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function cellOf(row: unknown, path: string): string {
  let value = row;
  for (const key of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return stripControls(value.join(' '));
  if (typeof value === 'object') return stripControls(JSON.stringify(value));
  const text = stripControls(String(value)).replace(/\s+/g, ' ');
  return UUID.test(text) ? shortId(text) : text;
}

/** Widths that fit: narrow columns keep theirs, the widest give way. */
function fit(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= CELL_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Rows for people, as wide as the terminal; longer cells end in an ellipsis, or go on below with `wrap`. */
export function toTable(
  columns: readonly string[],
  rows: readonly unknown[],
  { width = process.stdout.columns ?? WIDTH_DEFAULT, wrap = false }: { width?: number; wrap?: boolean } = {},
): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column)));
  const natural = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const widths = fit(natural, width - 2 * (columns.length - 1));
  const table = new Table({
    head: columns.map((column) => column.toUpperCase()),
    colWidths: widths,
    chars: BARE,
    wordWrap: wrap,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...cells);
  return table.toString().replace(/ +$/gm, '');
}

/** Text of an agent for a person's terminal: line breaks stay, nothing in it commands the terminal. */
export function withoutControls(text: string): string {
  return stripControls(text);
}

/** One thing for people: a line for each of its fields, what has parts of its own as JSON. */
export function toFacts(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toJson(value);
  const facts = Object.entries(value).filter(([, fact]) => fact !== null && fact !== undefined);
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  return facts
    .map(([name, fact]) => `${name.padEnd(width)}  ${factText(fact).replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`)
    .join('\n');
}

function factText(fact: unknown): string {
  return typeof fact === 'object' ? toJson(fact) : stripControls(String(fact));
}

/** Shows a failure on stderr and answers with its exit status. */
export function reportError(error: unknown, json: boolean): number {
  const known =
    error instanceof ConsoleError
      ? error
      : new ConsoleError('INTERNAL', error instanceof Error ? error.message : String(error), {}, { cause: error });
  process.stderr.write(json ? `${toJson(known.toBody())}\n` : `${known.code}: ${stripControls(known.message)}\n`);
  return ERRORS[known.code].exit;
}
