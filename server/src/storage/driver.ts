import LibSql from 'libsql';

/** The methods of a statement that bind parameters. */
const BINDING_METHODS = ['run', 'get', 'all', 'iterate'] as const;

/**
 * Opens a database whose statements throw an error where libsql 0.5.29 would abort the process: for a value that cannot
 * be bound, and after the database was closed.
 */
export function openDriver(file: string, options: { timeout: number }): LibSql.Database {
  const database = new LibSql(file, options);
  const prepare = database.prepare.bind(database);
  const close = database.close.bind(database);
  let isOpen = true;
  const requireOpen = () => {
    if (!isOpen) throw new Error('The database was closed.');
  };
  database.prepare = ((source: string) => {
    requireOpen();
    return checkCalls(prepare(source), requireOpen);
  }) as typeof database.prepare;
  database.close = () => {
    isOpen = false;
    return close();
  };
  return database;
}

function checkCalls<S extends LibSql.Statement>(statement: S, requireOpen: () => void): S {
  for (const method of BINDING_METHODS) {
    const call = statement[method].bind(statement) as (...values: unknown[]) => unknown;
    const checked = (...values: unknown[]) => {
      requireOpen();
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
