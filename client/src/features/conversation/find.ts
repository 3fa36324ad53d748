import type { Row } from './rows.ts';

/**
 * Lower-case text of each row. The row of an unchanged message stays the same object, so its text is computed only
 * once.
 */
const texts = new WeakMap<Row, string>();

function textOf(row: Row): string {
  if (row.kind === 'end') return row.task.error?.message ?? '';
  if (row.kind === 'plan') return row.steps.map(({ text }) => text).join('\n');
  if (row.kind === 'tool') return JSON.stringify(row.message.parts);
  return row.text;
}

function searched(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = textOf(row).toLowerCase();
  texts.set(row, text);
  return text;
}

/** Caches the texts that the search needs, so that the first search does not freeze the page. */
export function prepareSearch(rows: readonly Row[]): void {
  for (const row of rows) searched(row);
}

/** Returns the indexes of the rows that contain the query, ignoring case; none for an empty query. */
export function matchesIn(rows: readonly Row[], query: string): number[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return rows.flatMap((row, index) => (searched(row).includes(wanted) ? [index] : []));
}

/** Returns the indexes of the rows that begin a turn: prompts and notices. */
export function turnsIn(rows: readonly Row[]): number[] {
  return rows.flatMap(({ kind }, index) => (kind === 'prompt' || kind === 'notices' ? [index] : []));
}

/**
 * Returns the position of the last element of `indexes`, an ascending list, that is at most `at`; -1 if every element
 * is greater.
 */
export function positionAt(indexes: readonly number[], at: number): number {
  return indexes.findLastIndex((index) => index <= at);
}
