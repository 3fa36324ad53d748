import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import LibSql from 'libsql';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearch } from '../../src/domain/search.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { smallDisk } from '../support/disk.ts';
import { sessionRow } from '../support/rows.ts';
import { until } from '../support/until.ts';

const serverFolder = fileURLToPath(new URL('../..', import.meta.url));
const migrations = join(serverFolder, 'src/storage/migrations');
const SCRIPT = readFileSync(new URL('./databases/0d1eb92.sql', import.meta.url), 'utf8');
const author = { actor: 'user:test' };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-console-migration-'));
  file = join(folder, 'console.db');
  change(SCRIPT);
});
afterEach(() => rmSync(folder, { recursive: true }));

function change(script: string): void {
  const database = new LibSql(file);
  try {
    database.pragma('journal_mode = WAL');
    database.exec(script);
  } finally {
    database.close();
  }
}

type Rows = Record<string, unknown>[];

function ask(query: string): Rows {
  const database = new LibSql(file, { readonly: true });
  try {
    return database.prepare(query).all() as Rows;
  } finally {
    database.close();
  }
}

const schemaNow = () => ask('select type, name, tbl_name, sql from sqlite_master order by type, name');

/**
 * Returns every row of every table, except for the internal tables of the search index, which the test checks with a
 * search.
 */
function everything(): Map<string, Rows> {
  const tables = ask("select name from sqlite_master where type = 'table' and name not like 'search_index%'");
  return new Map(tables.map(({ name }) => [String(name), ask(`select * from "${name}" order by rowid`)]));
}

/** Creates a folder with all migrations and one more, which consists of these statements. */
function migrationsWith(statements: readonly string[]): string {
  const more = join(folder, 'migrations');
  cpSync(migrations, more, { recursive: true });
  const journalFile = join(more, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: { when: number; tag: string }[] };
  const when = Math.max(...journal.entries.map((entry) => entry.when)) + 1;
  journal.entries.push({ ...journal.entries[0], when, tag: '9999_more' });
  writeFileSync(journalFile, JSON.stringify(journal));
  writeFileSync(join(more, '9999_more.sql'), statements.join('--> statement-breakpoint\n'));
  return more;
}

const MISSING = '00000000-0000-7000-8000-000000000000';

