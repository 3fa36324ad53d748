import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, killServer } from '../e2e/support/kill.ts';
import { refuseWrite } from '../e2e/support/planted.ts';
import { refusal } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeEach(async () => {
  c = await startConsole();
});
afterEach(() => c.close());

/** Creates a worktree with an untracked file. */
async function make(branch: string) {
  const repositoryId = c.repository.id;
  const about = { mode: 'custom', name: `The tree: ${branch}?`, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', { ...about, repositoryId, branch });
  if (worktree === undefined) throw new Error('was not waited for');
  writeFileSync(join(worktree.path, 'mine.txt'), 'mine\n');
  return { worktreeId: worktree.id, path: worktree.path };
}

const listed = async () =>
  (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data.filter(({ kind }) => kind !== 'main');

/** Returns the names in the folder that contains the worktree at `path`, including folders that wait to be deleted. */
const beside = (path: string) => readdirSync(dirname(path));

describe('the removal of a worktree', () => {
  it('that was interrupted is completed by a repeated call', async () => {
    const { worktreeId, path } = await make('gone');
    const lift = refuseWrite(c, { event: 'update', table: 'worktrees', when: `new.state = 'removed'` });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
      code: 'INTERNAL',
    });
    expect(existsSync(path)).toBe(false);
    lift();
    const { worktree, recoveryRef } = await c.client.call('worktrees.remove', { worktreeId });
    expect(worktree).toMatchObject({ state: 'removed', recoveryRef });
    await c.client.call('worktrees.restore', { worktreeId });
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('is completed at the next start if the folder was already gone, and leaves nothing on the disk', async () => {
    const { worktreeId, path } = await make('gone');
    const lift = refuseWrite(c, { event: 'update', table: 'worktrees', when: `new.state = 'removed'` });
    await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }));
    // Creates the state that a kill during the deletion of the files leaves.
    const trash = join(dirname(path), `.${path.split('/').at(-1)}.agent-console-trash`);
    mkdirSync(trash);
    writeFileSync(join(trash, 'left.txt'), '');
    lift();
    await killServer(c);
    expect(beside(path)).toEqual([]);
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'removed' });
    await c.client.call('worktrees.restore', { worktreeId });
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('ends its cleanup command and leaves the worktree unchanged if the server dies before anything was removed', async () => {
    const { worktreeId, path } = await make('kept');
    const cleaning = join(c.folder, 'cleaning');
    const pidFile = join(c.folder, 'pid');
    const cleanupCommand = `echo $$ > '${pidFile}'; touch '${cleaning}'; while [ -e '${cleaning}' ]; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand });
    const removal = c.client.call('worktrees.remove', { worktreeId, force: true }).catch(() => undefined);
    await c.until('the cleanup', async () => existsSync(cleaning));
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand: null });
    await killServer(c);
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
    rmSync(cleaning);
    await removal;
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'ready' });
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
    const session = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted', title: 'Goes on' });
    await c.client.call('workers.create', { sessionId: session.id, type: 'terminal' });
  });
});

describe('pruning several worktrees', () => {
  it('leaves each of them removed with its branch or unchanged, and can be repeated for the rest', async () => {
    const repositoryId = c.repository.id;
    const [gone, kept] = [await make('gone'), await make('kept')];
    const cleaning = join(c.folder, 'cleaning');
    const cleanupCommand = `test "$(git branch --show-current)" = gone || { touch '${cleaning}'; while [ -e '${cleaning}' ]; do sleep 0.05; done; }`;
    for (const { path } of [gone, kept]) {
      c.git(['add', '.'], path);
      c.git(['commit', '--quiet', '-m', 'Mine'], path);
      c.git(['merge', '--quiet', '-s', 'ours', '-m', 'Merged', c.git(['rev-parse', 'HEAD'], path)], c.repository.path);
    }
    await c.client.call('repositories.update', { repositoryId, cleanupCommand });
    const worktreeIds = [gone.worktreeId, kept.worktreeId];
    const prune = (ids: string[]) =>
      c.client.call('repositories.prune', { repositoryId, worktreeIds: ids, deleteBranches: true });
    const pruning = prune(worktreeIds).catch(() => undefined);
    const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n').sort();
    await c.until(
      'the end of one and the begin of the other',
      async () => existsSync(cleaning) && branches().length === 2,
    );
    await c.client.call('repositories.update', { repositoryId, cleanupCommand: null });
    await killServer(c);
    rmSync(cleaning);
    await pruning;

    expect(branches()).toEqual(['kept', 'main']);
    expect(await listed()).toMatchObject([{ id: kept.worktreeId, state: 'ready' }]);
    expect(readFileSync(join(kept.path, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(beside(kept.path)).toEqual([kept.path.split('/').at(-1)]);
    expect(c.git(['worktree', 'list', '--porcelain']).match(/^worktree /gm)).toHaveLength(2);
    expect((await prune([kept.worktreeId])).results).toMatchObject([
      { removed: true, branchDeleted: true, error: null },
    ]);
    expect(branches()).toEqual(['main']);
    expect(beside(kept.path)).toEqual([]);
    for (const { worktreeId, path } of [gone, kept]) {
      await c.client.call('worktrees.restore', { worktreeId });
      expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
    }
    expect(branches()).toEqual(['gone', 'kept', 'main']);
  });
});

describe('the restoration of a worktree', () => {
  it('that was interrupted is undone at the next start, and can be repeated', async () => {
    const { worktreeId, path } = await make('back');
    await c.client.call('worktrees.remove', { worktreeId, force: true });
    const lift = refuseWrite(c, { event: 'update', table: 'worktrees', when: `old.state = 'restoring'` });
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({ code: 'INTERNAL' });
    lift();
    await killServer(c);
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'removed' });
    expect(await listed()).toEqual([]);
    expect(beside(path)).toEqual([]);
    expect(await c.client.call('worktrees.restore', { worktreeId })).toMatchObject({ state: 'ready', path });
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('happens once for several concurrent calls', async () => {
    const { worktreeId, path } = await make('once');
    await c.client.call('worktrees.remove', { worktreeId, force: true });
    const calls = Array.from({ length: 4 }, () => c.client.call('worktrees.restore', { worktreeId }));
    const ends = await Promise.allSettled(calls);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listed()).toMatchObject([{ id: worktreeId, state: 'ready', path }]);
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('is refused if its branch has another worktree now', async () => {
    const { worktreeId } = await make('taken');
    await c.client.call('worktrees.remove', { worktreeId, force: true });
    const repositoryId = c.repository.id;
    await c.client.call('worktrees.create', { repositoryId, mode: 'existing', branch: 'taken', wait: true });
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      details: { branch: 'taken' },
    });
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'removed' });
  });
});
