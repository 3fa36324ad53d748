import { RECOVERY_KEPT_MS } from '@agent-console/shared/limits/git';
import { CHANGES_KEPT_MS } from '@agent-console/shared/limits/records';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pruneRefs } from '../../src/engine/maintenance/housekeeping.ts';
import { removeOldRecords } from '../../src/engine/maintenance/retention.ts';
import { createFixture } from '../git/fixture.ts';
import { openStorage } from '../support/storage.ts';

let opened: ReturnType<typeof openStorage>;
beforeAll(() => {
  opened = openStorage();
});
afterAll(() => opened.close());

const NOW = new Date('2026-06-01T00:00:00.000Z');
const old = new Date(NOW.getTime() - CHANGES_KEPT_MS - 1).toISOString();
const recent = NOW.toISOString();

it('removes old integrations, checks and jobs, but no running, recent or worktree-creating ones', async () => {
  const { storage } = opened;
  const ended: Record<string, string | null> = { old, recent, running: null };
  await storage.write({ actor: 'system' }, async (tx) => {
    const repositoryId = 'r';
    const worktreeId = 'w';
    await tx.repositories.insert({
      id: repositoryId,
      name: 'shop',
      path: '/shop',
      commonDir: '/shop/.git',
      defaultBranch: 'main',
      worktreesDir: '/worktrees',
      createdAt: old,
    });
    const worktree = { id: worktreeId, repositoryId, kind: 'managed', name: 'w', path: '/w', index: 1 } as const;
    await tx.worktrees.insert({ ...worktree, state: 'ready', createdAt: old });
    for (const [id, endedAt] of Object.entries(ended)) {
      const both = { repositoryId, worktreeId, createdAt: old, endedAt };
      const commits = { sourceSha: 'a', beforeSha: 'b' };
      await tx.integrations.insert({ id, ...both, strategy: 'merge', branch: 'x', into: 'main', ...commits });
      await tx.worktreeChecks.insert({ id, ...both, jobId: id, commit: 'a', clean: true, command: 'true' });
      for (const kind of ['check', 'worktree-creation'] as const) {
        await tx.jobs.insert({ id: `${kind} ${id}`, kind, params: {}, actor: 'system', createdAt: old, endedAt });
      }
    }
  });
  await storage.write({ actor: 'system' }, (tx) => removeOldRecords(tx, NOW, 0));
  const ids = async (rows: Promise<{ id: string }[]>) => (await rows).map(({ id }) => id).sort();
  expect(await ids(storage.read.integrations.find({}))).toEqual(['recent', 'running']);
  expect(await ids(storage.read.worktreeChecks.find({}))).toEqual(['recent', 'running']);
  expect(await ids(storage.read.jobs.find({}))).toEqual([
    'check recent',
    'check running',
    'worktree-creation old',
    'worktree-creation recent',
    'worktree-creation running',
  ]);
});

it('prunes the recoveries of a repository although the folder of another one is gone', async () => {
  const { storage } = opened;
  const fixture = createFixture();
  try {
    const clock = () => NOW.getTime() - RECOVERY_KEPT_MS - 1;
    const checkout = fixture.checkout(fixture.repository, 'main');
    const { ref } = await fixture.adapter({ clock }).saveRecovery(checkout, 'main');
    await storage.write({ actor: 'system' }, async (tx) => {
      const fields = { defaultBranch: 'main', worktreesDir: '/worktrees', createdAt: old };
      for (const [id, path] of Object.entries({ gone: fixture.path('gone'), here: fixture.repository })) {
        await tx.repositories.insert({ id, name: id, path, commonDir: `${path}/.git`, ...fields });
      }
    });
    expect((await storage.read.repositories.find({})).map(({ id }) => id)).toEqual(['gone', 'here', 'r']);
    const errors: unknown[] = [];
    await pruneRefs({ storage, git: fixture.git, now: () => NOW }, (error) => errors.push(error));
    expect(fixture.sh(['for-each-ref', ref])).toBe('');
    expect(errors).toEqual([]);
  } finally {
    fixture.remove();
  }
});
