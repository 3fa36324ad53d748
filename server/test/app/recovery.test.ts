import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe('a file in the folder of a worktree that is incomplete', () => {
  async function make(branch: string) {
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    if (worktree === undefined) throw new Error('was not waited for');
    writeFileSync(join(worktree.path, 'mine.txt'), 'mine\n');
    return { worktreeId: worktree.id, path: worktree.path };
  }

  async function savedFile(worktreeId: string): Promise<string> {
    const { data } = await c.client.call('events.list', { order: 'newest', limit: 100 });
    const saved = data.find(({ type, subject }) => type === 'worktree.saved' && subject.id === worktreeId);
    return c.git(['show', `${saved?.data.recoveryRef}:mine.txt`]);
  }

  it('is saved before the worktree is checked out again for a session', async () => {
    const { worktreeId, path } = await make('locked');
    const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
    c.git(['worktree', 'lock', '--reason', 'added with --lock', path]);
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say hi' });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    expect(existsSync(join(path, 'mine.txt'))).toBe(false);
    expect(await savedFile(worktreeId)).toBe('mine');
  });

  it('is saved before an interrupted restore is undone, or kept if it cannot be saved', async () => {
    const { worktreeId, path } = await make('restoring');
    putInto(c, [`update worktrees set state = 'restoring' where id = ?`, worktreeId]);
    const gitDir = c.git(['rev-parse', '--absolute-git-dir'], path);
    renameSync(join(gitDir, 'HEAD'), join(gitDir, 'HEAD-away'));
    await c.restart();
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
    renameSync(join(gitDir, 'HEAD-away'), join(gitDir, 'HEAD'));
    await c.restart();
    expect(existsSync(path)).toBe(false);
    expect(await savedFile(worktreeId)).toBe('mine');
  });
});
