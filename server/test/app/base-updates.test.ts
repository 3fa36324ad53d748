import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal, resultOf } from '../support/calling.ts';
import { commandRuns, startAgent, workingAgent } from '../support/worktree-work.ts';

let c: InProcessApp;
let repositoryId: string;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

let count = 0;
let worktreeId: string;
let path: string;
let branch: string;
beforeEach(async () => {
  count += 1;
  repositoryId = c.repository.id;
  branch = `work-${count}`;
  const made = await c.client.call('worktrees.create', { repositoryId, mode: 'custom', branch, wait: true });
  worktreeId = made.worktree?.id ?? '';
  path = made.worktree?.path ?? '';
});

const git = (...args: string[]) => c.git(args, path);
const put = (name: string, text: string) => writeFileSync(join(path, name), text);
const get = (name: string) => readFileSync(join(path, name), 'utf8');

describe('updating from the base', () => {
  type Updated = { commit: string | null; conflicts: { path: string }[]; warnings: string[] };
  const update = (strategy: 'merge' | 'rebase') =>
    resultOf<Updated>(c.client.call('worktrees.updateFromBase', { worktreeId, strategy, wait: true }));
  const onMain = (name: string, text: string) => {
    writeFileSync(join(c.repository.path, name), text);
    c.git(['add', '.'], c.repository.path);
    c.git(['commit', '--quiet', '-m', `Main ${name}`], c.repository.path);
  };

  it.each(['merge', 'rebase'] as const)(
    '%s brings new commits with their files, and conflicts change nothing',
    async (strategy) => {
      put(`${branch}.txt`, 'mine\n');
      git('add', '.');
      git('commit', '--quiet', '-m', 'Mine');
      onMain(`main-${count}.txt`, 'theirs\n');
      const { commit: sha } = await update(strategy);
      expect(sha).toBe(git('rev-parse', 'HEAD'));
      expect(get(`main-${count}.txt`)).toBe('theirs\n');
      expect(git('rev-list', '--count', '--merges', 'main..HEAD')).toBe(strategy === 'merge' ? '1' : '0');
      expect(git('status', '--porcelain')).toBe('');
      const work = strategy === 'merge' ? `merge of main into ${branch}` : `rebase of ${branch} onto main`;
      expect(git('reflog', '-1', '--format=%gs', branch)).toBe(`agent-console: ${work}`);
      expect(await update(strategy)).toMatchObject({ commit: sha });
      const { files } = await c.client.call('worktrees.diff', { worktreeId });
      expect(files.map((file) => file.path)).toEqual([`${branch}.txt`]);
      onMain(`${branch}.txt`, 'other\n');
      expect(await update(strategy)).toMatchObject({ commit: null, conflicts: [{ path: `${branch}.txt` }] });
      expect(git('rev-parse', 'HEAD')).toBe(sha);
      const dirty = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `dirty-${letter}`);
      for (const name of dirty) put(name, '');
      expect(await refusal(update(strategy))).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('dirty-e and 2 more. '),
        details: { files: dirty },
      });
    },
  );

  it('is refused while an agent works there, also if its turn began after the call', async () => {
    // The first update is called before the turn begins. Its job waits until an integration into the same branch ends.
    // A hook delays that integration, and then rejects it.
    const hooks = join(c.repository.path, '.git/hooks');
    const go = join(c.home, 'go');
    const fields = { repositoryId, mode: 'custom', branch: `${branch}-other`, wait: true } as const;
    const other = (await c.client.call('worktrees.create', fields)).worktree;
    put(`${branch}.txt`, '');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Mine');
    writeFileSync(join(other?.path ?? '', 'other'), '');
    c.git(['add', '.'], other?.path);
    c.git(['commit', '--quiet', '-m', 'Other'], other?.path);
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'pre-merge-commit'), `#!/bin/sh\nwhile [ ! -f "${go}" ]; do sleep 0.05; done; exit 1\n`, {
      mode: 0o755,
    });
    const holding = await c.client.call('worktrees.integrate', { worktreeId: other?.id ?? '', into: branch });
    await commandRuns(c, holding.jobId);
    onMain(`main-${count}.txt`, 'theirs\n');
    const { jobId } = await c.client.call('worktrees.updateFromBase', { worktreeId, strategy: 'merge' });
    const sessionId = await workingAgent(c, worktreeId);
    expect(await refusal(update('merge'))).toMatchObject({ code: 'CONFLICT', details: { sessionId } });
    writeFileSync(go, '');
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state !== 'running' && found;
    });
    expect(job.error).toMatchObject({ code: 'CONFLICT', details: { sessionId } });
    expect(existsSync(join(path, `main-${count}.txt`))).toBe(false);
    rmSync(hooks, { recursive: true });
    await c.client.call('sessions.stop', { sessionId });
    expect(await update('merge')).toMatchObject({ conflicts: [] });
  });

  it('resets the files of an interrupted fast-forward, also if the worktree is removed before the next start', async () => {
    const remote = join(c.home, 'interrupted.git');
    c.git(['clone', '--quiet', '--bare', c.repository.path, remote]);
    c.git(['remote', 'add', 'origin', remote]);
    c.git(['fetch', '--quiet', 'origin']);
    c.git(['branch', '--quiet', '--set-upstream-to=origin/main', 'main']);
    onMain('upstream', 'upstream\n');
    c.git(['push', '--quiet', 'origin', 'main']);
    c.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    const { jobId } = await c.client.call('worktrees.updateFromBase', { worktreeId, wait: true });
    await c.client.call('worktrees.remove', { worktreeId });
    // Simulates a server that died after git had written the files of the base.
    c.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    writeFileSync(join(c.repository.path, 'upstream'), 'upstream\n');
    writeFileSync(join(c.repository.path, '.git/index.lock'), `agent-console ${join(c.home, 'views')}\n`);
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    const unfinished = "state = 'running', result = null, endedAt = null, params = json_remove(params, '$.moved')";
    database.prepare(`update jobs set ${unfinished} where id = ?`).run(jobId);
    database.close();
    await c.restart();
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state !== 'running' && found;
    });
    expect(job.error).toMatchObject({ code: 'CONFLICT', details: { state: 'removed' } });
    expect(existsSync(join(c.repository.path, '.git/index.lock'))).toBe(false);
    expect(c.git(['status', '--porcelain'])).toBe('');
    c.git(['remote', 'remove', 'origin']);
  });

  it('changes nothing if the base was deleted before a restart, and says how to update then', async () => {
    const base = `${branch}-base`;
    c.git(['branch', base]);
    const name = `${branch}-above`;
    const fields = { repositoryId, mode: 'custom', branch: name, baseBranch: base, wait: true } as const;
    const above = (await c.client.call('worktrees.create', fields)).worktree;
    if (above === undefined) throw new Error('was not waited for');
    ({ id: worktreeId, path } = above);
    const from = git('rev-parse', base);
    put(`${branch}.txt`, 'theirs\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Of the base');
    c.git(['branch', '--force', base, git('rev-parse', 'HEAD')]);
    git('reset', '--quiet', '--hard', from);
    const { jobId } = await c.client.call('worktrees.updateFromBase', { worktreeId, wait: true });
    const tip = git('rev-parse', 'HEAD');
    // Simulates a server that died after git had written the files of the worktree.
    git('reset', '--quiet', '--hard', from);
    put(`${branch}.txt`, 'theirs\n');
    const lock = join(git('rev-parse', '--absolute-git-dir'), 'index.lock');
    writeFileSync(lock, `agent-console ${join(c.home, 'views')}\n`);
    c.git(['branch', '--quiet', '-D', base]);
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    const move = JSON.stringify({ branch: base, from, to: tip, reason: 'a test' });
    const params = "json_set(params, '$.baseMove', json(?))";
    const unfinished = `state = 'running', result = null, endedAt = null, params = ${params}`;
    database.prepare(`update jobs set ${unfinished} where id = ?`).run(move, jobId);
    database.close();
    await c.restart();
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state !== 'running' && found;
    });
    expect(existsSync(lock)).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'HEAD')).toBe(from);
    expect(job.error).toMatchObject({
      code: 'NOT_FOUND',
      message: `The base branch ${base} no longer exists, so ${name} was not changed. Create ${base} again with: git branch ${base} ${tip.slice(0, 12)}, or try again to update from main.`,
      details: { worktreeId, branch: base },
    });
    expect(await update('merge')).toMatchObject({ conflicts: [] });
  });

  it('fetches the base first, and fast-forwards it or says why that is not possible', async () => {
    const remote = join(c.home, 'upstream.git');
    c.git(['clone', '--quiet', '--bare', c.repository.path, remote]);
    c.git(['remote', 'add', 'origin', remote]);
    c.git(['fetch', '--quiet', 'origin']);
    c.git(['branch', '--quiet', '--set-upstream-to=origin/main', 'main']);
    const theirs = join(c.home, 'theirs');
    c.git(['clone', '--quiet', remote, theirs]);
    const upstream = (name: string) => {
      writeFileSync(join(theirs, name), '');
      c.git(['add', '.'], theirs);
      c.git(['commit', '--quiet', '-m', `Theirs ${name}`], theirs);
      c.git(['push', '--quiet'], theirs);
      return c.git(['rev-parse', 'HEAD'], theirs);
    };
    const fresh = upstream('fresh');
    expect(await update('rebase')).toMatchObject({ commit: fresh, warnings: [] });
    expect(c.git(['rev-parse', 'main'])).toBe(fresh);
    expect(existsSync(join(c.repository.path, 'fresh'))).toBe(true);

    const { workerId, sessionId } = await startAgent(c, worktreeId);
    const asAgent = (fetch?: boolean) =>
      asWorker(c, workerId).call('worktrees.updateFromBase', { worktreeId, wait: true, ...(fetch ? { fetch } : {}) });
    const newer = upstream('newer');
    expect(await resultOf<Updated>(asAgent())).toMatchObject({ commit: fresh, warnings: [] });
    expect(await refusal(asAgent(true))).toMatchObject({ code: 'PERMISSION_DENIED' });
    await c.client.call('sessions.stop', { sessionId });

    writeFileSync(join(c.repository.path, 'newer'), 'in the way');
    expect((await update('merge')).warnings).toEqual([
      expect.stringMatching(/^main could not be fast-forwarded to origin\/main/),
    ]);
    rmSync(join(c.repository.path, 'newer'));
    expect(await update('merge')).toMatchObject({ commit: newer, warnings: [] });
    onMain('local', '');
    upstream('diverged');
    expect((await update('merge')).warnings).toEqual([expect.stringContaining('main and origin/main have diverged')]);
    rmSync(remote, { recursive: true });
    expect((await update('merge')).warnings).toEqual([
      expect.stringMatching(/^origin\/main could not be fetched \(.+\)\. main was used as it is\.$/),
    ]);
    c.git(['remote', 'remove', 'origin']);
  });
});
