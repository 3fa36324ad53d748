import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { putInto } from '../e2e/support/planted.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

/** Stores a job that the server did not finish. */
function plantJob(jobId: string, kind: string, params: object): void {
  putInto(c, [
    `insert into jobs (id, kind, state, fraction, phase, params, actor, "createdAt")
     values (?, ?, 'running', 0.5, '', ?, 'system', '2026-01-01T00:00:00.000Z')`,
    jobId,
    kind,
    JSON.stringify(params),
  ]);
}

it('a worktree that could not be undone at the start is undone later, and its job has failed', async () => {
  const fields = { repositoryId: c.repository.id, mode: 'custom', branch: 'half', wait: true } as const;
  const worktreeId = (await c.client.call('worktrees.create', fields)).worktree?.id ?? '';
  const jobId = '01900000-0000-7000-8000-000000000001';
  putInto(c, [`update worktrees set state = 'creating' where id = ?`, worktreeId]);
  plantJob(jobId, 'worktree-creation', { worktreeId });
  const away = `${c.repository.path}-away`;
  renameSync(c.repository.path, away);
  await c.restart();
  renameSync(away, c.repository.path);
  expect(await c.client.call('jobs.get', { jobId })).toMatchObject({
    state: 'failed',
    error: { code: 'BUSY', message: expect.stringContaining('neither be completed nor undone') },
  });
  await c.restart();
  const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
  expect(data.map(({ id }) => id)).not.toContain(worktreeId);
  expect(c.git(['branch', '--list', 'half'])).toBe('');
});

it('a clone into a linked folder that was registered before the server ended has succeeded', async () => {
  const linked = join(c.folder, 'linked-home');
  symlinkSync(c.home, linked);
  const target = join(linked, 'repositories', 'team', 'tool', 'repository');
  mkdirSync(dirname(target), { recursive: true });
  c.git(['clone', '--quiet', c.repository.path, target]);
  const registered = await c.client.call('repositories.create', { path: target });
  const jobId = '01900000-0000-7000-8000-000000000002';
  plantJob(jobId, 'repository-clone', { target });
  await c.restart();
  expect(await c.client.call('jobs.get', { jobId })).toMatchObject({
    state: 'succeeded',
    result: { repositoryId: 'id' in registered ? registered.id : '' },
  });
});

it('an interrupted restore is undone, and its files are saved before if that is possible', async () => {
  const make = async (branch: string) => {
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    if (worktree === undefined) throw new Error('was not waited for');
    writeFileSync(join(worktree.path, 'mine.txt'), 'mine\n');
    putInto(c, [`update worktrees set state = 'restoring' where id = ?`, worktree.id]);
    return worktree;
  };
  const [whole, broken] = [await make('whole'), await make('broken')];
  rmSync(join(c.git(['rev-parse', '--absolute-git-dir'], broken.path), 'HEAD'));
  await c.restart();
  for (const { id: worktreeId, path } of [whole, broken]) {
    expect(existsSync(path)).toBe(false);
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'removed' });
  }
  const { data } = await c.client.call('events.list', { order: 'newest', limit: 100 });
  const saved = data.find(({ type, subject }) => type === 'worktree.saved' && subject.id === whole.id);
  expect(c.git(['show', `${saved?.data.recoveryRef}:mine.txt`])).toBe('mine');
});
