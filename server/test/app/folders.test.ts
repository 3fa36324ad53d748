import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

describe('folders of the machine', () => {
  it('are listed with git repositories first, without hidden ones and files', async () => {
    const folder = join(c.folder, 'code');
    for (const name of ['alpha', 'shop/.git', '.hidden']) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(join(folder, 'alpha'), join(folder, 'link'));
    const listed = await c.client.call('folders.list', { path: folder });
    expect(listed.folders.map(({ name, isRepository }) => [name, isRepository])).toEqual([
      ['shop', true],
      ['alpha', false],
      ['link', false],
    ]);
    expect(listed).toMatchObject({ name: 'code', isRepository: false, truncated: false });
    expect((await c.client.call('folders.list', { path: listed.parent ?? '' })).folders).toContainEqual(
      expect.objectContaining({ name: 'code', path: listed.path }),
    );
    expect(await c.client.call('folders.list', { path: c.repository.path })).toMatchObject({
      isRepository: true,
      repositoryId: c.repository.id,
    });
  });

  it('start at the home folder', async () => {
    const listed = await c.client.call('folders.list', {});
    expect(listed.home).toContain(listed.name);
  });

  it('are refused to agents and other people, and named when they do not exist', async () => {
    const ann = await addPerson(c, 'Ann');
    expect((await refusal(ann.client.call('folders.list', {}))).code).toBe('PERMISSION_DENIED');
    const missing = await refusal(c.client.call('folders.list', { path: join(c.folder, 'nowhere') }));
    expect(missing).toMatchObject({ code: 'VALIDATION' });
    expect(missing.message).toMatch(/path: is not a folder that the console can read/);
  });
});

describe('events', () => {
  it('are listed from the newest to the oldest, a page at a time', async () => {
    const newest = await c.client.call('events.list', { order: 'newest', limit: 2 });
    const seqs = newest.data.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
    const older = await c.client.call('events.list', { order: 'newest', before: seqs.at(-1) ?? 0, limit: 1 });
    expect(older.data[0]?.seq).toBe((seqs.at(-1) ?? 0) - 1);
  });
});

it('agents say how they are installed and logged in', async () => {
  expect(await c.client.call('agents.get', { id: 'codex' })).toMatchObject({
    installCommand: 'npm install -g @openai/codex',
    loginCommand: 'codex login',
  });
  expect(await c.client.call('agents.get', { id: 'scripted' })).toMatchObject({
    installCommand: null,
    loginCommand: null,
  });
});
