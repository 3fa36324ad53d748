import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import type { CliColumn } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import Table from 'cli-table3';

/** Width assumed where the output is no terminal. */
const WIDTH_DEFAULT = 120;
const CELL_MIN = 8;
const SHORT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}$/;
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

/** What stands above a column: `agentId` is headed AGENT, `session.title` TITLE, `createdAt` CREATED. */
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

/** How long ago, in the largest whole unit: `45s`, `3m`, `2h`, `4d`. */
function ageOf(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Widths that fit: narrow columns and those of ids keep theirs, the widest of the others give way. */
function fit(natural: readonly number[], room: number, isId: readonly boolean[]): number[] {
  const widths = natural.map((width, at) => (isId[at] ? width : Math.min(width, room)));
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.reduce((most, width, at) => (!isId[at] && width > (widths[most] ?? 0) ? at : most), -1);
    if ((widths[widest] ?? 0) <= CELL_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Rows for people, as wide as the terminal; longer cells end in an ellipsis, or go on below with `wrap`. */
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
  const widths = fit(natural, width - 2 * (columns.length - 1), isId);
  const table = new Table({
    head,
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

/** Commands of ours in a text as whoever reads it calls them: in a clone the program is not on the PATH, but npx finds it. */
export function asCalled(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return env.npm_config_user_agent === undefined
    ? text
    : text.replace(/(?<![\w/.-])agent-console (?=[a-z])/g, 'npx $&');
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
  process.stderr.write(
    json ? `${toJson(known.toBody())}\n` : `${known.code}: ${asCalled(stripControls(known.message))}\n`,
  );
  return ERRORS[known.code].exit;
}
