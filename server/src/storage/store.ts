import { and, asc, count, desc, eq, getTableColumns, type SQL, sql, sum } from 'drizzle-orm';
import type { BaseSQLiteDatabase, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ColumnsOf, NewRowOf, RowOf } from '../ports/rows.ts';
import type { FindOptions, Store, Where } from '../ports/storage.ts';
import { cacheKeyOf, clausesOf, columnNamed, conditionOf, encode, valuesOf } from './conditions.ts';

export type Database = BaseSQLiteDatabase<'sync', unknown, Record<string, never>>;

/**
 * Returns a drizzle placeholder for each of these columns, to be passed to `values` or `set` of a prepared statement.
 */
export function placeholders(names: readonly string[]): Record<string, SQL> {
  // Each placeholder is wrapped in `sql`, because drizzle would otherwise encode the already encoded value again, even
  // a null.
  return Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
}

/**
 * Returns the values of a row for the placeholders that `placeholders` returns, in the driver's encoding. Undefined
 * values are left out.
 */
export function driverValues(table: SQLiteTable, row: object): Record<string, unknown> {
  const columns = getTableColumns(table);
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, encode(columnNamed(columns, name), value)]),
  );
}

/**
 * Returns the columns that a store reads. Author columns are left out, because they are only for people who inspect the
 * database.
 */
function readColumns(table: SQLiteTable): Record<string, SQLiteColumn> {
  const { createdBy, viaSessionId, ...others } = getTableColumns(table);
  return createdBy === undefined ? getTableColumns(table) : others;
}

/** Returns the column that identifies a row: the primary key, or `id` if the primary key has several columns. */
function keyOf(table: SQLiteTable): [name: string, column: SQLiteColumn] {
  const columns = Object.entries(getTableColumns(table));
  const key = columns.find(([, column]) => column.primary) ?? columns.find(([name]) => name === 'id');
  if (key === undefined)
    throw new Error('A store requires a table whose primary key is one column, or which has a column "id".');
  return key;
}

/**
 * Maximum number of cached statements per table. In practice, the server uses fewer statements. Each takes about 10 kB.
 */
const STATEMENTS_MAX = 200;

/** Least-recently-used cache of prepared statements. Preparing a statement costs six times as much as running it. */
function createStatements() {
  const cached = new Map<string, unknown>();
  return {
    /**
     * Returns the cached statement for a key of these parts, or prepares it. Calls with the same parts must have the
     * same `prepare`, so that the statement has the expected type. If a part is undefined, the statement is not cached.
     */
    of<Statement>(parts: readonly (string | undefined)[], prepare: () => Statement): Statement {
      if (parts.includes(undefined)) return prepare();
      const key = parts.join(' | ');
      const statement = (cached.get(key) as Statement | undefined) ?? prepare();
      cached.delete(key);
      cached.set(key, statement);
      if (cached.size > STATEMENTS_MAX) {
        const [oldest = key] = cached.keys();
        cached.delete(oldest);
      }
      return statement;
    },
  };
}

/**
 * Creates a store that reads and writes the rows of one table. Rows that do not match `visible` are not read. The store
 * is asynchronous although the driver is synchronous, so that a database on another machine could replace the local
 * database.
 */
