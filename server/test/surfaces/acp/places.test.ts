import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import LibSql from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionsOf } from '../../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../../support/app.ts';
import type { Editor } from '../../support/editor.ts';
import { editorsOf } from './editors.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { get } = sessionsOf(() => c);
const { open, newSession } = editorsOf(() => c);
const listed = async ({ agent }: Editor, cwd: string) =>
  (await agent.request('session/list', { cwd })).sessions.map(({ sessionId }) => sessionId);
const branches = () =>
  c.git(['branch', '--list', '--format=%(refname:short)', 'editor-*'], c.repository.path).split('\n').sort();

it('a session works in the directory that the editor names', async () => {
  const editor = await open();
  const cwd = join(c.folder, 'elsewhere');
  mkdirSync(cwd);
  expect(await get(await newSession(editor, cwd))).toMatchObject({ type: 'quick', cwd, agentId: 'scripted-acp' });
  const inside = await newSession(editor, c.repository.path);
  expect(await get(inside)).toMatchObject({ type: 'quick', cwd: c.repository.path });
});

it('a session has its own worktree on request', async () => {
  const editor = await open({ inWorktree: true });
  mkdirSync(join(c.repository.path, 'src'), { recursive: true });
  const sessionId = await newSession(editor, join(c.repository.path, 'src'));
  const session = await get(sessionId);
  expect(session).toMatchObject({ type: 'worktree', repositoryId: c.repository.id });
  expect(session.gitState?.ref).toMatch(/^editor-[0-9a-f]{8}$/);
  expect(await get(await newSession(editor))).toMatchObject({ type: 'quick' });
});

it('a session is listed by directory, newest first', async () => {
  const editor = await open();
  const cwd = join(c.folder, 'listed');
  mkdirSync(cwd);
  const first = await newSession(editor, cwd);
  const second = await newSession(editor, cwd);
  await c.client.call('sessions.update', { sessionId: first, title: 'First' });
  const { sessions } = await editor.agent.request('session/list', { cwd });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([second, first]);
  expect(sessions[1]).toMatchObject({ cwd, title: 'First', updatedAt: expect.any(String) });
  const all = await editor.agent.request('session/list', {});
  expect(all.sessions.length).toBeGreaterThan(2);
});

it('a session is listed for every directory of its repository if it has its own worktree', async () => {
  const editor = await open();
  const inWorktree = await newSession(await open({ inWorktree: true }), c.repository.path);
  const { cwd } = await get(inWorktree);
  const folder = join(c.repository.path, 'docs');
  mkdirSync(folder, { recursive: true });
  const another = await c.addRepository('another');
  const elsewhere = await newSession(await open({ inWorktree: true }), another.path);
  for (const directory of [c.repository.path, folder, cwd]) {
    const found = await listed(editor, directory);
    expect(found).toContain(inWorktree);
    expect(found).not.toContain(elsewhere);
  }
  expect(await listed(editor, another.path)).toEqual([elsewhere]);
  expect(await listed(editor, c.folder)).not.toContain(inWorktree);
});

it('a session has its own worktree although there are more worktrees than a page of a list has', async () => {
  const { path } = await c.addRepository('after-many');
  const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
  try {
    database.exec(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${PAGE_MAX})
      insert into worktrees (id, repositoryId, kind, name, path, branchCreated, state, createdAt)
      select printf('01900000-0000-7000-8000-%012d', n), '${c.repository.id}', 'managed', 'many', '/many/' || n, 0,
        'ready', '2026-01-01T00:00:00.000Z' from numbers`);
    expect(await get(await newSession(await open({ inWorktree: true }), path))).toMatchObject({ type: 'worktree' });
  } finally {
    database.exec(`delete from worktrees where name = 'many'`);
    database.close();
  }
});

it.each([
  ['its agent is unknown', 'missing', []],
  ['its agent cannot be started', 'scripted-acp', [{ type: 'http' as const, name: 'x', url: 'nowhere', headers: [] }]],
])('a session leaves nothing behind if %s', async (_name, agentId, mcpServers) => {
  const { agent } = await open({ inWorktree: true, agentId });
  const before = branches();
  const { total } = await c.client.call('sessions.list', {});
  const refused = agent.request('session/new', { cwd: c.repository.path, mcpServers });
  await expect(refused).rejects.toMatchObject({ code: expect.any(Number) });
  expect(branches()).toEqual(before);
  const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
  expect(data.flatMap(({ branch }) => (branch?.startsWith('editor-') ? [branch] : [])).sort()).toEqual(before);
  expect((await c.client.call('sessions.list', {})).total).toBe(total);
});
