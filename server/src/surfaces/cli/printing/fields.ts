import type { CliColumn } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import { stringify } from 'yaml';
import { asObject, cellOf, isTime, type NamesById, nounOf, rawValueOf, shownColumns, timeOf } from './cells.ts';
import { colored, type Screen, screenOf } from './screen.ts';

/** A label and its value. The value may have several lines. */
type Line = readonly [label: string, value: string];

/** Returns a label in words: `Setup command` for `setupCommand`, `Agent` for `agentId`, `ID` for `id`. */
function labelOf(name: string): string {
  if (name === 'id') return 'ID';
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  if (words.length > 1 && /^(?:id|at)$/.test(words.at(-1) ?? '')) words.pop();
  const [first = '', ...rest] = words;
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest].join(' ');
}

function layOut(lines: readonly Line[]): string {
  const width = Math.max(0, ...lines.map(([label]) => label.length)) + 2;
  return lines
    .map(([label, value]) => `${label.padEnd(width)}${value.replaceAll('\n', `\n${' '.repeat(width)}`)}`)
    .join('\n');
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function textOf(value: unknown, now: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isTime(value)) return timeOf(value, now);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return stripControls(value.join(value.some((item) => /\s/.test(String(item))) ? '\n' : ' '));
  return typeof value === 'object' ? toYaml(value).trimEnd() : stripControls(String(value));
}

/** Returns YAML without control characters, so that no value can control the terminal. */
export function toYaml(value: unknown): string {
  return stripControls(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}

/** Formats an object with one labelled line per field, and nested values as YAML. Empty fields are omitted. */
export function toFieldLines(value: unknown): string {
  const now = Date.now();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return textOf(value, now);
  const fields = Object.entries(value).filter(([, field]) => !isEmpty(field));
  const names = new Set(fields.map(([name]) => labelOf(name)));
  // If two fields would have the same label, all labels keep the suffixes `Id` and `At`.
  const label = (name: string) =>
    names.size === fields.length ? labelOf(name) : labelOf(`${name}\u0000`).replace('\u0000', '');
  return layOut(fields.map(([name, field]): Line => [label(name), textOf(field, now)]));
}

/** Formats the details of an entity: one line for each column that has a value. */
export function describe(
  columns: readonly CliColumn[],
  value: unknown,
  { wide, names, screen = screenOf() }: { wide: boolean; names: NamesById; screen?: Screen },
): string {
  const now = Date.now();
  const lines = shownColumns(columns, wide).flatMap((column): Line[] => {
    const found = rawValueOf(value, column);
    if (isEmpty(found)) return [];
    const { heading, as } = asObject(column);
    const noun = nounOf(value, column);
    if (noun !== undefined) {
      const name = names.get(`${noun} ${found}`);
      return [[heading, name === undefined ? String(found) : `${stripControls(name)} (${found})`]];
    }
    if (typeof found === 'object' || isTime(found) || typeof found === 'boolean')
      return [[heading, textOf(found, now)]];
    if (as === 'state' && screen.hasColor)
      return [[heading, colored(cellOf(value, column, { now, wide: true, names }))]];
    return [[heading, stripControls(String(found))]];
  });
  return layOut(lines);
}
