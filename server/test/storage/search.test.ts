import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SEARCH_LOOKUPS, SEARCH_MATCHES_MAX, SEARCH_SLICE } from '@agent-console/shared/limits/search';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearch } from '../../src/domain/search.ts';
import type { SessionRow } from '../../src/ports/rows.ts';
import type { SearchReader, Storage, Transaction, Where } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createReadersOfUser } from '../../src/storage/readers-of-user.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { messageRow, sessionRow, taskRow } from '../support/rows.ts';

const migrations = new URL('../../src/storage/migrations', import.meta.url).pathname;
const later = '2026-02-01T00:00:00.000Z';

let folder: string;
let opened: ReturnType<typeof openDatabase>;
let storage: Storage;

function open(from = migrations) {
  opened = openDatabase(join(folder, 'console.db'), from);
  storage = createStorage({ ...opened, now: () => new Date(later), onCommit: () => {} });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ac-search-'));
  open();
});
afterEach(() => {
  opened.close();
  rmSync(folder, { recursive: true });
});

const write = (work: (tx: Transaction) => Promise<void>) => storage.write({ actor: 'user:test' }, work);

async function find(query: string, where: Where<SessionRow> = {}, search: SearchReader = storage.read.search) {
  return search.sessions(parseSearch(query), { removedAt: null, ...where });
}

async function foundIn(...args: Parameters<typeof find>): Promise<string[]> {
  return (await find(...args)).found.map(({ sessionId }) => sessionId);
}

/** Compares the search index, which triggers keep up to date, with a new index of the stored texts. */
function checkIndex() {
  const { raw } = opened.writer;
  raw.exec(`
    create virtual table temp.fresh using fts5(text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2');
    insert into temp.fresh (rowid, text) select id, text from search_texts;
    create virtual table temp.kept_words using fts5vocab(main, search_index, instance);
    create virtual table temp.fresh_words using fts5vocab(temp, fresh, instance);
  `);
  const places = (table: string) =>
    raw.prepare(`select term, doc, offset from temp.${table} order by term, doc, offset`).all();
  expect(places('kept_words')).toEqual(places('fresh_words'));
  for (const table of ['kept_words', 'fresh_words', 'fresh']) raw.exec(`drop table temp.${table}`);
}

/** Stores each text as the only message of a new session. The sessions are `s1`, `s2` and so on. */
async function say(...texts: string[]) {
  await write(async (tx) => {
    for (const [at, text] of texts.entries()) {
      await tx.sessions.insert(sessionRow(`s${at + 1}`));
      await tx.messages.insert(messageRow(`m${at + 1}`, `s${at + 1}`, text));
    }
  });
}

/** Returns a value of a row as the database encodes it. */
function columnValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

