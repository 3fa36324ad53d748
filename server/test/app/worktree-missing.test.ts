import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putInto } from '../e2e/support/planted.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

async function make(branch: string, repositoryId = c.repository.id) {
  const fields = { repositoryId, mode: 'either', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return { worktreeId: worktree.id, path: worktree.path };
}

/** Creates a session in a worktree and stops it after one turn. Returns its id. */
async function stoppedIn(worktreeId: string): Promise<string> {
  const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
  await c.client.call('sessions.prompt', { sessionId, prompt: '@say first' });
  await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
  await c.client.call('sessions.stop', { sessionId });
  return sessionId;
}

describe('a worktree whose folder is gone', () => {
  it.each([
    ['deleted', (path: string) => rmSync(path, { recursive: true })],
    ['removed by hand with git', (path: string) => void c.git(['worktree', 'remove', '--force', path])],
  ])('because it was %s is reported as missing, and can be removed without force', async (how, take) => {
    const branch = how.split(' ')[0] ?? '';
    const { worktreeId, path } = await make(branch);
    const sessionId = await stoppedIn(worktreeId);
    take(path);
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'ready', missing: true });
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    expect(data.filter(({ missing }) => missing).map(({ id }) => id)).toEqual([worktreeId]);
    expect(await c.client.call('sessions.get', { sessionId, includePlace: true })).toMatchObject({
      worktree: { missing: true },
    });
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('If the folder of the worktree is gone, remove the worktree'),
    });
    expect(await refusal(make(branch))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(`^Branch ${branch} (?:is already checked out|belongs to worktree .+) at ${path}`),
    });
    const removed = await c.client.call('worktrees.remove', { worktreeId });
    expect(removed).toMatchObject({ worktree: { state: 'removed' }, recoveryRef: null, leftOut: [] });
    expect(removed.warnings).toEqual([expect.stringContaining(`The branch ${branch} remains`)]);
    expect(c.git(['worktree', 'list', '--porcelain'])).not.toContain(path);
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`Create a new worktree from its branch ${branch}`),
    });
    expect(existsSync((await make(branch)).path)).toBe(true);
  });

  it('does not prevent that its branch is checked out elsewhere', async () => {
    const { worktreeId, path } = await make('elsewhere');
    c.git(['worktree', 'remove', '--force', path]);
    const elsewhere = join(c.folder, 'elsewhere');
    c.git(['worktree', 'add', '--quiet', elsewhere, 'elsewhere']);
    const list = async () => (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data;
    expect((await list()).filter(({ branch }) => branch === 'elsewhere')).toMatchObject([{ path: elsewhere }]);
    const removed = await c.client.call('worktrees.remove', { worktreeId });
    expect(removed.worktree).toMatchObject({ state: 'removed' });
    expect(existsSync(elsewhere)).toBe(true);
  });

  it('that git created can be pruned to free its branch', async () => {
    const by = join(c.folder, 'by-hand');
    c.git(['worktree', 'add', '--quiet', '-b', 'by-hand', by]);
    rmSync(by, { recursive: true });
    const fields = { repositoryId: c.repository.id, mode: 'existing', branch: 'by-hand', wait: true } as const;
    expect(await refusal(c.client.call('worktrees.create', fields))).toMatchObject({
      code: 'CONFLICT',
      message: `Branch by-hand is already checked out at ${by}, but git can no longer use that folder. Run git worktree prune in ${c.repository.path}, or choose another branch.`,
    });
    c.git(['worktree', 'prune']);
    expect((await c.client.call('worktrees.create', fields)).worktree).toMatchObject({ branch: 'by-hand' });
  });

  it('keeps the commits that were only in it', async () => {
    const { worktreeId, path } = await make('lonely');
    c.git(['checkout', '--quiet', '--detach'], path);
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
    c.git([...identity, 'commit', '--quiet', '--allow-empty', '-m', 'On no branch'], path);
    const sha = c.git(['rev-parse', 'HEAD'], path);
    rmSync(path, { recursive: true });
    const { recoveryRef, warnings } = await c.client.call('worktrees.remove', { worktreeId });
    expect(warnings).toEqual([expect.stringContaining('only the current commit of the worktree')]);
    expect(c.git(['rev-parse', `${recoveryRef}^1`])).toBe(sha);
    expect(await c.client.call('worktrees.restore', { worktreeId })).toMatchObject({ state: 'ready', branch: null });
    expect(c.git(['status', '--porcelain', '--branch'], path)).toBe('## HEAD (no branch)');
    expect(c.git(['rev-parse', 'HEAD'], path)).toBe(sha);
  });

  it('fails a prompt with instructions, and does not prevent the removal of its repository', async () => {
    const repository = await c.addRepository('left');
    const { worktreeId, path } = await make('lost', repository.id);
    const sessionId = await stoppedIn(worktreeId);
    rmSync(path, { recursive: true });
    c.git(['worktree', 'prune'], repository.path);
    const sha = c.git(['rev-parse', 'lost'], repository.path);
    c.git(['branch', '--quiet', '-D', 'lost'], repository.path);
    const resumed = refusal(c.client.call('sessions.resume', { sessionId }));
    expect(await resumed).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('its branch lost no longer exist'),
    });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say second' });
    const task = await c.until('the end of the task', async () => {
      const found = await c.client.call('tasks.get', { taskId });
      return found.endedAt !== null && found;
    });
    expect(task).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_FOUND', message: expect.stringContaining(`git branch lost ${sha}`) },
    });
    expect(await c.client.call('worktrees.remove', { worktreeId })).toMatchObject({
      worktree: { state: 'removed' },
      warnings: [expect.stringContaining('The branch lost is gone too')],
    });
    expect(await c.client.call('repositories.remove', { repositoryId: repository.id })).toMatchObject({
      id: repository.id,
    });
  });
});

