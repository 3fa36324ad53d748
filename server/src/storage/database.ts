import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type LibSql from 'libsql';
import { openDriver } from './driver.ts';
import { migrateDatabase } from './migrate.ts';
import type { Database } from './store.ts';

/** Maximum time in milliseconds that opening or reading the database waits for another process that uses it. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * Maximum time in milliseconds that one attempt to begin a write waits. It is short, because the synchronous driver
 * blocks the server during the wait.
 */
const BUSY_ATTEMPT_MS = 10;

export interface Connection {
  db: Database;
  /** The driver's connection, for SQL that is not built with drizzle. */
  raw: LibSql.Database;
}

/**
 * Creates the drizzle session without drizzle's entry point, because the entry point imports better-sqlite3 instead of
 * libsql.
 */
function connect(file: string): Connection {
  const raw = openDriver(file, { timeout: BUSY_TIMEOUT_MS });
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

/**
 * Opens the database file (mode 0600), applies missing migrations, and returns two connections: one for transactions,
 * and a read-only one that sees only committed data.
 */
export function openDatabase(
  file: string,
  migrations: string,
): { writer: Connection; reader: Connection; close(): void } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = !existsSync(file);
  const writer = connect(file);
  try {
    chmodSync(file, 0o600);
    migrateDatabase(writer.raw, file, migrations);
    writer.raw.pragma(`busy_timeout = ${BUSY_ATTEMPT_MS}`);
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
