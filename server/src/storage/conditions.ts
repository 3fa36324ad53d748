import {
  and,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notInArray,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

export type Columns = Readonly<Record<string, SQLiteColumn>>;

type Operator = 'null' | 'not null' | 'in' | 'not in' | 'not' | 'above' | 'below' | 'starts with' | 'is';

/** One column with what it must be; `values` are already the driver's. */
export interface Clause {
  name: string;
  operator: Operator;
  values: readonly unknown[];
}

export function columnNamed(columns: Columns, name: string): SQLiteColumn {
  const column = columns[name];
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
}

/** A value as the driver takes it. */
export function encode(column: SQLiteColumn, value: unknown): unknown {
  return value === null ? null : column.mapToDriverValue(value);
}

/** Escapes what LIKE gives a meaning, for `escape '\'`. */
function literalPrefix(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
}

function clauses(column: SQLiteColumn, name: string, wanted: unknown): Clause[] {
  const one = (operator: Operator, value: unknown): Clause => ({ name, operator, values: [encode(column, value)] });
  const list = (operator: Operator, values: readonly unknown[]): Clause => ({
    name,
    operator,
    values: values.map((value) => encode(column, value)),
  });
  if (wanted === null) return [{ name, operator: 'null', values: [] }];
  if (Array.isArray(wanted)) return [list('in', wanted)];
  if (typeof wanted === 'object') {
    if ('not' in wanted) {
      if (wanted.not === null) return [{ name, operator: 'not null', values: [] }];
      return [Array.isArray(wanted.not) ? list('not in', wanted.not) : one('not', wanted.not)];
    }
    if ('startsWith' in wanted) {
      return [{ name, operator: 'starts with', values: [literalPrefix(String(wanted.startsWith))] }];
    }
    const bounds = [
      ...('above' in wanted ? [one('above', wanted.above)] : []),
      ...('below' in wanted ? [one('below', wanted.below)] : []),
    ];
    if (bounds.length > 0) return bounds;
  }
  return [one('is', wanted)];
}

/** What must hold of a row, column by column; undefined asks nothing. */
export function clausesOf(columns: Columns, where: object): Clause[] {
  return Object.entries(where)
    .filter(([, wanted]) => wanted !== undefined)
    .flatMap(([name, wanted]) => clauses(columnNamed(columns, name), name, wanted));
}

/** Longer lists come in every length, so a statement for one would hardly be used again. */
const LIST_MAX = 16;

/** What two conditions have in common that need the same statement with other values; undefined for a rare one. */
export function formOf(clauses: readonly Clause[]): string | undefined {
  if (clauses.some(({ values }) => values.length > LIST_MAX)) return undefined;
  return clauses.map(({ name, operator, values }) => `${name} ${operator} ${values.length}`).join(', ');
}

const placeOf = (clauseAt: number, valueAt: number) => `${clauseAt}.${valueAt}`;

/** The values for the placeholders of `conditionOf` the same clauses. */
export function valuesOf(clauses: readonly Clause[]): Record<string, unknown> {
  return Object.fromEntries(
    clauses.flatMap(({ values }, at) => values.map((value, n) => [placeOf(at, n), value] as const)),
  );
}

/** The condition with a placeholder for every value. */
export function conditionOf(columns: Columns, clauses: readonly Clause[]): SQL | undefined {
  return and(
    ...clauses.map(({ name, operator, values }, at) => {
      const places = values.map((_, n) => sql.placeholder(placeOf(at, n)));
      return test(columnNamed(columns, name), operator, places);
    }),
  );
}

/** The condition with its values in it, for a statement that is built anew each time. */
export function boundConditionOf(columns: Columns, clauses: readonly Clause[]): SQL | undefined {
  // Wrapped, since the values are the driver's already.
  const wrapped = (values: readonly unknown[]) => values.map((value) => sql`${value}`);
  return and(
    ...clauses.map(({ name, operator, values }) => test(columnNamed(columns, name), operator, wrapped(values))),
  );
}

function test(column: SQLiteColumn, operator: Operator, places: (Placeholder | SQL)[]): SQL {
  const [place] = places;
  switch (operator) {
    case 'null':
      return isNull(column);
    case 'not null':
      return isNotNull(column);
    case 'in':
      return inArray(column, places);
    case 'not in':
      return notInArray(column, places);
    case 'not':
      return ne(column, place);
    case 'above':
      return gt(column, place);
    case 'below':
      return lt(column, place);
    case 'starts with':
      return sql`${column} like ${place} escape '\\'`;
    case 'is':
      return eq(column, place);
  }
}
