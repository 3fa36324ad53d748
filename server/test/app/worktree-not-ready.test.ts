import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

it('no quick session can be created in a worktree that is not ready, and earlier ones start no process', async () => {
  const [began, go] = [join(c.folder, 'began'), join(c.folder, 'go')];
  const repositoryId = c.repository.id;
  const setupCommand = `mkdir inner; touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.05; done`;
  await c.client.call('repositories.update', { repositoryId, setupCommand });
  const { jobId } = await c.client.call('worktrees.create', { repositoryId, mode: 'custom', branch: 'slow' });
  await c.until('the setup command', async () => existsSync(began));
  const { data } = await c.client.call('worktrees.list', { repositoryId });
  const worktree = data.find(({ branch }) => branch === 'slow');
  if (worktree === undefined) throw new Error('there is no worktree');
  const { id: worktreeId, path } = worktree;
  const create = (cwd: string) => c.client.call('sessions.create', { cwd, agentId: 'scripted', title: 'By path' });
  for (const cwd of [path, join(path, 'inner'), `${path}/`]) {
    expect(await refusal(create(cwd))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Wait until the worktree is ready'),
      details: { worktreeId, state: 'creating' },
    });
  }
  writeFileSync(go, '');
  await c.until('the worktree', async () => (await c.client.call('jobs.get', { jobId })).state === 'succeeded');
  const { id: sessionId } = await create(path);
  const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
  expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
    code: 'CONFLICT',
    details: { sessionId },
  });
  await c.client.call('workers.remove', { workerId: terminal.id });

  const cleaning = join(c.folder, 'cleaning');
  const cleanupCommand = `touch '${cleaning}'; while [ -e '${cleaning}' ]; do sleep 0.05; done`;
  await c.client.call('repositories.update', { repositoryId, cleanupCommand });
  const removal = c.client.call('worktrees.remove', { worktreeId, force: true });
  await c.until('the cleanup', async () => existsSync(cleaning));
  const refused = { code: 'CONFLICT', details: { worktreeId, state: 'removing' } };
  expect(await refusal(create(path))).toMatchObject(refused);
  for (const type of ['terminal', 'agent'] as const)
    expect(await refusal(c.client.call('workers.create', { sessionId, type }))).toMatchObject(refused);
  rmSync(cleaning);
  expect((await removal).worktree.state).toBe('removed');
});
