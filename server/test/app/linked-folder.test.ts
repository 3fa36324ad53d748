import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkDatabase } from '../../src/surfaces/cli/doctor/records.ts';
import { checkWorktrees } from '../../src/surfaces/cli/doctor/worktrees.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

it('lists a worktree once, with its branch, if a symbolic link leads to its folder', async () => {
  const disk = join(c.folder, 'disk');
  mkdirSync(disk);
  symlinkSync(disk, join(c.home, 'repositories'));
  const { worktree } = await c.client.call('worktrees.create', {
    repositoryId: c.repository.id,
    mode: 'custom',
    branch: 'elsewhere',
    wait: true,
  });
  const list = async () => (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data;
  const managed = { id: worktree?.id, branch: 'elsewhere', state: 'ready', path: expect.stringContaining(disk) };
  expect((await list()).filter(({ kind }) => kind !== 'main')).toMatchObject([managed]);

  const installation = { env: c.env, home: c.home, programs: PROGRAMS };
  const { records } = await checkDatabase(installation);
  const findings = records === undefined ? [] : await checkWorktrees(installation, records);
  expect(findings).toMatchObject([{ check: 'worktrees', result: 'ok' }]);
});
