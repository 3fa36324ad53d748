import { median, short, spread } from './stats.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} unit
 * @property {number[]} ours one value per repetition
 * @property {number[]} [limit] values of what the row is compared with, one per repetition
 * @property {string} [against] name of what the row is compared with
 * @property {import('./aims.mjs').Aim} [aim]
 * @property {string} [note]
 */

/** Returns whether a row meets its aim; undefined if the row has no aim. @param {Row} row */
export function reaches({ aim, ours, limit = [] }) {
  return aim?.holds(ours, limit);
}

/** @param {Row} row */
export function ratio({ ours, limit = [] }) {
  return limit.length === 0 || median(limit) === 0 ? undefined : median(ours) / median(limit);
}

const HEAD = ['', 'ours', 'limit', 'ours / limit', 'aim', ''];

/** Formats the rows as a Markdown table. @param {{id: string, row: Row}[]} rows */
export function table(rows) {
  const lines = rows.map(({ id, row }) => {
    const ours = `${spread(row.ours)} ${row.unit}`;
    const limit = row.limit === undefined ? '-' : `${spread(row.limit)} ${row.unit} (${row.against})`;
    const times = ratio(row);
    const reached = reaches(row);
    const mark = reached === undefined ? '' : reached ? '✓' : '✗';
    const name = row.note === undefined ? row.name : `${row.name} (${row.note})`;
    return [`${id} ${name}`, ours, limit, times === undefined ? '-' : short(times), row.aim?.text ?? '-', mark];
  });
  const widths = HEAD.map((head, n) =>
    Math.max(...[head, ...lines.map((line) => line[n])].map((cell) => [...cell].length)),
  );
  const format = (cells) =>
    `| ${cells.map((cell, n) => cell + ' '.repeat(widths[n] - [...cell].length)).join(' | ')} |`;
  return [format(HEAD), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(format)].join('\n');
}