describe('the search index', () => {
  it('contains messages, prompts that have not started, titles and descriptions, in their current form', async () => {
    await write(async (tx) => {
      await tx.sessions.insert(sessionRow('s1', { title: 'Login page', description: 'slow since May' }));
      await tx.tasks.insert(taskRow('t1', 's1', 'measure the database'));
      await tx.tasks.insert(taskRow('t2', 's1', 'notice of a child', { kind: 'notice' }));
      await tx.messages.insert(messageRow('m1', 's1', 'the cache is cold'));
      await tx.messages.insert(messageRow('m2', 's1', 'npm install', { kind: 'toolCall' }));
      await tx.messages.insert(messageRow('m3', 's1', '', { parts: [{ text: 'first' }, { text: 'second' }] }));
      await tx.messages.insert(messageRow('m4', 's1', '', { parts: [] }));
      const call = { type: 'toolCall', title: 'Edit parser.ts', input: { command: 'unindexed' } };
      await tx.messages.insert(messageRow('m5', 's1', '', { kind: 'toolCall', parts: [call] }));
      const entry = { type: 'planEntry', content: 'write the lexer', status: 'pending' };
      await tx.messages.insert(messageRow('m6', 's1', '', { kind: 'plan', parts: [entry] }));
      await tx.messages.insert(messageRow('m7', 's1', 'maybe a typo', { kind: 'thought' }));
      await tx.messages.insert(messageRow('m8', 's1', 'told by a child', { kind: 'notice' }));
    });
    const found = ['login', 'may slow', 'database', 'cold cache', 'first', 'second', 'first second'];
    for (const query of [...found, 'npm', 'edit parser', 'lexer', 'typo'])
      expect(await foundIn(query), query).toEqual(['s1']);
    for (const query of ['child', 'login cache', 'unheard', 'unindexed', 'pending'])
      expect(await foundIn(query), query).toEqual([]);

    await write(async (tx) => {
      await tx.sessions.update('s1', { title: 'Checkout', updatedAt: later });
      await tx.messages.update('m1', { parts: [{ type: 'text', text: 'the oven is hot' }] });
      await tx.messages.update('m4', { parts: [{ type: 'text', text: 'filled' }] });
      await tx.messages.update('m5', { parts: [{ type: 'toolCall', title: 'Edit scanner.ts' }] });
      await tx.tasks.update('t1', { startedAt: later, status: 'running' });
      await tx.tasks.update('t1', { endedAt: later, status: 'completed' });
    });
    for (const query of ['checkout', 'may', 'oven', 'filled', 'scanner'])
      expect(await foundIn(query), query).toEqual(['s1']);
    for (const query of ['login', 'cold', 'database', 'parser']) expect(await foundIn(query), query).toEqual([]);
    checkIndex();
  });

  it('loses removed texts, and all texts of a removed session', async () => {
    await say('canary one', 'canary two');
    await write(async (tx) => {
      await tx.sessions.update('s2', { title: 'canary' });
      await tx.tasks.insert(taskRow('t1', 's2', 'canary'));
      await tx.messages.remove({ sessionId: 's1' });
    });
    expect(await foundIn('canary')).toEqual(['s2']);
    await write(async (tx) => {
      await tx.tasks.remove({ sessionId: 's2' });
      await tx.messages.remove({ sessionId: 's2' });
      expect(await foundIn('canary')).toEqual(['s2']);
      await tx.sessions.update('s2', { removedAt: later });
    });
    expect(await find('canary', { removedAt: { not: null } })).toEqual({ found: [], complete: true });
    const left = opened.reader.raw.prepare('select "sessionId" from search_documents').all();
    expect(left).toEqual([expect.objectContaining({ sessionId: 's1' })]);
    checkIndex();
  });

  it('does not contain changes that were rolled back', async () => {
    const failing = write(async (tx) => {
      await tx.sessions.insert(sessionRow('s1', { title: 'canary' }));
      throw new Error('in the middle');
    });
    await expect(failing).rejects.toThrow('in the middle');
    expect(await foundIn('canary')).toEqual([]);
    checkIndex();
  });

  it('covers texts stored by a build without search, and is correct after VACUUM', async () => {
    opened.close();
    rmSync(join(folder, 'console.db'));
    const before = join(folder, 'before');
    cpSync(migrations, before, { recursive: true });
    const journal = JSON.parse(readFileSync(join(before, 'meta/_journal.json'), 'utf8'));
    const at = journal.entries.findIndex(({ tag }: { tag: string }) => tag.endsWith('_search'));
    writeFileSync(join(before, 'meta/_journal.json'), JSON.stringify({ entries: journal.entries.slice(0, at) }));
    open(before);
    // Inserts rows with SQL, because the current store would use columns that this older database does not have.
    const insertEarly = (table: string, row: object) => {
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      opened.writer.raw
        .prepare(`insert into ${table} ("${names.join('", "')}") values (${places})`)
        .run(...Object.values(row).map(columnValue));
    };
    const session = { mark: 'open', begun: false, messageCount: 0 };
    insertEarly('sessions', { ...session, ...sessionRow('s1') });
    insertEarly('sessions', { ...session, ...sessionRow('s2') });
    insertEarly('sessions', { ...session, ...sessionRow('s3', { title: 'written in a title', removedAt: later }) });
    insertEarly('messages', messageRow('m1', 's1', 'written early'));
    insertEarly('messages', messageRow('m2', 's2', 'written later'));
    const task = { status: 'queued', sendNow: false, artifacts: [], version: 1 };
    insertEarly('tasks', { ...task, ...taskRow('t1', 's1', 'written as a prompt') });
    insertEarly('tasks', { ...task, ...taskRow('t2', 's2', 'done', { startedAt: later }) });
    opened.close();
    open();
    expect((await foundIn('written')).sort()).toEqual(['s1', 's2']);
    expect(await foundIn('done')).toEqual([]);
    await write((tx) => tx.messages.remove({ id: 'm1' }));
    opened.writer.raw.exec('vacuum');
    checkIndex();
    expect(await foundIn('later')).toEqual(['s2']);
    const [match] = (await find('later')).found;
    expect(await storage.read.search.text(match?.documentId ?? 0)).toEqual({
      kind: 'message',
      sourceId: 'm2',
      text: 'written later',
    });
  });
});

