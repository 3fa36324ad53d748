/** Returns an id that sorts by time, like the ids of the console. */
export const idOf = (kind, n) => `0198f000-${kind}000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/**
 * Prepares a statement that copies a row of a table with new values for `columns`. The caller need not know the other
 * columns.
 * @param {string} source end of the query that selects the row, from `where` or `order by` on
 */
export function copier(database, table, columns, source = 'order by id limit 1') {
  const all = database.pragma(`table_info(${table})`).map(({ name }) => name);
  const values = all.map((name) => (columns.includes(name) ? `@${name}` : `"${name}"`));
  const names = all.map((name) => `"${name}"`).join(', ');
  return database.prepare(`insert into ${table} (${names}) select ${values.join(', ')} from ${table} ${source}`);
}
