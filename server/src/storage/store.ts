import { and, asc, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BaseSQLiteDatabase, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { FindOptions, Store, Where } from '../ports/storage.ts';
import { type Columns, clausesOf, columnNamed, conditionOf, encode, formOf, valuesOf } from './conditions.ts';
import { createStatements } from './statements.ts';

export type Database = BaseSQLiteDatabase<'sync', unknown, Record<string, never>>;

function columnsOf(table: SQLiteTable): Columns {
  return table as unknown as Columns;
}

/** A placeholder for each of these columns, as a statement's `values` or `set` takes them. */
export function placeholders(names: readonly string[]): Record<string, SQL> {
  // Wrapped, so that drizzle leaves the value alone: its own encoding takes null for a value of the column's type.
  return Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
}

/** The values for such placeholders, as the driver takes them; what is undefined is left out. */
export function driverValues(table: SQLiteTable, row: object): Record<string, unknown> {
  const columns = columnsOf(table);
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, encode(columnNamed(columns, name), value)]),
  );
}

/** What a row is read with: who made it is for those who look into the database, and in no answer. */
function fieldsOf(table: SQLiteTable) {
  const { createdBy, viaSessionId, ...fields } = getTableColumns(table);
  return createdBy === undefined ? getTableColumns(table) : fields;
}

/**
 * Reads and writes the rows of one table; of those for which `shown` does not hold it reads as if they were not there.
 * The driver is synchronous; the store is not, so that a database on another
 * machine can take its place.
 */
export function createStore<Row>(db: Database, table: SQLiteTable, key = 'id', shown?: SQL): Store<Row> {
  const columns = columnsOf(table);
  const keyColumn = columnNamed(columns, key);
  const fields = fieldsOf(table);
  const statements = createStatements();

  function order(names: readonly string[]): SQL[] {
    return names.map((name) =>
      name.startsWith('-') ? desc(columnNamed(columns, name.slice(1))) : asc(columnNamed(columns, name)),
    );
  }

  function select(where: Where<Row>, options: FindOptions<Row>): Row[] {
    const { limit = -1, skip = 0 } = options;
    const names: readonly string[] = options.order ?? [key];
    const clauses = clausesOf(columns, where);
    const statement = statements.of(['select', formOf(clauses), ...names], () =>
      db
        .select(fields)
        .from(table)
        .where(and(conditionOf(columns, clauses), shown))
        .orderBy(...order(names))
        // SQLite takes an offset only behind a limit; -1 is its word for none.
        .limit(sql.placeholder('limit'))
        .offset(sql.placeholder('skip'))
        .prepare(),
    );
    return statement.all({ ...valuesOf(clauses), limit, skip }) as Row[];
  }

  return {
    async get(id) {
      const statement = statements.of(['get'], () =>
        db
          .select(fields)
          .from(table)
          .where(and(eq(keyColumn, sql.placeholder('id')), shown))
          .prepare(),
      );
      return statement.get({ id }) as Row | undefined;
    },
    async find(where, options = {}) {
      return select(where, options);
    },
    async first(where, options = {}) {
      return select(where, { ...options, limit: 1 })[0];
    },
    async count(where) {
      const clauses = clausesOf(columns, where);
      const statement = statements.of(['count', formOf(clauses)], () =>
        db
          .select({ rows: count() })
          .from(table)
          .where(and(conditionOf(columns, clauses), shown))
          .prepare(),
      );
      return statement.get(valuesOf(clauses))?.rows ?? 0;
    },
    async insert(row) {
      const values = driverValues(table, row as object);
      const names = Object.keys(values);
      statements.of(['insert', ...names], () => db.insert(table).values(placeholders(names)).prepare()).run(values);
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
        .of(['remove', formOf(clauses)], () => db.delete(table).where(conditionOf(columns, clauses)).prepare())
        .run(valuesOf(clauses));
    },
  };
}
