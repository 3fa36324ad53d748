import { and, asc, count, desc, eq, gt, inArray, isNull, lt, ne, notInArray, type SQL, sql } from 'drizzle-orm';
import type { BaseSQLiteDatabase, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { FindOptions, Store, Where } from '../operations/ports/storage.ts';

export type Database = BaseSQLiteDatabase<'sync', unknown, Record<string, never>>;
type Columns = Record<string, SQLiteColumn>;

function columnsOf(table: SQLiteTable): Columns {
  return table as unknown as Columns;
}

function columnNamed(columns: Columns, name: string): SQLiteColumn {
  const column = columns[name];
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
}

/** Escapes what LIKE gives a meaning, for `escape '\'`. */
function literalPrefix(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
}

function test(column: SQLiteColumn, wanted: unknown): SQL | undefined {
  if (wanted === undefined) return undefined;
  if (wanted === null) return isNull(column);
  if (Array.isArray(wanted)) return inArray(column, wanted);
  if (typeof wanted === 'object') {
    if ('not' in wanted) {
      if (wanted.not === null) return sql`${column} is not null`;
      return Array.isArray(wanted.not) ? notInArray(column, wanted.not) : ne(column, wanted.not);
    }
    if ('above' in wanted) return gt(column, wanted.above);
    if ('below' in wanted) return lt(column, wanted.below);
    if ('startsWith' in wanted) return sql`${column} like ${literalPrefix(String(wanted.startsWith))} escape '\\'`;
  }
  return eq(column, wanted);
}

/**
 * Reads and writes the rows of one table. The driver is synchronous; the store is not, so that a database on another
 * machine can take its place.
 */
export function createStore<Row>(db: Database, table: SQLiteTable, key = 'id'): Store<Row> {
  const columns = columnsOf(table);
  const keyColumn = columnNamed(columns, key);

  function condition(where: Where<Row>): SQL | undefined {
    return and(...Object.entries(where).map(([name, wanted]) => test(columnNamed(columns, name), wanted)));
  }

  function order(options: FindOptions<Row>): SQL[] {
    return (options.order ?? [key]).map((name: string) =>
      name.startsWith('-') ? desc(columnNamed(columns, name.slice(1))) : asc(columnNamed(columns, name)),
    );
  }

  return {
    async get(id) {
      return db.select().from(table).where(eq(keyColumn, id)).get() as Row | undefined;
    },
    async find(where, options = {}) {
      // SQLite takes an offset only behind a limit; -1 is its word for none.
      const rows = db
        .select()
        .from(table)
        .where(condition(where))
        .orderBy(...order(options))
        .limit(options.limit ?? -1);
      return (options.skip === undefined ? rows.all() : rows.offset(options.skip).all()) as Row[];
    },
    async first(where, options = {}) {
      return db
        .select()
        .from(table)
        .where(condition(where))
        .orderBy(...order(options))
        .limit(1)
        .get() as Row | undefined;
    },
    async count(where) {
      return db.select({ rows: count() }).from(table).where(condition(where)).get()?.rows ?? 0;
    },
    async insert(row) {
      db.insert(table)
        .values(row as Record<string, unknown>)
        .run();
    },
    async update(id, patch) {
      if (Object.keys(patch).length === 0) return;
      db.update(table)
        .set(patch as Record<string, unknown>)
        .where(eq(keyColumn, id))
        .run();
    },
    async remove(where) {
      db.delete(table).where(condition(where)).run();
    },
  };
}