describe('words', () => {
  it('are found regardless of case, accents and separators', async () => {
    await say(
      'Das Café in ZÜRICH',
      'cafe\u0301 au lait',
      'src/app/Login.tsx:12',
      'the app logs in',
      'x'.repeat(100_000),
    );
    expect((await foundIn('cafe')).sort()).toEqual(['s1', 's2']);
    expect((await foundIn('CAFÉ')).sort()).toEqual(['s1', 's2']);
    expect((await foundIn('cafe\u0301')).sort()).toEqual(['s1', 's2']);
    expect(await foundIn('zurich cafe')).toEqual(['s1']);
    expect(await foundIn('app/login')).toEqual(['s3']);
    expect((await foundIn('app in')).sort()).toEqual(['s4']);
    expect(await foundIn('"in app"')).toEqual([]);
    expect(await foundIn('"App Logs"')).toEqual(['s4']);
    expect(await foundIn('log')).toEqual([]);
    expect((await foundIn('log*')).sort()).toEqual(['s3', 's4']);
  });

  it('in scripts without spaces are found anywhere in a text, also together with other words', async () => {
    await say(
      'ログイン画面を直してください',
      '请修复 React 登录页面',
      '로그인을 고쳐 주세요',
      'แก้ไขหน้าเข้าสู่ระบบ',
      'React login',
    );
    expect(await foundIn('画面')).toEqual(['s1']);
    expect(await foundIn('登录')).toEqual(['s2']);
    expect(await foundIn('登录 react')).toEqual(['s2']);
    expect(await foundIn('React 画面')).toEqual([]);
    expect(await foundIn('로그인')).toEqual(['s3']);
    expect(await foundIn('เข้าสู่')).toEqual(['s4']);
  });

  it.each([
    '"',
    '""',
    '*',
    '"*"',
    'a"b',
    'NEAR(',
    'NEAR("one two", 5)',
    'text:',
    'text : one',
    '{text} : one',
    '-one',
    'one AND',
    'one OR NOT',
    '^one',
    '(one',
    'one + two',
    "'; drop table messages; --",
    '\u0000',
    'one\u0000two',
    '%',
    '_',
    '\\',
    '?1',
    '登录%',
    '\ud800',
    '🌍',
    'one'.repeat(3_400),
    'one '.repeat(2_500),
    '"'.repeat(10_000),
    '*'.repeat(10_000),
  ])('are never read as syntax: %#', async (query) => {
    await say('one two', 'text');
    const { found } = await find(query);
    for (const { sessionId } of found) expect(['s1', 's2']).toContain(sessionId);
    expect(await foundIn('one')).toEqual(['s1']);
  });
});

