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

type Operand = Placeholder | SQL;
type Test = (column: SQLiteColumn, values: Operand[]) => SQL;

/**
 * For each operator, a function that returns its SQL condition for a column and values that need no further encoding.
 */
const TESTS = {
  null: (column) => isNull(column),
  'not null': (column) => isNotNull(column),
  in: (column, values) => inArray(column, values),
  'not in': (column, values) => notInArray(column, values),
  not: (column, [value]) => ne(column, value),
  above: (column, [value]) => gt(column, value),
  below: (column, [value]) => lt(column, value),
  'starts with': (column, [value]) => sql`${column} like ${value} escape '\\'`,
  contains: (column, [value]) => sql`exists (select 1 from json_each(${column}) where value = ${value})`,
  is: (column, [value]) => eq(column, value),
} satisfies Record<string, Test>;
type Operator = keyof typeof TESTS;

/** A condition on one column. `values` are passed to the driver without being encoded again. */
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

/** Returns a value in the driver's encoding. */
export function encode(column: SQLiteColumn, value: unknown): unknown {
  return value === null ? null : column.mapToDriverValue(value);
}

/** Returns a LIKE pattern for texts with this prefix. Wildcards in the prefix are escaped with `\`. */
function prefixPattern(prefix: string): string {
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
      return [{ name, operator: 'starts with', values: [prefixPattern(String(wanted.startsWith))] }];
    }
    // The column contains a JSON list. The values in the list are not in the driver's encoding, so the searched value
    // is not encoded either.
    if ('contains' in wanted) return [{ name, operator: 'contains', values: [wanted.contains] }];
    const bounds = [
      ...('above' in wanted ? [one('above', wanted.above)] : []),
      ...('below' in wanted ? [one('below', wanted.below)] : []),
    ];
    if (bounds.length > 0) return bounds;
  }
  return [one('is', wanted)];
}

/** Converts a filter to clauses. Undefined values are ignored. */
export function clausesOf(columns: Columns, where: object): Clause[] {
  return Object.entries(where)
    .filter(([, wanted]) => wanted !== undefined)
    .flatMap(([name, wanted]) => clauses(columnNamed(columns, name), name, wanted));
}

/**
 * Maximum number of values in one condition of a cached statement. Longer lists have many different lengths, so their
 * statements would rarely be reused.
 */
const LIST_MAX = 16;

/**
 * Returns the key under which a filter's statement is cached. Filters that differ only in their values have the same
 * key. Undefined if the statement should not be cached.
 */
export function cacheKeyOf(clauses: readonly Clause[]): string | undefined {
  if (clauses.some(({ values }) => values.length > LIST_MAX)) return undefined;
  return clauses.map(({ name, operator, values }) => `${name} ${operator} ${values.length}`).join(', ');
}

const placeholderName = (clauseAt: number, valueAt: number) => `${clauseAt}.${valueAt}`;

/** Returns the values for the placeholders that `conditionOf` creates for these clauses. */
export function valuesOf(clauses: readonly Clause[]): Record<string, unknown> {
  return Object.fromEntries(
    clauses.flatMap(({ values }, at) => values.map((value, n) => [placeholderName(at, n), value] as const)),
  );
}

/** Returns the SQL condition of these clauses, with a placeholder for each value. */
export function conditionOf(columns: Columns, clauses: readonly Clause[]): SQL | undefined {
  return conjunction(columns, clauses, (_, at, n) => sql.placeholder(placeholderName(at, n)));
}

/** Like `conditionOf`, but the condition contains the values. Used for statements that are not reused. */
export function boundConditionOf(columns: Columns, clauses: readonly Clause[]): SQL | undefined {
  // The values are already encoded. Wrapping them in `sql` prevents drizzle from encoding them again.
  return conjunction(columns, clauses, (value) => sql`${value}`);
}

function conjunction(
  columns: Columns,
  clauses: readonly Clause[],
  operand: (value: unknown, clauseAt: number, valueAt: number) => Operand,
): SQL | undefined {
  const tests = clauses.map(({ name, operator, values }, at) => {
    const test: Test = TESTS[operator];
    const operands = values.map((value, n) => operand(value, at, n));
    return test(columnNamed(columns, name), operands);
  });
  return and(...tests);
}
