import LibSql from 'libsql';

/** The methods of a statement that bind parameters. */
const BINDING_METHODS = ['run', 'get', 'all', 'iterate'] as const;

/**
 * Opens a database whose statements throw a TypeError for a value that cannot be bound. libsql 0.5.29 itself would
 * abort the process.
 */
export function openDriver(file: string, options: { timeout: number }): LibSql.Database {
  const database = new LibSql(file, options);
  const prepare = database.prepare.bind(database);
  database.prepare = ((source: string) => checkBindings(prepare(source))) as typeof database.prepare;
  return database;
}

function checkBindings<S extends LibSql.Statement>(statement: S): S {
  for (const method of BINDING_METHODS) {
    const call = statement[method].bind(statement) as (...values: unknown[]) => unknown;
    const checked = (...values: unknown[]) => {
      for (const value of values) assertBindable(value);
      return call(...values);
    };
    Object.assign(statement, { [method]: checked });
  }
  return statement;
}

function assertBindable(value: unknown): void {
  if (typeof value === 'boolean' || typeof value === 'function' || (typeof value === 'object' && value !== null)) {
    throw new TypeError(`A ${typeof value} cannot be bound to an SQL statement. Pass a string, a number or null.`);
  }
}
