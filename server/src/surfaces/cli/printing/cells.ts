import { shortId } from '@agent-console/shared/ids';
import type { CliColumn, Noun } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Names of entities. The keys are of the form `<noun> <id>`. */
export type NamesById = ReadonlyMap<string, string>;

export interface CellOptions {
  now: number;
  /** Shows times instead of ages, and ids in full. */
  wide: boolean;
  names: NamesById;
}

type ColumnObject = Exclude<CliColumn, string>;

export const asObject = (column: CliColumn): ColumnObject =>
  typeof column === 'string' ? { heading: headingOf(column), path: column } : column;

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

/** Returns the columns to show. Columns that are marked `wide` are shown only with `--output wide`. */
export function shownColumns(columns: readonly CliColumn[], wide: boolean): readonly CliColumn[] {
  return columns.filter((column) => wide || typeof column === 'string' || column.wide !== true);
}

function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const key of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return value;
}

/** Returns the unformatted value that a column shows for a row. */
export function rawValueOf(row: unknown, column: CliColumn): unknown {
  const { path = [], value } = asObject(column);
  if (value !== undefined) return value(row as never);
  const values = [path].flat().map((each) => valueAt(row, each));
  return values.find((each) => each !== '' && each !== null && each !== undefined) ?? values.at(-1);
}

/** Returns the noun (such as `session`) of the entities that a column shows by name instead of by id, if any. */
export function nounOf(row: unknown, column: CliColumn): Noun | undefined {
  const { names } = asObject(column);
  return typeof names === 'function' ? names(row as never) : names;
}

/** Returns the ids that these columns show by name, as pairs of noun and id. */
export function idsToName(columns: readonly CliColumn[], rows: readonly unknown[]): [Noun, string][] {
  return columns.flatMap((column) =>
    rows.flatMap((row): [Noun, string][] => {
      const noun = nounOf(row, column);
      if (noun === undefined) return [];
      const id = rawValueOf(row, column);
      return typeof id === 'string' && UUID.test(id) ? [[noun, id]] : [];
    }),
  );
}

/** Returns the text of a cell: the formatted value that the column shows for the row, or `-` if there is none. */
export function cellOf(row: unknown, column: CliColumn, { now, wide, names }: CellOptions): string {
  const value = rawValueOf(row, column);
  const { as } = asObject(column);
  const noun = nounOf(row, column);
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return oneLine(value.join(' ')) || '-';
  if (typeof value === 'object') return oneLine(JSON.stringify(value));
  const text = String(value);
  if (noun !== undefined) return oneLine(names.get(`${noun} ${text}`) ?? (wide ? text : shortId(text)));
  if (as === 'age' || TIMESTAMP.test(text)) return wide ? localTime(text) : ageOf(text, now);
  const line = oneLine(text);
  return !wide && UUID.test(line) ? shortId(line) : line;
}

function oneLine(text: string): string {
  return stripControls(text.replace(/\s+/g, ' ')).trim();
}

/** Formats an age in the largest whole unit: `45s`, `3m`, `2h`, `4d`. A time in the future is formatted as `in 3m`. */
function ageOf(since: string, now: number): string {
  const difference = Math.floor((now - Date.parse(since)) / 1_000);
  const seconds = Math.abs(difference);
  const sign = difference < -5 ? 'in ' : '';
  if (difference < 0 && sign === '') return '0s';
  if (seconds < 60) return `${sign}${seconds}s`;
  if (seconds < 3_600) return `${sign}${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${sign}${Math.floor(seconds / 3_600)}h` : `${sign}${Math.floor(seconds / 86_400)}d`;
}

/** Formats a time in the time zone of this process: `2026-01-02 03:04:05`. */
function localTime(text: string): string {
  const time = new Date(text);
  const twoDigits = (part: number) => String(part).padStart(2, '0');
  const date = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':')}`;
}

/** Formats a time for a line of the details of an entity: `3m ago (2026-01-02 03:04:05)`. */
export function timeOf(text: string, now: number): string {
  const age = ageOf(text, now);
  return `${age.startsWith('in ') ? age : `${age} ago`} (${localTime(text)})`;
}

export const isTime = (value: unknown): value is string => typeof value === 'string' && TIMESTAMP.test(value);
