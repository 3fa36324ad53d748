import { closeSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type LibSql from 'libsql';

/** The table of applied migrations, as drizzle-kit and drizzle's migrator define it. */
const APPLIED_TABLE =
  'create table if not exists __drizzle_migrations (id serial primary key, hash text not null, created_at numeric)';

/** Number of bytes of the database that are read at a time for its backup. */
const COPY_BYTES = 1_048_576;

/** Returns the timestamp of the newest applied migration, or undefined for an empty database. */
function newestApplied(raw: LibSql.Database): number | undefined {
  const table = raw.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get();
  if (table === undefined) return undefined;
  const { at } = raw.prepare('select max(created_at) as at from __drizzle_migrations').get() as { at: number | null };
  return at ?? undefined;
}

/**
 * Copies the database to `backup`. The copy gets its final name only when it is complete.
 * @throws ConsoleError BUSY when another process prevents the copy, or when it cannot be written.
 */
function backUp(raw: LibSql.Database, file: string, backup: string): void {
  const part = `${backup}.part`;
  try {
    writeBack(raw, file);
    copyKeepingLocks(file, part);
    renameSync(part, backup);
  } catch (error) {
    rmSync(part, { force: true });
    throw error instanceof ConsoleError ? error : notBackedUp(file, error as NodeJS.ErrnoException);
  }
}

/**
 * Copies the database file, and leaves the descriptor of `file` open for as long as this process runs. When a process
 * closes a descriptor of a file, it loses all its locks on this file, including those of SQLite. Another process that
 * then opens and closes the database would take itself for the only one and delete the write-ahead log, into which this
 * process continues to write.
 */
function copyKeepingLocks(file: string, copy: string): void {
  const from = openSync(file, 'r');
  const to = openSync(copy, 'w', 0o600);
  try {
    const buffer = Buffer.alloc(COPY_BYTES);
    for (let size = readSync(from, buffer); size > 0; size = readSync(from, buffer)) {
      writeFileSync(to, buffer.subarray(0, size));
    }
  } finally {
    closeSync(to);
  }
}

/** Moves the content of the write-ahead log into the database file. */
function writeBack(raw: LibSql.Database, file: string): void {
  const [checkpoint] = raw.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (checkpoint?.busy === 0) return;
  const advice = 'End the other process and start the console again.';
  const message = `Another process uses ${file}, so it cannot be backed up before its migration. ${advice}`;
  throw new ConsoleError('BUSY', message);
}

function notBackedUp(file: string, error: NodeJS.ErrnoException): ConsoleError {
  const folder = dirname(file);
  const needed = statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const isFull = /^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(error.code ?? '');
  const reason = isFull ? ', because the disk is full' : `: ${error.message}`;
  const advice = isFull
    ? `Free at least ${Math.ceil(needed / 1_000)} kB in ${folder}`
    : `Make sure that files can be written in ${folder}`;
  const message = `The database ${file} could not be backed up before its migration${reason}. The database was not changed. ${advice} and start the console again.`;
  return new ConsoleError('BUSY', message, {}, { cause: error });
}

/** @throws Error when a row refers to a row that does not exist. */
function checkReferences(raw: LibSql.Database): void {
  const broken = raw.pragma('foreign_key_check') as { table: string; parent: string }[];
  const [first] = broken;
  if (first === undefined) return;
  throw new Error(
    `${broken.length} ${broken.length === 1 ? 'row refers' : 'rows refer'} to rows that do not exist (for example from table ${first.table} to table ${first.parent})`,
  );
}

/** Applies either all of these migrations, in one transaction, or none. */
function applyAll(raw: LibSql.Database, pending: readonly MigrationMeta[]): void {
  raw.exec('begin immediate');
  try {
    raw.exec(APPLIED_TABLE);
    const record = raw.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)');
    for (const migration of pending) {
      for (const statement of migration.sql) raw.exec(statement);
      record.run(migration.hash, migration.folderMillis);
    }
    checkReferences(raw);
    raw.exec('commit');
  } catch (error) {
    // SQLite rolls back by itself after some errors, such as a full disk. Another rollback would then fail.
    if (raw.inTransaction) raw.exec('rollback');
    throw error;
  }
}

function remedy(error: unknown): string {
  const code = String((error as { code?: unknown }).code);
  if (/^SQLITE_(FULL|IOERR)/.test(code)) return 'Free some disk space and start the console again.';
  if (code.startsWith('SQLITE_BUSY'))
    return 'End the other process that uses the database and start the console again.';
  return 'Start the version that used the database last, and report this message.';
}

/**
 * Applies all missing migrations, or none. Backs up the database first if an earlier version has written it.
 * @throws ConsoleError UNSUPPORTED when a newer version wrote the database, or when a migration fails. BUSY when
 * another process prevents the backup, or when the backup cannot be written.
 */
export function migrateDatabase(raw: LibSql.Database, file: string, migrationsFolder: string): void {
  const migrations = readMigrationFiles({ migrationsFolder });
  const newest = Math.max(...migrations.map(({ folderMillis }) => folderMillis));
  const applied = newestApplied(raw);
  if (applied !== undefined && applied > newest) {
    const advice = 'Start the newer version, or set AGENT_CONSOLE_HOME to another directory.';
    const message = `The database was written by a newer version of Agent Console. ${advice}`;
    throw new ConsoleError('UNSUPPORTED', message);
  }
  if (applied === newest) return;
  const backup = `${file}.before-${newest}`;
  if (applied !== undefined) backUp(raw, file, backup);
  // A migration that rebuilds a table drops the old table. Foreign keys of other tables would prevent that, so they are
  // disabled. The pragma has no effect inside a transaction, so it is set before the transaction begins.
  raw.pragma('foreign_keys = OFF');
  try {
    const pending = migrations.filter(({ folderMillis }) => applied === undefined || folderMillis > applied);
    applyAll(raw, pending);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = `The database ${file} could not be migrated to this version: ${reason}`;
    const message = `${failure}. The database was not changed. ${remedy(error)}`;
    throw new ConsoleError('UNSUPPORTED', message, {}, { cause: error });
  } finally {
    raw.pragma('foreign_keys = ON');
  }
}