export function createStore<T extends SQLiteTable>(
  db: Database,
  table: T,
  visible?: SQL,
): Store<RowOf<T>, ColumnsOf<T>, NewRowOf<T>> {
  const columns = getTableColumns(table);
  const fields = readColumns(table);
  const [key, keyColumn] = keyOf(table);
  const statements = createStatements();

  function order(names: readonly string[]): SQL[] {
    return names.map((name) =>
      name.startsWith('-') ? desc(columnNamed(columns, name.slice(1))) : asc(columnNamed(columns, name)),
    );
  }

  function select(what: 'rows' | 'ids', where: Where<ColumnsOf<T>>, options: FindOptions<RowOf<T>>) {
    const { limit = -1, skip = 0 } = options;
    const names: readonly string[] = options.order ?? [key];
    const clauses = clausesOf(columns, where);
    const statement = statements.of([what, cacheKeyOf(clauses), ...names], () =>
      db
        .select(what === 'rows' ? fields : { id: keyColumn })
        .from(table)
        .where(and(conditionOf(columns, clauses), visible))
        .orderBy(...order(names))
        // SQLite accepts an offset only after a limit; -1 means no limit.
        .limit(sql.placeholder('limit'))
        .offset(sql.placeholder('skip'))
        .prepare(),
    );
    return statement.all({ ...valuesOf(clauses), limit, skip });
  }

  return {
    async get(id) {
      const statement = statements.of(['get'], () =>
        db
          .select(fields)
          .from(table)
          .where(and(eq(keyColumn, sql.placeholder('id')), visible))
          .prepare(),
      );
      return statement.get({ id });
    },
    async find(where, options = {}) {
      return select('rows', where, options);
    },
    async first(where, options = {}) {
      return select('rows', where, { ...options, limit: 1 })[0];
    },
    async ids(where, options = {}) {
      return select('ids', where, options).map(({ id }) => String(id));
    },
    async distinct(where, name) {
      const clauses = clausesOf(columns, where);
      const statement = statements.of(['distinct', name, cacheKeyOf(clauses)], () =>
        db
          .selectDistinct({ value: sql<string>`${columnNamed(columns, name)}` })
          .from(table)
          .where(and(conditionOf(columns, clauses), visible))
          .prepare(),
      );
      return statement.all(valuesOf(clauses)).map(({ value }) => value);
    },
    async count(where) {
      const clauses = clausesOf(columns, where);
      const statement = statements.of(['count', cacheKeyOf(clauses)], () =>
        db
          .select({ rows: count() })
          .from(table)
          .where(and(conditionOf(columns, clauses), visible))
          .prepare(),
      );
      return statement.get(valuesOf(clauses))?.rows ?? 0;
    },
    async sum(where, names) {
      const clauses = clausesOf(columns, where);
      const sums = Object.fromEntries(names.map((name) => [name, sum(columnNamed(columns, name)).mapWith(Number)]));
      const statement = statements.of(['sum', ...names, cacheKeyOf(clauses)], () =>
        db
          .select(sums)
          .from(table)
          .where(and(conditionOf(columns, clauses), visible))
          .prepare(),
      );
      return statement.get(valuesOf(clauses)) as Record<(typeof names)[number], number | null>;
    },
    async sumBy(where, group, names) {
      const clauses = clausesOf(columns, where);
      const sums = Object.fromEntries(names.map((name) => [name, sum(columnNamed(columns, name)).mapWith(Number)]));
      const by = columnNamed(columns, group);
      const statement = statements.of(['sum by', group, ...names, cacheKeyOf(clauses)], () =>
        db
          .select({ by: sql<string>`${by}`, sums })
          .from(table)
          .where(and(conditionOf(columns, clauses), visible))
          .groupBy(by)
          .prepare(),
      );
      const rows = statement.all(valuesOf(clauses)) as { by: string; sums: Record<(typeof names)[number], number> }[];
      return new Map(rows.map((row) => [row.by, row.sums]));
    },
    async insert(row) {
      const values = driverValues(table, row);
      const names = Object.keys(values);
      const statement = statements.of(['insert', ...names], () =>
        db.insert<SQLiteTable>(table).values(placeholders(names)).returning(fields).prepare(),
      );
      // Reads with `all` instead of `get`, because a statement with an unread row stays open.
      const [inserted] = statement.all(values);
      return inserted as RowOf<T>;
    },
    async update(id, patch) {
      const values = driverValues(table, patch);
      const names = Object.keys(values);
      if (names.length === 0) return;
      statements
        .of(['update', ...names], () =>
          db
            .update(table)
            .set(placeholders(names))
            .where(eq(keyColumn, sql.placeholder('of')))
            .prepare(),
        )
        .run({ ...values, of: id });
    },
    async remove(where) {
      const clauses = clausesOf(columns, where);
      statements
        .of(['remove', cacheKeyOf(clauses)], () => db.delete(table).where(conditionOf(columns, clauses)).prepare())
        .run(valuesOf(clauses));
    },
  };
}
