import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { worktreesIn } from '../e2e/support/worktrees.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const repositoryId = () => c.repository.id;
const { make, worktreesOf } = worktreesIn(() => c);

describe('worktrees created by hand', () => {
  it('are adopted, usable, updated from git, and never removed', async () => {
    const path = join(c.folder, 'by-hand');
    c.git(['worktree', 'add', '--quiet', '-b', 'mine', path]);
    const adopted = (await worktreesOf()).find((worktree) => worktree.path === path);
    expect(adopted).toMatchObject({ kind: 'adopted', name: 'by-hand', branch: 'mine', index: null, state: 'ready' });
    const worktreeId = adopted?.id ?? '';
    const fields = { worktreeId, agentId: 'scripted', initialPrompt: '@write from-agent.txt x' };
    const { id } = await c.client.call('sessions.create', fields);
    await c.client.call('sessions.wait', { sessionId: id });
    expect(existsSync(join(path, 'from-agent.txt'))).toBe(true);
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
      code: 'UNSUPPORTED',
    });
    c.git(['switch', '--quiet', '-c', 'renamed'], path);
    expect((await worktreesOf()).find((worktree) => worktree.id === worktreeId)).toMatchObject({ branch: 'renamed' });
    await c.client.call('sessions.stop', { sessionId: id });
    c.git(['worktree', 'remove', '--force', path]);
    expect((await worktreesOf()).some((worktree) => worktree.id === worktreeId)).toBe(false);
  });
});

describe('worktrees of git', () => {
  it('are adopted once despite concurrent calls, and may swap their branches', async () => {
    const [a, b] = ['swap-a', 'swap-b'].map((name) => {
      c.git(['worktree', 'add', '--quiet', '-b', name, join(c.folder, name)]);
      return join(c.folder, name);
    });
    const lists = await Promise.all(Array.from({ length: 8 }, () => worktreesOf()));
    for (const list of lists) expect(list).toEqual(lists[0]);
    c.git(['switch', '--quiet', '--detach'], a);
    c.git(['switch', '--quiet', 'swap-a'], b);
    c.git(['switch', '--quiet', 'swap-b'], a);
    const found = await worktreesOf();
    expect(found.filter(({ path }) => path === a || path === b).map(({ name, branch }) => [name, branch])).toEqual([
      ['swap-a', 'swap-b'],
      ['swap-b', 'swap-a'],
    ]);
  });
});

describe('removing a worktree', () => {
  it('requires its session to be stopped, reports losses, saves them, and can be undone', async () => {
    const made = await make({ mode: 'custom', branch: 'kept', autoStartSession: true, agentId: 'scripted' });
    const { worktreeId, worktreePath: path } = made;
    const sessionId = made.sessionId ?? '';
    await c.client.call('sessions.prompt', { sessionId, prompt: '@write committed.txt one\n@commit Only here' });
    await c.client.call('sessions.wait', { sessionId });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
      code: 'CONFLICT',
      details: { sessionId },
      message: expect.stringContaining(sessionId),
    });
    await c.client.call('sessions.stop', { sessionId });
    writeFileSync(join(path, 'readme.md'), '# changed\n');
    writeFileSync(join(path, 'staged.txt'), 'staged\n');
    c.git(['add', 'staged.txt'], path);
    writeFileSync(join(path, 'untracked.txt'), 'untracked\n');
    const before = c.git(['status', '--porcelain'], path);
    const head = c.git(['rev-parse', 'HEAD'], path);
    const refused = await refusal(c.client.call('worktrees.remove', { worktreeId }));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      details: {
        lost: {
          uncommitted: ['readme.md', 'staged.txt'],
          untracked: ['untracked.txt'],
          unpushed: [expect.stringContaining('Only here')],
        },
      },
    });
    expect(existsSync(path)).toBe(true);
    const removed = await c.client.call('worktrees.remove', { worktreeId, force: true });
    expect(removed).toMatchObject({
      worktree: { state: 'removed' },
      lost: refused.details.lost,
      leftOut: [],
      warnings: [],
    });
    expect(existsSync(path)).toBe(false);
    expect(c.git(['rev-parse', '--verify', removed.recoveryRef ?? ''])).toMatch(/^[0-9a-f]{40}$/);
    expect((await worktreesOf()).some(({ id }) => id === worktreeId)).toBe(false);

    const restored = await c.client.call('worktrees.restore', { worktreeId });
    expect(restored).toMatchObject({ state: 'ready', path, branch: 'kept', gitState: { currentSha: head } });
    expect(c.git(['status', '--porcelain'], path)).toBe(before);
    expect(readFileSync(join(path, 'untracked.txt'), 'utf8')).toBe('untracked\n');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@recall 1' });
    await c.client.call('sessions.wait', { sessionId });
    const { text } = await c.client.call('sessions.output', { sessionId, sinceOffset: 0 });
    expect(text).toContain('message 1: @write committed.txt one');
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({ code: 'CONFLICT' });
  });

  it('needs no force when nothing would be lost, and runs the cleanup command in it', async () => {
    const seen = join(c.folder, 'cleaned');
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: `pwd > '${seen}'` });
    const { worktreeId, worktreePath } = await make({ mode: 'custom', branch: 'clean' });
    expect(await c.client.call('worktrees.remove', { worktreeId })).toMatchObject({ warnings: [] });
    expect(readFileSync(seen, 'utf8').trim()).toBe(worktreePath);
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: null });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      details: { state: 'removed' },
    });
  });

  it('makes later prompts to its session fail, which do not run in another folder', async () => {
    const made = await make({ mode: 'custom', branch: 'gone', autoStartSession: true, agentId: 'scripted' });
    await c.client.call('worktrees.remove', { worktreeId: made.worktreeId });
    const { taskId } = await c.client.call('sessions.prompt', {
      sessionId: made.sessionId ?? '',
      prompt: '@say hello',
    });
    const task = await c.until('the end of the task', async () => {
      const found = await c.client.call('tasks.get', { taskId });
      return found.status === 'failed' && found;
    });
    expect(task).toMatchObject({ outcomeSource: 'system', error: { code: 'NOT_FOUND' } });
  });

  it('is rejected for the main checkout', async () => {
    const main = (await worktreesOf()).find(({ kind }) => kind === 'main');
    expect(main).toMatchObject({ path: c.repository.path, branch: 'main', index: null });
    const remove = c.client.call('worktrees.remove', { worktreeId: main?.id ?? '', force: true });
    expect(await refusal(remove)).toMatchObject({ code: 'UNSUPPORTED' });
  });
});

describe('a worktree whose folder was deleted by hand', () => {
  it('is created again from its branch before the next turn', async () => {
    const made = await make({ mode: 'custom', branch: 'again', autoStartSession: true, agentId: 'scripted' });
    rmSync(made.worktreePath, { recursive: true });
    const sessionId = made.sessionId ?? '';
    await c.client.call('sessions.prompt', { sessionId, prompt: '@write here.txt yes' });
    await c.client.call('sessions.wait', { sessionId });
    expect(readFileSync(join(made.worktreePath, 'here.txt'), 'utf8')).toBe('yes');
    expect(c.git(['symbolic-ref', 'HEAD'], made.worktreePath)).toBe('refs/heads/again');
  });
});