describe('a worktree whose .git file is gone', () => {
  it('is removed with force, keeps its files, and holds its branch until git prunes it', async () => {
    const { worktreeId, path } = await make('unlinked');
    rmSync(join(path, '.git'));
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ path, state: 'ready' });
    const { warnings } = await c.client.call('worktrees.remove', { worktreeId, force: true });
    const prune = `Run git worktree prune in ${c.repository.path}`;
    expect(warnings).toEqual([
      `git can no longer read ${path}, so nothing was saved. Nothing was deleted: its files remain in ${path}. ${prune} to free its branch.`,
    ]);
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({
      message: expect.stringContaining('because git could not read its folder or its repository'),
    });
    expect(await refusal(make('unlinked'))).toMatchObject({
      message: `Branch unlinked is already checked out at ${path}, but git can no longer use that folder. ${prune}, or choose another branch.`,
    });
    c.git(['worktree', 'prune']);
    expect(existsSync((await make('unlinked')).path)).toBe(true);
  });

  it('keeps what an interrupted removal had saved', async () => {
    const { worktreeId, path } = await make('half-removed');
    rmSync(join(path, '.git'));
    const recoveryRef = 'refs/agent-console/recovery/half-removed/20260101T000000000Z';
    putInto(c, [`update worktrees set state = 'removing', recoveryRef = ? where id = ?`, recoveryRef, worktreeId]);
    const removed = await c.client.call('worktrees.remove', { worktreeId, force: true });
    expect(removed).toMatchObject({ recoveryRef, warnings: [expect.stringContaining('so nothing more was saved')] });
  });
});

describe('a worktree whose repository is gone', () => {
  it.each(['kept', 'deleted'] as const)('is removed only with force if its folder was %s', async (folder) => {
    const repository = await c.addRepository(`dead-${folder}`);
    const repositoryId = repository.id;
    const { worktreeId, path } = await make('unsaved', repositoryId);
    writeFileSync(join(path, 'mine.txt'), 'mine\n');
    rmSync(repository.path, { recursive: true });
    if (folder === 'deleted') rmSync(path, { recursive: true });
    const { data } = await c.client.call('worktrees.list', { repositoryId });
    expect(data.map(({ id }) => id)).toContain(worktreeId);
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ path, state: 'ready' });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(`git can no longer read ${repository.path}.*with .force`),
      details: { unreadable: repository.path },
    });
    const removed = await c.client.call('worktrees.remove', { worktreeId, force: true });
    expect(removed).toMatchObject({ worktree: { state: 'removed' }, recoveryRef: null });
    const fate = folder === 'kept' ? `its files remain in ${path}` : 'was already gone';
    expect(removed.warnings).toEqual([expect.stringContaining(fate)]);
    if (folder === 'kept') expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({
      message: expect.stringContaining('because git could not read its folder or its repository'),
    });
    expect(await c.client.call('repositories.remove', { repositoryId })).toMatchObject({ id: repositoryId });
  });
});
