import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, resultOf } from '../support/calling.ts';
import { smallDisk } from '../support/disk.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

let count = 0;
let branch: string;
let worktreeId: string;
let path: string;
beforeEach(async () => {
  count += 1;
  branch = `fault-${count}`;
  [worktreeId, path] = await make(c.repository.id);
});

async function make(repositoryId: string): Promise<[string, string]> {
  const fields = { repositoryId, mode: 'custom', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  return [worktree?.id ?? '', worktree?.path ?? ''];
}

const git = (...args: string[]) => c.git(args, path);
const put = (name: string, text: string | Buffer) => writeFileSync(join(path, name), text);
const commit = (message: string) => {
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '-m', message);
  return git('rev-parse', 'HEAD');
};
const integrate = (options: object = {}) =>
  resultOf<{ commit: string; conflicts: unknown[]; integrationId: string }>(
    c.client.call('worktrees.integrate', { worktreeId, wait: true, ...options }),
  );
/** Returns those facts of a repository that a failed integration must not change. */
const state = (repository: string) => ({
  main: c.git(['rev-parse', 'main'], repository),
  status: c.git(['status', '--porcelain', '--ignore-submodules=none'], repository),
  locks: c
    .git(['rev-parse', '--git-path', 'index.lock'], repository)
    .split('\n')
    .filter((each) => existsSync(join(repository, each))),
});

describe('a full disk', () => {
  it('leaves the target unchanged at each step, and the integration works once there is space', async (test) => {
    const disk = smallDisk(12);
    if (disk === undefined) {
      console.warn('SKIPPED: a full disk needs a file system of its own, which only root can mount');
      return test.skip();
    }
    const repository = join(disk.folder, 'small');
    c.git(['clone', '--quiet', '--no-local', c.repository.path, repository]);
    const added = await c.client.call('repositories.create', { path: repository });
    if (!('id' in added)) throw new Error('a path is registered at once');
    [worktreeId, path] = await make(added.id);
    put('large.bin', randomBytes(3 * 2 ** 20));
    commit('Large');
    writeFileSync(join(repository, 'main.txt'), 'main\n');
    c.git(['add', '.'], repository);
    c.git(['commit', '--quiet', '-m', 'Main'], repository);
    const before = state(repository);
    const filler = join(disk.folder, 'filler');
    const fill = () => {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    };
    try {
      fill();
      // The test has filled the disk, so there is no space for the git objects of the merge.
      expect(await refusal(integrate())).toMatchObject({
        code: 'GIT_FAILED',
        message: expect.stringMatching(/space/i),
      });
      // Shortens the file that fills the disk. There is now space for the git objects of the merge, but not for the files
      // of the checkout.
      truncateSync(filler, statSync(filler).size - 2 ** 20);
      expect(await refusal(integrate())).toMatchObject({ message: expect.stringMatching(/space/i) });
      rmSync(filler);
      expect(state(repository)).toEqual(before);
      const { commit: sha } = await integrate();
      expect(state(repository)).toEqual({ ...before, main: sha });
      expect(existsSync(join(repository, 'large.bin'))).toBe(true);
    } finally {
      disk.unmount();
    }
  });
});

