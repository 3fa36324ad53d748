import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDEMPOTENCY_KEY_MS } from '@agent-console/shared/limits/calls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventRow, NewRow } from '../../src/ports/rows.ts';
import type { NewEvent } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createMcpSessionStore } from '../../src/storage/mcp-sessions.ts';
import { createStorage, type ServerStorage } from '../../src/storage/storage.ts';
import { sessionRow } from '../support/rows.ts';

const migrations = new URL('../../src/storage/migrations', import.meta.url).pathname;
const at = '2026-01-01T00:00:00.000Z';
const author = { actor: 'user:test' };

function repository(id: string, over: Partial<NewRow<'repositories'>> = {}): NewRow<'repositories'> {
  return {
    id,
    name: id,
    path: `/code/${id}`,
    commonDir: `/code/${id}/.git`,
    defaultBranch: 'main',
    worktreesDir: `/home/${id}`,
    createdAt: at,
    ...over,
  };
}

describe('storage', () => {
  let folder: string;
  let opened: ReturnType<typeof openDatabase>;
  let storage: ServerStorage;
  let published: EventRow[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ac-storage-'));
    published = [];
    opened = openDatabase(join(folder, 'console.db'), migrations);
    storage = createStorage({ ...opened, now: () => new Date(at), onCommit: (events) => published.push(...events) });
  });
  afterEach(async () => {
    opened.close();
    await rm(folder, { recursive: true });
  });

  it('keeps an MCP session that is stored during a transaction that fails', async () => {
    const sessions = createMcpSessionStore(opened.writer.db, storage);
    let fail: (error: Error) => void = () => undefined;
    const failing = storage.write(author, () => new Promise((_, reject) => (fail = reject)));
    await new Promise((resolve) => setImmediate(resolve));
    const session = { id: 'mcp', protocolVersion: '2025-11-25', client: { name: 'agent', version: '1' } };
    const saved = sessions.save({ ...session, watched: [], createdAt: new Date(at), usedAt: new Date(at) });
    fail(new Error('refused'));
    await expect(failing).rejects.toThrow('refused');
    await saved;
    expect(await sessions.find('mcp')).toMatchObject(session);
  });

  it('closes after the write in progress and the writes before it, and refuses later writes', async () => {
    let finish: () => void = () => undefined;
    const slow = storage.write(author, async (tx) => {
      await tx.repositories.insert(repository('slow'));
      await new Promise<void>((resolve) => (finish = resolve));
    });
    const next = storage.write(author, (tx) => tx.repositories.insert(repository('next')));
    const closed = storage.close();
    const late = storage.write(author, (tx) => tx.repositories.insert(repository('late')));
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await Promise.all([slow, next, closed]);
    await expect(late).rejects.toThrow('The database was closed.');
    opened = openDatabase(join(folder, 'console.db'), migrations);
    storage = createStorage({ ...opened, now: () => new Date(at), onCommit: () => {} });
    expect(await storage.read.repositories.ids({})).toEqual(['next', 'slow']);
  });

  it('commits a change with its event, and publishes the event after the commit', async () => {
    const inserted = await storage.write(author, async (tx) => {
      const row = await tx.repositories.insert(repository('a'));
      await tx.record({ type: 'repository.registered', subject: { kind: 'repository', id: 'a' } });
      expect(published).toEqual([]);
      return row;
    });
    expect(inserted).toMatchObject({ ...repository('a'), setupCommand: null, nextIndex: 1, removedAt: null });
    expect(await storage.read.repositories.get('a')).toEqual(inserted);
    expect(published.map((event) => [event.seq, event.type, event.actor])).toEqual([
      [1, 'repository.registered', 'user:test'],
    ]);
  });

  it('rolls back a transaction that throws, and continues with the next', async () => {
    const failing = storage.write(author, async (tx) => {
      await tx.repositories.insert(repository('a'));
      await tx.record({ type: 'repository.registered', subject: { kind: 'repository', id: 'a' } });
      throw new Error('in the middle');
    });
    const next = storage.write(author, (tx) => tx.repositories.insert(repository('b')));
    await expect(failing).rejects.toThrow('in the middle');
    await next;
    expect((await storage.read.repositories.find({})).map((row) => row.id)).toEqual(['b']);
    expect(published).toEqual([]);
    expect(await storage.read.events.count({})).toBe(0);
  });

  it('hides an open transaction from readers', async () => {
    await storage.write(author, async (tx) => {
      await tx.repositories.insert(repository('a'));
      expect(await storage.read.repositories.count({})).toBe(0);
      expect(await tx.repositories.count({})).toBe(1);
    });
    expect(await storage.read.repositories.count({})).toBe(1);
  });

  it('filters by value, list, bound, prefix, null and negation, in order and by page', async () => {
    await storage.write(author, async (tx) => {
      for (const id of ['aa1', 'aa2', 'ab1', 'a%1']) {
        await tx.repositories.insert(
          repository(id, { url: id === 'ab1' ? 'https://x' : null, removedAt: id === 'aa2' ? at : null }),
        );
      }
    });
    const names = async (...query: Parameters<typeof storage.read.repositories.find>) =>
      (await storage.read.repositories.find(...query)).map((row) => row.id);
    expect(await names({ id: { startsWith: 'aa' } })).toEqual(['aa1', 'aa2']);
    expect(await names({ id: { startsWith: 'a%' } })).toEqual(['a%1']);
    expect(await names({ id: ['ab1', 'aa1'] })).toEqual(['aa1', 'ab1']);
    expect(await names({ url: null, removedAt: null }, { order: ['-id'] })).toEqual(['aa1', 'a%1']);
    expect(await names({ url: { not: null } })).toEqual(['ab1']);
    expect(await names({ id: { above: 'aa1' } }, { limit: 1, skip: 1 })).toEqual(['ab1']);
    expect(await names({ id: { not: ['aa1', 'aa2'] } })).toEqual(['a%1', 'ab1']);
  });

  it('refuses two active registrations of one repository', async () => {
    await storage.write(author, (tx) => tx.repositories.insert(repository('a')));
    const second = storage.write(author, (tx) =>
      tx.repositories.insert(repository('b', { commonDir: '/code/a/.git' })),
    );
    await expect(second).rejects.toThrow(/UNIQUE/);
    await storage.write(author, (tx) => tx.repositories.update('a', { removedAt: at }));
    await storage.write(author, (tx) => tx.repositories.insert(repository('b', { commonDir: '/code/a/.git' })));
  });

  it('records events again after one that could not be stored, because the disk was full', async () => {
    const record = (type: 'server.started' | 'runner.lost') =>
      storage.write(author, (tx) =>
        tx.record({ type, subject: { kind: 'server', id: 'server' }, data: {} } as NewEvent),
      );
    // SQLite reports a full disk if a table has no further row number.
    opened.writer.raw.exec(`
      create table full (id integer primary key autoincrement);
      insert into full values (9223372036854775807);
      create trigger fill before insert on events when new.type = 'runner.lost' begin
        insert into full (id) values (null);
      end;
    `);
    await record('server.started');
    await expect(record('runner.lost')).rejects.toThrow('the disk may be full');
    await record('server.started');
    expect(published.map(({ type }) => type)).toEqual(['server.started', 'server.started']);
  });

  it.each([
    ['a worktree session without a worktree', sessionRow('s', { type: 'worktree' })],
    ['a quick session with a worktree', sessionRow('s', { worktreeId: 'w' })],
  ])('refuses %s', async (_, row) => {
    await expect(storage.write(author, async (tx) => tx.sessions.insert(row))).rejects.toThrow(/worktree/);
    const sound = await storage.write(author, (tx) => tx.sessions.insert(sessionRow('t')));
    await expect(storage.write(author, async (tx) => tx.sessions.update('t', { type: 'worktree' }))).rejects.toThrow(
      /worktree/,
    );
    expect(await storage.read.sessions.find({})).toEqual([sound]);
  });

  it('remembers the first answer of a key, and a new one after it has expired', async () => {
    const idempotency = { caller: 'user:test', operation: 'boards.create', key: 'nightly', delivered: null };
    const expiry = new Date(Date.parse(at) + IDEMPOTENCY_KEY_MS);
    for (const [answer, now] of [
      ['first', new Date(at)],
      ['early', new Date(expiry.getTime() - 1)],
      ['second', expiry],
    ] as const) {
      const later = createStorage({ ...opened, now: () => now, onCommit: () => {} });
      const keyed = { ...author, idempotency: { ...idempotency, bodySha256: answer } };
      await later.write(keyed, (tx) => tx.remember({ answer }));
      const stored = answer === 'early' ? 'first' : answer;
      expect(await storage.read.idempotency.get('user:test', 'boards.create', 'nightly')).toMatchObject({
        bodySha256: stored,
        output: { answer: stored },
      });
    }
  });

  it('persists after closing, and refuses a database of a newer version', async () => {
    const file = join(folder, 'console.db');
    await storage.write(author, (tx) => tx.repositories.insert(repository('a')));
    opened.close();
    await expect(storage.write(author, (tx) => tx.repositories.insert(repository('b')))).rejects.toThrow('not open');
    opened = openDatabase(file, migrations);
    storage = createStorage({ ...opened, now: () => new Date(at), onCommit: () => {} });
    expect(await storage.read.repositories.count({})).toBe(1);
    opened.writer.raw.exec("insert into __drizzle_migrations (hash, created_at) values ('future', 99999999999999)");
    opened.close();
    expect(() => openDatabase(file, migrations)).toThrow(/newer version/);
    opened = openDatabase(join(folder, 'other.db'), migrations);
  });
});
