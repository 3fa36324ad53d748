import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import LibSql from 'libsql';
import type { Database } from './store.ts';

/** How long opening and reading wait for another process, in ms; only a backup or a careless script can be that other one. */
const BUSY_TIMEOUT_MS = 5_000;
/** The same for the beginning of a write, which is tried again: the driver waits with the whole server standing still. */
const BUSY_TURN_MS = 10;

export interface Connection {
  db: Database;
  /** The driver, for statements outside a query builder. */
  raw: LibSql.Database;
}

/**
 * drizzle's own better-sqlite3 entry point loads that package; libsql has the same interface, so its session is put
 * together here.
 */
function connect(file: string): Connection {
  const raw = new LibSql(file, { timeout: BUSY_TIMEOUT_MS });
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = NORMAL');
  raw.pragma('foreign_keys = ON');
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession(
    raw as unknown as ConstructorParameters<typeof BetterSQLiteSession>[0],
    dialect,
    undefined,
  );
  return { raw, db: new BaseSQLiteDatabase('sync', dialect, session as never, undefined) as Database };
}

interface Journal {
  entries: { when: number; tag: string }[];
}

/** Brings the database to this version, after a backup; a newer one is refused, since guessing would lose what it knows. */
function bringUpToDate(connection: Connection, file: string, migrations: string): void {
  const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8')) as Journal;
  const newest = Math.max(...journal.entries.map((entry) => entry.when));
  const hasTable = connection.raw.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get();
  const applied = hasTable
    ? (connection.raw.prepare('select max(created_at) as at from __drizzle_migrations').get() as { at: number | null })
        .at
    : null;
  if (applied !== null && applied > newest) {
    throw new ConsoleError(
      'UNSUPPORTED',
      'The database was written by a newer version of Agent Console. Start that version, or use another AGENT_CONSOLE_HOME.',
    );
  }
  if (applied === newest) return;
  if (applied !== null) {
    connection.raw.pragma('wal_checkpoint(TRUNCATE)');
    copyFileSync(file, `${file}.before-${newest}`);
  }
  migrate(connection.db as never, { migrationsFolder: migrations });
}

/** Opens the database file (mode 0600), one connection for transactions and one for reading what is committed. */
export function openDatabase(
  file: string,
  migrations: string,
): { writer: Connection; reader: Connection; close(): void } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = !existsSync(file);
  const writer = connect(file);
  try {
    chmodSync(file, 0o600);
    bringUpToDate(writer, file, migrations);
    writer.raw.pragma(`busy_timeout = ${BUSY_TURN_MS}`);
  } catch (error) {
    writer.raw.close();
    if (fresh) for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    throw error;
  }
  const reader = connect(file);
  reader.raw.pragma('query_only = ON');
  return {
    writer,
    reader,
    close() {
      reader.raw.close();
      writer.raw.pragma('wal_checkpoint(TRUNCATE)');
      writer.raw.close();
    },
  };
}