describe('a database filled by build 0d1eb92', () => {
  let before: Map<string, Rows>;
  let opened: ReturnType<typeof openDatabase>;
  let storage: Storage;
  beforeEach(() => {
    before = everything();
    opened = openDatabase(file, migrations);
    storage = createStorage({ ...opened, now: () => new Date(), onCommit: () => {} });
  });
  afterEach(() => opened.close());

  async function found(query: string): Promise<string[]> {
    const { found: sessions } = await storage.read.search.sessions(parseSearch(query), {});
    return sessions.map(({ sessionId }) => sessionId);
  }

  it('keeps every row of every table', () => {
    const after = everything();
    for (const [table, rows] of before) {
      expect(rows.length, table).toBeGreaterThan(0);
      if (table === '__drizzle_migrations') continue;
      const now = after.get(table) ?? [];
      expect(now.length, table).toBe(rows.length);
      rows.forEach((row, at) => {
        const { expiresAt, ...kept } = row;
        expect(now[at], table).toMatchObject(table === 'tokens' ? kept : row);
      });
    }
  });

  it('keeps every reference between rows, and still refuses broken ones', () => {
    expect(opened.writer.raw.pragma('foreign_key_check')).toEqual([]);
    const [worker] = ask('select "sessionId" from workers');
    const refused = (statement: string) => expect(() => opened.writer.raw.exec(statement)).toThrow(/FOREIGN KEY/);
    refused(`delete from sessions where id = '${worker?.sessionId}'`);
    refused(`update workers set "sessionId" = '${MISSING}'`);
    refused(`update sessions set "repositoryId" = '${MISSING}'`);
  });

  it('has the same tables, indexes, views and triggers as a new one', () => {
    const migrated = schemaNow();
    opened.close();
    file = join(folder, 'new.db');
    opened = openDatabase(file, migrations);
    const plain = (rows: Rows) =>
      rows.map((row) => ({ ...row, sql: row.sql === null ? null : String(row.sql).replace(/\s+/g, ' ') }));
    const own = ({ name }: Rows[number]) => !/^(__drizzle|search_index_)/.test(String(name));
    expect(plain(migrated).filter(own)).toEqual(plain(schemaNow()).filter(own));
  });

  it('lets tokens of dashboard logins, and no other tokens, expire in 30 days', () => {
    const [{ fixed } = {}] = ask(
      `select count(*) as fixed from tokens where "expiresAt" is not null and name <> 'for a year' and "createdBy" <> 'login'`,
    );
    expect(fixed).toBe(0);
    const logins = ask(`select * from tokens where "createdBy" = 'login' order by id`);
    expect(logins.length).toBe(2);
    for (const { login, expiresAt, lastUsedAt } of logins) {
      expect([login, lastUsedAt]).toEqual([1, null]);
      const days = (Date.parse(String(expiresAt)) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThanOrEqual(30);
    }
    expect(ask('select name from tokens where login and "createdBy" <> \'login\'')).toEqual([]);
    expect(ask('select "expiresAt" from tokens where name = \'for a year\'')).toEqual([
      { expiresAt: '2100-01-01T00:00:00.000Z' },
    ]);
  });

  it('is searched as before, and finds later changes', async () => {
    const [quick] = ask("select id from sessions where title = 'Quick notes'");
    const [busy] = ask('select "sessionId" as id from tasks where prompt like \'%waterfall%\'');
    const id = String(quick?.id);
    expect(await found('lighthouse fog')).toEqual([id]);
    expect(await found('apfel*')).toEqual([id]);
    expect(await found('waterfall')).toEqual([busy?.id]);
    await storage.write(author, async (tx) => {
      await tx.sessions.update(id, { title: 'Renamed windmill' });
      await tx.sessions.insert(sessionRow('new', { title: 'Entirely new' }));
      await tx.tasks.update(String(ask("select id from tasks where prompt like '%waterfall%'")[0]?.id), {
        startedAt: '2026-01-01T00:00:00.000Z',
      });
    });
    expect([await found('quick notes'), await found('windmill')]).toEqual([[], [id]]);
    expect(await found('entirely')).toEqual(['new']);
    expect(await found('waterfall')).toEqual([]);
    await storage.write(author, async (tx) => tx.sessions.remove({ id: 'new' }));
    expect(await found('entirely')).toEqual([]);
    opened.writer.raw.exec("insert into search_index (search_index) values ('integrity-check')");
  });

  it('refuses a session whose type and worktree contradict each other', () => {
    const refused = (statement: string) => expect(() => opened.writer.raw.exec(statement)).toThrow(/CHECK constraint/);
    refused("update sessions set type = 'worktree' where type = 'quick'");
    refused(`update sessions set "worktreeId" = null where type = 'worktree'`);
  });

  it('keeps what is stored after another process, such as doctor, has read it', () => {
    const read = `new (require('libsql'))(process.argv[1]).prepare('select count(*) as n from kept').all()[0].n`;
    const readElsewhere = () => {
      const { stdout, stderr } = spawnSync(process.execPath, ['-p', read, file], { cwd: serverFolder });
      return `${stdout}${stderr}`.trim();
    };
    opened.writer.raw.exec('create table kept (x)');
    expect(readElsewhere()).toBe('0');
    opened.writer.raw.exec('insert into kept values (1)');
    expect(readElsewhere()).toBe('1');
  });

  it('was backed up unchanged', () => {
    const [{ at } = {}] = ask('select max(created_at) as at from __drizzle_migrations');
    opened.close();
    file = `${file}.before-${at}`;
    expect(everything()).toEqual(before);
    opened = openDatabase(join(folder, 'new.db'), migrations);
  });
});

it('a token that was stored without its author is recognized as that of a login by its events', () => {
  change(`
    update tokens set "createdBy" = null;
    update tokens set scopes = '["read","write","owner"]' where name = 'dashboard';
  `);
  const made = "(select \"subjectId\" from events where type = 'token.created' and actor = 'login')";
  const logins = ask(`select id from tokens where id in ${made} order by id`);
  openDatabase(file, migrations).close();
  expect(logins.length).toBe(2);
  expect(ask('select id from tokens where login order by id')).toEqual(logins);
  expect(ask('select id from tokens where login and "expiresAt" is not null order by id')).toEqual(logins);
});

it('a session that an agent caused for the commands of a worktree gets the limits of the agent, as those below it', () => {
  const [agent] = ask(`select id, "createdByUserId" from sessions where title = '@say one'`);
  const [commands] = ask(`select id from sessions where title = 'In a worktree'`);
  const below = ['created', 'child'];
  const others = `select * from sessions where id not in ('${[agent?.id, commands?.id, ...below].join("', '")}') order by id`;
  const before = ask(others);
  const columns = ask("select name from pragma_table_info('sessions')").map(({ name }) => `"${name}"`);
  const copied = columns.filter(
    (name) => !['"id"', '"createdByUserId"', '"createdBySessionId"', '"parentSessionId"'].includes(name),
  );
  const copy = (id: string, creator: string, parent: string) => `
    insert into sessions (id, "createdByUserId", "createdBySessionId", "parentSessionId", ${copied})
    select '${id}', null, ${creator}, ${parent}, ${copied} from sessions where id = '${commands?.id}';`;
  change(`
    update sessions set "createdByUserId" = null, "createdBySessionId" = '${agent?.id}' where id = '${commands?.id}';
    ${copy('created', `'${commands?.id}'`, 'null')}
    ${copy('child', "'created'", "'created'")}
    update sessions set "permissionMode" = 'plan', "permissionCeiling" = 'plan', visibility = 'private' where id = '${agent?.id}';
  `);
  openDatabase(file, migrations).close();
  [commands?.id, ...below].forEach((id, index) => {
    expect(ask(`select * from sessions where id = '${id}'`)).toMatchObject([
      {
        createdByUserId: agent?.createdByUserId,
        visibility: 'private',
        depth: 1 + index,
        permissionMode: 'plan',
        requestedMode: 'plan',
        permissionCeiling: 'plan',
      },
    ]);
  });
  expect(ask(others)).toMatchObject(before);
});

describe('a failing migration', () => {
  it.each([
    [
      'a reference to a row that does not exist',
      `pragma foreign_keys = off; update workers set "sessionId" = '${MISSING}' where rowid = 1`,
      /1 row refers to rows that do not exist \(for example from table workers to table sessions\)/,
    ],
    [
      'a row that the new table does not accept',
      "drop trigger sessions_place_update; update sessions set type = 'quick' where type = 'worktree'",
      /CHECK constraint failed/,
    ],
  ])('because of %s leaves the database unchanged, and says what to do', (_, planted, reason) => {
    change(planted);
    const before = everything();
    const schema = schemaNow();
    const start = () => openDatabase(file, migrations).close();
    expect(start).toThrow(reason);
    expect(start).toThrow(/The database was not changed\. Start the version that used the database last/);
    expect(everything()).toEqual(before);
    expect(schemaNow()).toEqual(schema);
  });

  it('undoes its earlier steps when the last one fails', () => {
    const schema = schemaNow();
    expect(() => openDatabase(file, migrationsWith(['create table half (id text);', 'not sql']))).toThrow(/not/);
    expect(schemaNow()).toEqual(schema);
    openDatabase(file, migrations).close();
    expect(schemaNow()).not.toEqual(schema);
  });
});

describe('a full disk', () => {
  it('prevents a migration whose backup does not fit, says what to do, and keeps no part of the backup', (test) => {
    const disk = smallDisk(8);
    if (disk === undefined) {
      console.warn('SKIPPED: a full disk needs a file system of its own, which only root can mount');
      return test.skip();
    }
    try {
      const place = join(disk.folder, 'data');
      mkdirSync(place);
      const database = join(place, 'console.db');
      change('pragma wal_checkpoint(truncate)');
      cpSync(file, database);
      const { bavail, bsize } = statfsSync(place);
      const filler = join(disk.folder, 'filler');
      writeFileSync(filler, Buffer.alloc(bavail * bsize - statSync(database).size / 2));
      const before = readFileSync(database);
      expect(() => openDatabase(database, migrations)).toThrow(
        expect.objectContaining({
          code: 'BUSY',
          message: expect.stringMatching(
            /^The database .+ could not be backed up before its migration, because the disk is full\. The database was not changed\. Free at least \d+ kB in .+data and start the console again\.$/,
          ),
        }),
      );
      expect(readdirSync(place).filter((name) => name.includes('before'))).toEqual([]);
      expect(readFileSync(database).equals(before)).toBe(true);
      rmSync(filler);
      openDatabase(database, migrations).close();
      expect(readdirSync(place).filter((name) => name.includes('before'))).toHaveLength(1);
    } finally {
      disk.unmount();
    }
  });
});

describe('a program killed during a migration', () => {
  const programs = mkdtempSync(join(serverFolder, '.test-migration-'));
  afterAll(() => rmSync(programs, { recursive: true }));

  it('leaves the database unchanged, and the next start migrates it', async () => {
    const program = join(programs, 'open.mjs');
    await build({
      stdin: {
        contents: `import { openDatabase } from './src/storage/database.ts'; openDatabase(process.argv[2], process.argv[3]);`,
        resolveDir: serverFolder,
        loader: 'ts',
      },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: ['libsql'],
      logLevel: 'warning',
    });
    const before = everything();
    const schema = schemaNow();
    // This statement never ends and soon writes to the disk, so that the test can kill the process in the middle of a
    // migration.
    const endless =
      'insert into endless with recursive n(x) as (select 1 union all select x + 1 from n) select randomblob(1000) from n';
    const folderOfMigrations = migrationsWith(['create table endless (x blob);', endless]);
    const child = spawn(process.execPath, [program, file, folderOfMigrations], { stdio: 'inherit' });
    const exited = once(child, 'exit');
    try {
      await until('a write in the middle', () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('the program ended by itself');
        return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 8_000_000;
      });
    } finally {
      // Otherwise, the program would fill the disk.
      child.kill('SIGKILL');
      await exited;
    }
    expect(schemaNow()).toEqual(schema);
    expect(everything()).toEqual(before);
    openDatabase(file, migrations).close();
    expect(ask('pragma foreign_key_check')).toEqual([]);
    expect(everything().get('sessions')).toMatchObject(before.get('sessions') ?? []);
  });
});
