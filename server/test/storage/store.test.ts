import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobRow, WorktreeRow } from '../../src/ports/rows.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../support/storage.ts';

const at = '2026-01-01T00:00:00.000Z';
const author = { actor: 'user:test' };

function job(id: string, over: Partial<JobRow> = {}): JobRow {
  return {
    id,
    kind: 'repository-clone',
    state: 'running',
    fraction: 0,
    phase: '',
    params: {},
    result: null,
    error: null,
    actor: 'user:test',
    createdAt: at,
    endedAt: null,
    ...over,
  };
}

describe('a store with cached statements', () => {
  let opened: ReturnType<typeof openStorage>;
  let storage: Storage;

  beforeEach(async () => {
    opened = openStorage({ now: () => new Date(at) });
    ({ storage } = opened);
  });
  afterEach(() => opened.close());

  const insert = (...rows: JobRow[]) =>
    storage.write(author, async (tx) => {
      for (const row of rows) await tx.jobs.insert(row);
    });

  it('returns every row as it was stored, whatever the previous row contained', async () => {
    const rows = [
      job('a'),
      job('b', { params: { deep: [1, null, 'é'] }, result: { ok: true }, fraction: 0.5, endedAt: at }),
      job('c', { error: { code: 'GIT_FAILED', message: "it's `gone`", details: {} } }),
      job('d'),
    ];
    await insert(...rows);
    expect(await storage.read.jobs.find({})).toEqual(rows);
    for (const row of rows) expect(await storage.read.jobs.get(row.id)).toEqual(row);
    expect(await storage.read.jobs.get('e')).toBeUndefined();
  });

  it('distinguishes null from false, zero and the string null', async () => {
    const worktree = (id: string, branch: string | null, branchCreated: boolean): WorktreeRow => ({
      id,
      repositoryId: 'r',
      kind: 'managed',
      name: id,
      path: `/w/${id}`,
      branch,
      branchCreated,
      index: 0,
      state: 'ready',
      baseRef: null,
      baseSha: null,
      currentSha: null,
      recoveryRef: null,
      gitStatus: null,
      pullRequest: null,
      boardId: null,
      zoneId: null,
      x: null,
      y: null,
      createdAt: at,
    });
    const rows = [worktree('a', 'null', false), worktree('b', null, true), worktree('c', '', false)];
    opened.writer.raw.pragma('foreign_keys = OFF');
    await storage.write(author, async (tx) => {
      for (const row of rows) await tx.worktrees.insert(row);
    });
    expect(await storage.read.worktrees.find({})).toEqual(rows);
    expect((await storage.read.worktrees.find({ branch: null })).map((row) => row.id)).toEqual(['b']);
    expect((await storage.read.worktrees.find({ branch: 'null' })).map((row) => row.id)).toEqual(['a']);
    expect((await storage.read.worktrees.find({ branchCreated: false })).map((row) => row.id)).toEqual(['a', 'c']);
  });

  it('updates only the named columns, also to null', async () => {
    await insert(job('a', { result: { ok: true }, endedAt: at }), job('b'));
    await storage.write(author, async (tx) => {
      await tx.jobs.update('a', { result: null, state: 'failed' });
      await tx.jobs.update('b', { result: { ok: false }, state: 'succeeded' });
    });
    expect(await storage.read.jobs.find({})).toEqual([
      job('a', { state: 'failed', endedAt: at }),
      job('b', { state: 'succeeded', result: { ok: false } }),
    ]);
  });

  it('sees later commits with the same query', async () => {
    const running = () => storage.read.jobs.find({ state: 'running' });
    const count = () => storage.read.jobs.count({ state: ['running', 'failed'] });
    await insert(job('a'));
    expect([(await running()).length, await count()]).toEqual([1, 1]);
    await insert(job('b'));
    expect([(await running()).length, await count()]).toEqual([2, 2]);
    await storage.write(author, (tx) => tx.jobs.remove({ id: 'a' }));
    expect((await running()).map((row) => row.id)).toEqual(['b']);
  });

  it('does not block checkpoints of the database after reading', async () => {
    await insert(job('a'), job('b'));
    await storage.read.jobs.get('a');
    await storage.read.jobs.first({});
    await insert(job('c'));
    expect(opened.writer.raw.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0, log: 0 }]);
  });

  it('accepts lists of any length, including empty ones', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `job-${String(n).padStart(3, '0')}`);
    await insert(...ids.map((id) => job(id)));
    for (const length of [0, 1, 2, 16, 17, 99, 100]) {
      const some = ids.slice(0, length);
      expect((await storage.read.jobs.find({ id: some })).map((row) => row.id)).toEqual(some);
      expect(await storage.read.jobs.count({ id: { not: some } })).toBe(ids.length - length);
    }
  });

  it('returns correct results after any number of different queries', async () => {
    await insert(job('a'), job('b', { phase: 'x' }));
    const columns = ['kind', 'state', 'phase', 'actor', 'createdAt'] as const;
    for (let n = 0; n < 2 ** columns.length * 8; n += 1) {
      const where = Object.fromEntries(
        columns.filter((_, bit) => n & (1 << bit)).map((name) => [name, job('b')[name]]),
      );
      const list = Array.from({ length: n % 8 }, (_, at) => `other-${at}`);
      const found = await storage.read.jobs.find({ ...where, id: ['a', ...list] }, { order: ['-id'] });
      expect(found.map((row) => row.id)).toEqual(['a']);
    }
  });
});