describe('search results', () => {
  it('list each session once, newest match first, with its newest message', async () => {
    await write(async (tx) => {
      await tx.sessions.insert(sessionRow('s1', { title: 'canary' }));
      await tx.sessions.insert(sessionRow('s2'));
      await tx.messages.insert(messageRow('m1', 's2', 'canary'));
      await tx.messages.insert(messageRow('m2', 's1', 'canary'));
      await tx.messages.insert(messageRow('m3', 's1', 'canary again'));
      await tx.tasks.insert(taskRow('t1', 's1', 'canary waits'));
      await tx.sessions.insert(sessionRow('s3', { description: 'canary' }));
    });
    const { found, complete } = await find('canary');
    expect(complete).toBe(true);
    const texts = await Promise.all(found.map(({ documentId }) => storage.read.search.text(documentId)));
    expect(found.map(({ sessionId, matches }, at) => [sessionId, matches, texts[at]?.sourceId])).toEqual([
      ['s3', 1, 's3'],
      ['s1', 4, 'm3'],
      ['s2', 1, 'm1'],
    ]);
  });

  it('are limited to sessions that match the filter', async () => {
    await say('canary', 'canary', 'canary');
    await write(async (tx) => {
      await tx.sessions.update('s2', { archivedAt: later, agentId: 'codex' });
      await tx.sessions.update('s3', { mark: 'paused' });
    });
    expect(await foundIn('canary', { archivedAt: null })).toEqual(['s3', 's1']);
    expect(await foundIn('canary', { archivedAt: { not: null } })).toEqual(['s2']);
    expect(await foundIn('canary', { agentId: 'codex' })).toEqual(['s2']);
    expect(await foundIn('canary', { mark: ['open', 'failed'], id: { not: ['s1'] } })).toEqual(['s2']);
    expect(await foundIn('canary', { id: [] })).toEqual([]);
  });

  it("exclude other users' private sessions", async () => {
    await say('canary of ann', 'canary of all', 'canary of bob');
    await write(async (tx) => {
      await tx.sessions.update('s1', { visibility: 'private', createdByUserId: 'ann', title: 'canary' });
      await tx.sessions.update('s3', { visibility: 'private', createdByUserId: 'bob' });
    });
    const readersOfUser = createReadersOfUser(storage.read, opened.reader);
    expect(await foundIn('canary', {}, readersOfUser('bob').search)).toEqual(['s3', 's2']);
    expect((await foundIn('canary', {}, readersOfUser('ann').search)).sort()).toEqual(['s1', 's2']);
    expect(await foundIn('ann', {}, readersOfUser('bob').search)).toEqual([]);
    expect((await foundIn('canary')).length).toBe(3);
  });

  it("and their completeness do not depend on other users' private sessions, wherever these are stored", async () => {
    const { parts } = messageRow('m1', 'ours', 'common');
    const more = (sessionId: string, count: number) =>
      opened.writer.raw.exec(`
        with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})
        insert into messages (id, "sessionId", seq, role, kind, parts, source, "createdAt")
        select hex(randomblob(8)), '${sessionId}', n + (select count(*) from messages), 'agent', 'text',
          '${JSON.stringify(parts)}', 'transcript', '${later}' from n
      `);
    const { search } = createReadersOfUser(storage.read, opened.reader)('bob');
    const both = async () => [await find('common', {}, search), await find('common 登录', {}, search)];
    await write(async (tx) => {
      await tx.sessions.insert(sessionRow('theirs', { visibility: 'private', createdByUserId: 'ann' }));
      await tx.sessions.insert(sessionRow('oldest', { title: 'common 登录' }));
    });
    more('theirs', SEARCH_LOOKUPS + 10);
    for (const answer of await both()) {
      expect(answer).toMatchObject({ complete: true, found: [{ sessionId: 'oldest', matches: 1 }] });
    }

    await write(async (tx) => {
      await tx.sessions.insert(sessionRow('ours'));
    });
    more('ours', SEARCH_MATCHES_MAX - 2);
    more('theirs', SEARCH_SLICE);
    const [nearly] = await both();
    expect(nearly).toMatchObject({ complete: true, found: [{ sessionId: 'ours' }, { sessionId: 'oldest' }] });
    more('ours', 1);
    const [full] = await both();
    expect(full).toMatchObject({ complete: false, found: [{ sessionId: 'ours' }, { sessionId: 'oldest' }] });
    await write((tx) => tx.messages.remove({ sessionId: 'theirs' }));
    expect(await find('common', {}, search)).toEqual(full);
  });

  it('are complete over many slices, or say that older texts were not searched', async () => {
    const many = SEARCH_MATCHES_MAX + SEARCH_SLICE;
    await write(async (tx) => {
      await tx.sessions.insert(sessionRow('old', { title: 'common rare' }));
      await tx.sessions.insert(sessionRow('new'));
    });
    const { parts } = messageRow('m1', 'new', 'common');
    opened.writer.raw.exec(`
      with recursive n (n) as (select 1 union all select n + 1 from n where n < ${many})
      insert into messages (id, "sessionId", seq, role, kind, parts, source, "createdAt")
      select 'm' || n, 'new', n, 'agent', 'text', '${JSON.stringify(parts)}', 'transcript', '${later}' from n
    `);
    const all = await find('common');
    expect(all).toMatchObject({ complete: false, found: [{ sessionId: 'new' }] });
    expect(all.found[0]?.matches).toBeLessThan(many);
    expect(await find('rare common')).toMatchObject({ complete: true, found: [{ sessionId: 'old', matches: 1 }] });
    expect(await find('common', { id: 'old' })).toMatchObject({ complete: true, found: [{ sessionId: 'old' }] });
  });
});