describe('a command that reached its time limit', () => {
  /**
   * Makes the command of a job exceed its time limit: sets the command's start time to years ago and restarts the
   * server, which then ends the command and its job. Returns the job and the worker of the command.
   */
  async function expire(jobId: string) {
    const terminal = await c.until('the command', async () => {
      const { progress } = await c.client.call('jobs.get', { jobId });
      const { sessionId = null, workerId = null } = progress.terminal ?? {};
      if (sessionId === null || workerId === null) return false;
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.some(({ id, state }) => id === workerId && state === 'running') && workerId;
    });
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    database.prepare('update workers set createdAt = ? where id = ?').run('2020-01-01T00:00:00.000Z', terminal);
    database.close();
    await c.restart();
    const job = await c.until('its end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state !== 'running' && found;
    });
    return { job, terminal };
  }

  it('fails the check, which says that it timed out', async () => {
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'echo waiting; sleep 600' });
    const { jobId } = await c.client.call('worktrees.check', { worktreeId });
    const { job, terminal } = await expire(jobId);
    expect(job.result).toMatchObject({ timedOut: true, check: { passed: false, workerId: terminal } });
    expect((await c.client.call('worktrees.get', { worktreeId })).gitStatus?.check).toMatchObject({ passed: false });
    await c.client.call('repositories.update', { repositoryId, checkCommand: null });
  });

  it('fails the commit if the command is a hook, with nothing committed', async () => {
    const hook = join(c.repository.path, '.git/hooks/pre-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nsleep 600\n', { mode: 0o755 });
    put('work.txt', 'work\n');
    const head = git('rev-parse', 'HEAD');
    const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Work' });
    const { job } = await expire(jobId);
    rmSync(hook);
    expect(job.error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('did not finish in time') });
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('status', '--porcelain')).toBe('?? work.txt');
    await resultOf(c.client.call('worktrees.commit', { worktreeId, message: 'Work', wait: true }));
  });

  it('leaves a commit that was made before, even if a hook changed its message', async () => {
    const hooks = join(c.repository.path, '.git/hooks');
    writeFileSync(join(hooks, 'commit-msg'), '#!/bin/sh\necho "Checked: yes" >> "$1"\n', { mode: 0o755 });
    writeFileSync(join(hooks, 'post-commit'), '#!/bin/sh\necho made > "$HOME/made"; sleep 600\n', { mode: 0o755 });
    put('kept.txt', 'work\n');
    const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Work' });
    await c.until('the commit', async () => existsSync(join(c.env.HOME ?? '', 'made')));
    const { job } = await expire(jobId);
    rmSync(hooks, { recursive: true });
    expect(job.result).toMatchObject({
      commit: git('rev-parse', 'HEAD'),
      warnings: [expect.stringContaining('did not finish in time')],
    });
    expect(git('log', '-1', '--format=%B')).toBe('Work\nChecked: yes');
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('the end of an integration', () => {
  const database = () => new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
  const stateOf = async (integrationId: string) => {
    const { state, error } = await c.client.call('integrations.get', { integrationId });
    return { state, error };
  };
  it('is found at the next start in the branches, even if one of them is gone', async () => {
    const ids: Record<string, string> = {};
    const targets = ['moved', 'unmoved', 'built-upon', 'gone', 'undone'] as const;
    put(`${branch}.txt`, 'work\n');
    commit('Work');
    for (const into of targets) {
      c.git(['branch', into, 'main']);
      ids[into] = (await integrate({ into, strategy: 'squash' })).integrationId;
    }
    const integrated = c.git(['rev-parse', 'built-upon']);
    const reverted = c.git(['commit-tree', '-m', 'Revert', '-p', integrated, 'main^{tree}']);
    c.git(['update-ref', 'refs/heads/built-upon', reverted]);
    for (const target of ['unmoved', 'undone']) c.git(['branch', '--force', target, 'main']);
    c.git(['branch', '-D', 'gone']);
    const rows = database();
    const change = (sql: string, ...values: string[]) => rows.prepare(sql).run(...values);
    for (const target of ['moved', 'unmoved', 'built-upon']) {
      change("update integrations set state = 'running', endedAt = null where id = ?", ids[target] ?? '');
    }
    for (const target of ['gone', 'undone'])
      change('update integrations set undoing = 1 where id = ?', ids[target] ?? '');
    const error = { code: 'BUSY', message: 'The database was locked.', details: {} };
    const where = 'id = (select jobId from integrations where id = ?)';
    change(`update jobs set state = 'failed', error = ? where ${where}`, JSON.stringify(error), ids.unmoved ?? '');
    // Simulates a server that died before it stored the end of this integration. After the restart, the job runs again.
    change(`update jobs set state = 'running', result = null, endedAt = null where ${where}`, ids['built-upon'] ?? '');
    rows.close();
    await c.restart();
    const again = await c.until('the end of the repeated job', async () => {
      const found = await c.client.call('integrations.get', { integrationId: ids['built-upon'] ?? '' });
      return found.state !== 'running' && found;
    });
    expect(again).toMatchObject({ state: 'integrated', commit: integrated });
    expect(c.git(['rev-parse', 'built-upon'])).toBe(reverted);
    expect(await stateOf(ids.moved ?? '')).toEqual({ state: 'integrated', error: null });
    expect(await stateOf(ids.unmoved ?? '')).toMatchObject({ state: 'failed', error: { message: error.message } });
    expect(await stateOf(ids.gone ?? '')).toMatchObject({ state: 'integrated' });
    expect(await stateOf(ids.undone ?? '')).toMatchObject({ state: 'undone' });
    await c.client.call('integrations.undo', { integrationId: ids.moved ?? '' });
    expect(c.git(['rev-parse', 'moved'])).toBe(c.git(['rev-parse', 'main']));
  });

  it('is undone by a second undo if the end of the first was not stored', async () => {
    put(`${branch}.txt`, 'work\n');
    commit('Work');
    const { integrationId } = await integrate();
    const { undoableUntil } = await c.client.call('integrations.get', { integrationId });
    await c.client.call('integrations.undo', { integrationId });
    const rows = database();
    rows.prepare("update integrations set state = 'integrated', undoing = 1 where id = ?").run(integrationId);
    rows.close();
    expect(undoableUntil).not.toBeNull();
    expect(await c.client.call('integrations.undo', { integrationId })).toMatchObject({ state: 'undone' });
  });
});

describe('submodules', () => {
  it('are integrated as commits, named in conflicts, and not discarded', async () => {
    const { path: library } = await c.addRepository('library');
    const tip = (folder: string) => c.git(['rev-parse', 'HEAD'], folder);
    const allow = ['-c', 'protocol.file.allow=always'];
    c.git([...allow, 'submodule', '--quiet', 'add', library, 'library'], path);
    commit('Add library');
    const { commit: added } = await integrate({ strategy: 'squash' });
    expect(c.git(['ls-tree', added, 'library'])).toContain(`160000 commit ${tip(library)}`);
    expect(c.git(['status', '--porcelain'])).toBe('');

    const inner = join(path, 'library');
    const move = (folder: string, text: string) => {
      writeFileSync(join(folder, 'readme.md'), text);
      c.git(['commit', '--quiet', '-am', text], folder);
      return tip(folder);
    };
    move(inner, 'ours');
    expect((await c.client.call('worktrees.get', { worktreeId })).gitStatus).toMatchObject({ dirtyFiles: 1 });
    const { data } = await c.client.call('repositories.overlaps', { repositoryId: c.repository.id });
    expect(data).toEqual([]);
    const discarded = await c.client.call('worktrees.discard', { worktreeId });
    expect(discarded).toMatchObject({ files: 0, leftOut: ['library'] });
    git('commit', '--quiet', '-am', 'Ours');

    c.git([...allow, 'submodule', '--quiet', 'update', '--init']);
    move(join(c.repository.path, 'library'), 'theirs');
    c.git(['commit', '--quiet', '-am', 'Theirs']);
    expect(await integrate()).toMatchObject({ commit: null, conflicts: [{ path: 'library', kind: 'submodule' }] });
    c.git(['submodule', '--quiet', 'deinit', '--force', 'library']);
  });
});

describe('signatures without a key', () => {
  it('fail the commit and the integration with an error about signing, and change nothing', async () => {
    const home = join(c.env.HOME ?? '', '.gitconfig');
    const saved = readFileSync(home, 'utf8');
    put('work.txt', 'work\n');
    const head = git('rev-parse', 'HEAD');
    const made = { worktreeId, message: 'Signed', wait: true } as const;
    try {
      writeFileSync(home, `${saved}[commit]\ngpgSign = true\n[user]\nsigningKey = 0000000000000000\n`);
      const before = state(c.repository.path);
      expect(await refusal(resultOf(c.client.call('worktrees.commit', made)))).toMatchObject({
        code: 'GIT_FAILED',
        message: expect.stringMatching(/sign/i),
      });
      expect(git('rev-parse', 'HEAD')).toBe(head);
      expect(git('status', '--porcelain')).toBe('?? work.txt');
      commit('Unsigned');
      for (const strategy of ['squash', 'merge'] as const) {
        const refused = await refusal(integrate({ strategy }));
        expect(refused).toMatchObject({ code: 'GIT_FAILED', message: expect.stringMatching(/sign/i) });
      }
      expect(state(c.repository.path)).toEqual(before);
    } finally {
      writeFileSync(home, saved);
    }
    expect(await integrate()).toMatchObject({ conflicts: [] });
  });
});

describe('large files behind a filter', () => {
  const config = (text: string) => writeFileSync(join(c.env.HOME ?? '', '.gitconfig'), text, { flag: 'a' });

  it('stay pointers in commits, and an integration without the filter program fails and changes nothing', async () => {
    const home = join(c.env.HOME ?? '', '.gitconfig');
    const saved = readFileSync(home, 'utf8');
    const before = state(c.repository.path);
    try {
      config('[filter "lfs"]\nclean = sed s/^/pointer:/\nsmudge = sed s/^pointer://\nrequired = true\n');
      put('.gitattributes', '*.bin filter=lfs\n');
      put('a.bin', 'content\n');
      await resultOf(c.client.call('worktrees.commit', { worktreeId, message: 'Large file', wait: true }));
      expect(git('show', 'HEAD:a.bin')).toBe('pointer:content');

      config('[filter "lfs"]\nclean = git-lfs-that-is-missing clean\nsmudge = git-lfs-that-is-missing smudge\n');
      expect(await refusal(integrate())).toMatchObject({ message: expect.stringMatching(/lfs|filter/) });
      expect(state(c.repository.path)).toEqual(before);

      writeFileSync(home, saved);
      config('[filter "lfs"]\nclean = sed s/^/pointer:/\nsmudge = sed s/^pointer://\nrequired = true\n');
      await integrate();
      expect(readFileSync(join(c.repository.path, 'a.bin'), 'utf8')).toBe('content\n');
      expect(c.git(['show', 'main:a.bin'])).toBe('pointer:content');
      expect(c.git(['status', '--porcelain'])).toBe('');
    } finally {
      writeFileSync(home, saved);
    }
  });
});
