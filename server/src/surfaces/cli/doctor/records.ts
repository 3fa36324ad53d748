import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MINUTE } from '@agent-console/shared/limits/units';
import type LibSql from 'libsql';
import { type Finding, type Installation, note, ok, problem, size } from './finding.ts';

/** Maximum time in milliseconds that a read of the database waits for another process that has locked it. */
const BUSY_MS = 5_000;
/**
 * Minimum number of milliseconds by which the newest event must lie in the future for doctor to report it. A smaller
 * difference comes from an ordinary correction of the clock.
 */
const CLOCK_SLACK_MS = 60_000;

/** Database rows that doctor compares with git, the file system and the running processes. */
export interface Records {
  repositories: { id: string; name: string; path: string; worktreesDir: string }[];
  worktrees: {
    id: string;
    repositoryId: string;
    name: string;
    kind: string;
    path: string;
    branch: string | null;
    state: string;
    baseSha: string | null;
    gitStatus: { merged: boolean | null; dirtyFiles: number; head: string } | null;
  }[];
  /** Sessions that work in a worktree, including archived sessions. */
  sessions: { id: string; worktreeId: string; archivedAt: string | null }[];
  /** Agents and terminals that the database records as running. */
  workers: { id: string; sessionId: string; pid: number | null; startTime: string | null }[];
  lastEventAt: string | null;
}

/** A row of a worktree. The database of an earlier build may have no column `gitStatus`. */
type StoredWorktree = Omit<Records['worktrees'][number], 'gitStatus'> & { gitStatus?: string | null };

/**
 * Checks the integrity of the database and reads the rows that other checks compare. Opens the file itself, read-only,
 * because doctor must work even if no server is running or the server is broken.
 */
export async function checkDatabase({
  home,
  programs,
}: Pick<Installation, 'home' | 'programs'>): Promise<{ findings: Finding[]; records: Records | undefined }> {
  const file = join(home, 'console.db');
  if (!existsSync(file)) return { findings: [], records: undefined };
  try {
    const { default: LibSql } = await import('libsql');
    const db = new LibSql(file, { timeout: BUSY_MS, readonly: true });
    try {
      const all = (statement: string) => db.prepare(statement).all();
      const errors = (all('pragma quick_check') as { quick_check: string }[]).map((row) => row.quick_check);
      if (errors[0] !== 'ok') return { findings: [damaged(home, errors[0] ?? 'no answer')], records: undefined };
      const tables = all(`select 1 from sqlite_master where name = '__drizzle_migrations'`);
      const migrated = tables.length === 0 ? [] : all('select max(created_at) as at from __drizzle_migrations');
      // The schema of a newer build is unknown, so nothing more is read.
      if (((migrated[0] as { at: number | null } | undefined)?.at ?? 0) > (await newestMigration(programs)))
        return { findings: [newer(home)], records: undefined };
      const records: Records = {
        repositories: all(
          'select id, name, path, "worktreesDir" from repositories where "removedAt" is null',
        ) as Records['repositories'],
        worktrees: (
          all(
            `select * from worktrees where state in ('creating', 'ready', 'removing', 'restoring')`,
          ) as StoredWorktree[]
        ).map((row) => ({ ...row, gitStatus: JSON.parse(row.gitStatus ?? 'null') })),
        sessions: all(
          'select id, "worktreeId", "archivedAt" from sessions where "worktreeId" is not null and "removedAt" is null',
        ) as Records['sessions'],
        workers: all(
          `select id, "sessionId", pid, "startTime" from workers where state = 'running' and type <> 'git-diff'`,
        ) as Records['workers'],
        lastEventAt: (all('select max(at) as at from events') as { at: string | null }[])[0]?.at ?? null,
      };
      return { findings: [ok('database', sizeOf(db)), ...clock(records.lastEventAt)], records };
    } finally {
      db.close();
    }
  } catch (error) {
    return { findings: [unreadable(home, error)], records: undefined };
  }
}

/** Describes the size of the database, and the number of events in the last hour. */
function sizeOf(db: LibSql.Database): string {
  const pragma = (name: string) => (db.prepare(`pragma ${name}`).get() as Record<string, number>)[name] ?? 0;
  const [pages, free, bytes] = [pragma('page_count'), pragma('freelist_count'), pragma('page_size')];
  const anHourAgo = new Date(Date.now() - 60 * MINUTE).toISOString();
  const { count } = db.prepare('select count(*) as count from events where at > ?').get(anHourAgo) as { count: number };
  return `intact; ${size(pages * bytes)}, of which ${size(free * bytes)} are free for new records; ${count} events in the last hour`;
}

async function newestMigration(programs: string): Promise<number> {
  const journal = JSON.parse(await readFile(join(programs, 'migrations/meta/_journal.json'), 'utf8')) as {
    entries: { when: number }[];
  };
  return Math.max(...journal.entries.map(({ when }) => when));
}

function newer(home: string): Finding {
  return problem(
    'database',
    'the database was written by a newer version of Agent Console; this version cannot use it',
    `Use the newer version, or another AGENT_CONSOLE_HOME. A backup that the newer version made before it changed the database may exist: ${home}/console.db.before-*`,
  );
}

function clock(lastEventAt: string | null): Finding[] {
  if (lastEventAt === null) return [];
  const behind = Date.parse(lastEventAt) - Date.now();
  if (behind < CLOCK_SLACK_MS) return [];
  return [
    note(
      'clock',
      `the newest event is from ${lastEventAt}, ${Math.ceil(behind / 1_000)} s in the future: the clock was set back`,
      'Correct the clock. Until then, ages and timeouts are wrong. The order of events is still right.',
    ),
  ];
}

function damaged(home: string, detail: string): Finding {
  return problem(
    'database',
    `damaged: ${detail}`,
    `Run \`agent-console stop\` (agents keep running) and back up ${home}. In this directory, run \`sqlite3 console.db .recover | sqlite3 new.db\`, delete console.db, console.db-wal and console.db-shm, and rename new.db to console.db. Then run \`agent-console serve\`.`,
  );
}

function unreadable(home: string, error: unknown): Finding {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
    return problem(
      'database',
      'the database driver is not installed for this machine',
      'Run npm start, which installs the database driver.',
    );
  }
  if (code === 'SQLITE_BUSY') {
    return problem(
      'database',
      `another process has locked the database for more than ${BUSY_MS / 1_000} s`,
      `Find that process and end it: fuser -v ${join(home, 'console.db')}`,
    );
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') return damaged(home, message);
  return problem(
    'database',
    `the database cannot be read: ${message}`,
    `Check the mode and owner of ${home}/console.db*.`,
  );
}
