import { join } from 'node:path';
import LibSql from 'libsql';
import type { TestApp } from '../../support/test-app.ts';

function open(c: TestApp): LibSql.Database {
  const database = new LibSql(join(c.home, 'console.db'));
  database.exec('pragma busy_timeout = 20000');
  return database;
}

interface Refused {
  event: 'insert' | 'update';
  table: string;
  when?: string;
}

/**
 * Creates a trigger that runs `statements` before each write of the given kind. Returns a function that removes the
 * trigger.
 */
function plant(c: TestApp, { event, table, when }: Refused, statements: string): () => void {
  const name = `planted_${table}_${event}`;
  const only = when === undefined ? '' : `when ${when}`;
  const database = open(c);
  database.exec(`create trigger ${name} before ${event} on ${table} ${only} begin ${statements}; end`);
  database.close();
  return () => {
    const again = open(c);
    again.exec(`drop trigger ${name}`);
    again.close();
  };
}

/**
 * Makes the database refuse one kind of write, so that the console cannot continue from one step to the next. Returns a
 * function that allows the write again. `when` is the condition of a trigger, and may refer to `old` and `new`.
 */
export function refuseWrite(c: TestApp, refused: Refused): () => void {
  return plant(c, refused, "select raise(abort, 'planted failure')");
}

/** Like `refuseWrite`, but the write fails as if the disk were full. */
export function fillDisk(c: TestApp, refused: Refused): () => void {
  const database = open(c);
  // SQLite reports a full disk if a table has no further row number.
  database.exec('create table if not exists planted_full (id integer primary key autoincrement)');
  database.exec('insert or ignore into planted_full values (9223372036854775807)');
  database.close();
  return plant(c, refused, 'insert into planted_full (id) values (null)');
}

/** Locks the database for writing. Returns a function that unlocks it. */
export function lockDatabase(c: TestApp): () => void {
  const database = open(c);
  database.exec('begin immediate');
  return () => {
    database.exec('rollback');
    database.close();
  };
}

/** Changes the database to a state that a killed server could have left. */
export function putInto(c: TestApp, ...statements: [sql: string, ...values: (string | null)[]][]): void {
  const database = open(c);
  for (const [sql, ...values] of statements) database.prepare(sql).run(...values);
  database.close();
}
