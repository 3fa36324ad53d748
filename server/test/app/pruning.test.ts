import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseWrite } from '../e2e/support/planted.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const repositoryId = () => c.repository.id;
const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n');
const get = (worktreeId: string) => c.client.call('worktrees.get', { worktreeId });

async function make(branch: string) {
  const fields = { repositoryId: repositoryId(), mode: 'either', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return { worktreeId: worktree.id, path: worktree.path };
}

function commit(path: string, name: string): string {
  writeFileSync(join(path, name), `${name}\n`);
  c.git(['add', '.'], path);
  c.git(['commit', '--quiet', '-m', `Add ${name}`], path);
  return c.git(['rev-parse', 'HEAD'], path);
}

async function merged(branch: string) {
  const made = await make(branch);
  const tip = commit(made.path, `${branch}.txt`);
  await c.client.call('worktrees.integrate', { worktreeId: made.worktreeId, strategy: 'squash', wait: true });
  return { ...made, tip };
}

async function unfinished(branch: string) {
  const made = await make(branch);
  commit(made.path, `${branch}.txt`);
  const { id } = await c.client.call('sessions.create', { worktreeId: made.worktreeId, agentId: 'scripted' });
  return { ...made, sessionId: id };
}

async function prunable(archivedDays?: number) {
  const days = archivedDays === undefined ? {} : { archivedDays };
  const { data } = await c.client.call('repositories.prunable', { repositoryId: repositoryId(), ...days });
  return new Map(data.map((each) => [each.worktreeId, each]));
}

type Options = { deleteBranches?: boolean; dryRun?: boolean };
async function prune(worktreeIds: string[], options: Options = {}) {
  const input = { repositoryId: repositoryId(), worktreeIds, ...options };
  return (await c.client.call('repositories.prune', input)).results;
}

describe('the list of prunable worktrees', () => {
  it('names merged, unchanged and archived ones with their sizes, and none with work or a live session', async () => {
    const done = await merged('listed-merged');
    writeFileSync(join(done.path, 'large.bin'), Buffer.alloc(1_000_000, 1));
    const unchanged = await make('listed-unchanged');
    const dirty = await make('listed-dirty');
    writeFileSync(join(dirty.path, 'new.txt'), '');
    const archived = await unfinished('listed-archived');
    const live = await make('listed-live');
    const { id } = await c.client.call('sessions.create', { worktreeId: live.worktreeId, agentId: 'scripted' });
    await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    expect((await prunable(0)).has(archived.worktreeId)).toBe(false);
    await c.client.call('sessions.archive', { sessionId: archived.sessionId });

    const found = await prunable(0);
    expect(found.get(done.worktreeId)).toMatchObject({ reasons: ['merged'], dirtyFiles: 1, sessionIds: [] });
    expect(found.get(done.worktreeId)?.bytes).toBeGreaterThan(1_000_000);
    expect(found.get(unchanged.worktreeId)).toMatchObject({ reasons: ['unchanged'], branch: 'listed-unchanged' });
    expect(found.get(archived.worktreeId)).toMatchObject({ reasons: ['archived'], sessionIds: [archived.sessionId] });
    expect([dirty, live].filter(({ worktreeId }) => found.has(worktreeId))).toEqual([]);
    expect((await prunable()).has(archived.worktreeId)).toBe(false);
    await c.client.call('sessions.stop', { sessionId: id });
    expect((await prunable()).has(live.worktreeId)).toBe(true);
  });
});

describe('pruning', () => {
  it('says in a dry run what would happen, then removes many, and each can be restored with its branch', async () => {
    const done = await merged('merged');
    writeFileSync(join(done.path, 'notes.txt'), 'mine\n');
    const unchanged = await make('unchanged');
    const archived = await unfinished('archived');
    await c.client.call('sessions.archive', { sessionId: archived.sessionId });
    const ids = [done.worktreeId, unchanged.worktreeId, archived.worktreeId];
    const expected = [true, true, false].map((branchDeleted, at) => ({
      worktreeId: ids[at],
      removed: true,
      branchDeleted,
      error: null,
    }));
    expect(await prune(ids, { deleteBranches: true, dryRun: true })).toMatchObject(expected);
    expect(existsSync(done.path)).toBe(true);
    expect(await prune(ids, { deleteBranches: true })).toMatchObject(
      expected.map((each) => ({ ...each, recoveryRef: expect.stringContaining('refs/agent-console/recovery/') })),
    );
    expect([done, unchanged, archived].filter(({ path }) => existsSync(path))).toEqual([]);
    expect(branches().filter((name) => ['merged', 'unchanged', 'archived'].includes(name))).toEqual(['archived']);

    await c.client.call('worktrees.restore', { worktreeId: done.worktreeId });
    expect(c.git(['rev-parse', 'merged'])).toBe(done.tip);
    expect(c.git(['status', '--porcelain'], done.path)).toBe('?? notes.txt');
  });

  it('deletes the branch of a worktree that an interrupted call has only removed, if it is called again', async () => {
    const half = await merged('half');
    const { 0: removed } = await prune([half.worktreeId]);
    expect(branches()).toContain('half');
    expect((await prune([half.worktreeId]))[0]).toMatchObject({ removed: false, error: expect.any(String) });
    const again = { removed: true, branchDeleted: true, recoveryRef: removed?.recoveryRef, error: null };
    for (let times = 0; times < 2; times += 1) {
      expect(await prune([half.worktreeId], { deleteBranches: true })).toMatchObject([again]);
      expect(branches()).not.toContain('half');
    }
    const expired = await merged('half-expired');
    const [gone] = await prune([expired.worktreeId]);
    c.git(['update-ref', '-d', gone?.recoveryRef ?? '']);
    expect(await prune([expired.worktreeId], { deleteBranches: true })).toMatchObject([{ branchDeleted: false }]);
    expect(c.git(['rev-parse', 'half-expired'])).toBe(expired.tip);
    const open = await unfinished('half-open');
    await c.client.call('sessions.archive', { sessionId: open.sessionId });
    await c.client.call('worktrees.remove', { worktreeId: open.worktreeId, force: true });
    expect(await prune([open.worktreeId], { deleteBranches: true })).toMatchObject([{ branchDeleted: false }]);
    expect(branches()).toContain('half-open');
  });

  it('keeps worktrees that are live, have work or cannot be saved, and continues with the others', async () => {
    const live = await make('live');
    const { id } = await c.client.call('sessions.create', { worktreeId: live.worktreeId, agentId: 'scripted' });
    await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    const working = await unfinished('working');
    const huge = await make('huge');
    writeFileSync(join(huge.path, 'huge.bin'), Buffer.alloc(101 * 1024 * 1024));
    await c.client.call('worktrees.integrate', { worktreeId: (await merged('ok')).worktreeId, wait: true });
    const { data } = await c.client.call('worktrees.list', { repositoryId: repositoryId() });
    const main = data.find(({ kind }) => kind === 'main');
    const ok = data.find(({ branch }) => branch === 'ok');
    const kept = [live, working, huge].map(({ worktreeId }) => worktreeId);
    const results = await prune([...kept, main?.id ?? '', ok?.id ?? '']);
    expect(results.map(({ removed }) => removed)).toEqual([false, false, false, false, true]);
    const errors = results.map(({ error }) => error);
    expect(errors).toEqual([
      expect.stringContaining('is live in this worktree. Stop it first.'),
      expect.stringContaining('Integrate the work or archive the sessions first'),
      expect.stringContaining('has work that is not merged. Integrate the work first, or remove this worktree'),
      expect.stringContaining('was not created by the console'),
      null,
    ]);
    for (const worktreeId of kept) expect(await get(worktreeId)).toMatchObject({ state: 'ready' });
    // All sessions of the worktree are archived, so the large file is the only reason to keep the worktree.
    const session = await c.client.call('sessions.create', { worktreeId: huge.worktreeId, agentId: 'scripted' });
    await c.client.call('sessions.archive', { sessionId: session.id });
    expect(await prune([huge.worktreeId])).toMatchObject([
      { removed: false, error: expect.stringContaining('cannot be saved: huge.bin') },
    ]);
    expect(await refusal(prune([]))).toMatchObject({ code: 'VALIDATION' });
  });

  it('warns about what a removal did not save, and about a cleanup command that failed', async () => {
    const ignored = await make('warned');
    writeFileSync(join(ignored.path, '.gitignore'), 'node_modules/\n');
    commit(ignored.path, 'warned.txt');
    await c.client.call('worktrees.integrate', { worktreeId: ignored.worktreeId, strategy: 'squash', wait: true });
    const modules = join(ignored.path, 'node_modules');
    mkdirSync(modules);
    for (let number = 0; number < 101; number += 1) writeFileSync(join(modules, `${number}.js`), '');
    const gone = await merged('warned-gone');
    rmSync(gone.path, { recursive: true });
    const cleanupCommand = 'echo no database; exit 1';
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand });
    const ids = [ignored.worktreeId, gone.worktreeId];
    expect(await prune(ids, { dryRun: true })).toMatchObject(ids.map(() => ({ removed: true, warnings: [] })));
    expect(await prune(ids)).toMatchObject([
      {
        error: null,
        warnings: [
          'Files that git ignores are not saved: node_modules/.',
          'The cleanup command of the repository failed: no database',
        ],
      },
      { error: null, warnings: [expect.stringContaining('was already gone')] },
    ]);
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: null });
  });

  it('keeps a worktree whose sessions still have queued tasks', async () => {
    const { worktreeId } = await make('queued');
    const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
    const prompt = (text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });
    const first = await prompt('@ask then?\n@exit 3');
    const agent = await c.until('the question', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.find(({ activityState }) => activityState === 'asking');
    });
    await prompt('@say later');
    await c.client.call('workers.input', { workerId: agent.id, data: 'y\r' });
    await c.until(
      'the exit',
      async () => (await c.client.call('tasks.get', { taskId: first.taskId })).status === 'failed',
    );
    await c.until('no process', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.every(({ state }) => state === 'exited');
    });
    expect((await prunable()).has(worktreeId)).toBe(false);
    const [result] = await prune([worktreeId]);
    expect(result).toMatchObject({ removed: false, error: expect.stringContaining('tasks have not ended') });
    expect(await get(worktreeId)).toMatchObject({ state: 'ready' });
  });

  it('does not call work unmerged if its base or its folder is gone', async () => {
    const repository = await c.addRepository('renamed');
    const fields = { repositoryId: repository.id, mode: 'custom', wait: true } as const;
    const ids: string[] = [];
    for (const branch of ['without-base', 'without-folder']) {
      const { worktree } = await c.client.call('worktrees.create', { ...fields, branch });
      if (worktree === undefined) throw new Error('was not waited for');
      commit(worktree.path, `${branch}.txt`);
      await get(worktree.id);
      if (branch === 'without-folder') rmSync(worktree.path, { recursive: true });
      ids.push(worktree.id);
    }
    c.git(['branch', '-m', 'main', 'trunk'], repository.path);
    const input = { repositoryId: repository.id, worktreeIds: ids, dryRun: true };
    const { results } = await c.client.call('repositories.prune', input);
    expect(results.map(({ error }) => error?.replace(/wt-\S+/, 'wt'))).toEqual([
      'It is unknown whether the work in worktree wt is merged, because branch main no longer exists. Set another default branch of the repository first, or remove this worktree alone instead of pruning.',
      'It is unknown whether the work in worktree wt is merged, because its folder is missing. Put the folder back first, or remove this worktree alone instead of pruning.',
    ]);
  });

  it('keeps a branch from which other worktrees were created', async () => {
    const base = await merged('stacked');
    const fields = { repositoryId: repositoryId(), mode: 'custom', branch: 'above', baseBranch: 'stacked', wait: true };
    await c.client.call('worktrees.create', fields as never);
    const [result] = await prune([base.worktreeId], { deleteBranches: true });
    expect(result).toMatchObject({ removed: true, branchDeleted: false, error: null });
    expect(branches()).toContain('stacked');
  });

  it('logs an unexpected error, of which the result says only where to find it', async () => {
    const { worktreeId } = await make('unexpected');
    const allow = refuseWrite(c, { event: 'update', table: 'worktrees', when: "new.state = 'removing'" });
    const [result] = await prune([worktreeId]);
    allow();
    expect(result).toMatchObject({ removed: false, error: expect.stringContaining('See the server log') });
    const log = readFileSync(join(c.home, 'server.log'), 'utf8').split('\n');
    expect(log.find((line) => line.includes('planted failure'))).toContain(worktreeId);
    expect(await get(worktreeId)).toMatchObject({ state: 'ready' });
  });

  it('takes the worktrees as arguments, and exits with status 1 if one was kept', async () => {
    const one = await make('arguments');
    const two = await unfinished('arguments-kept');
    const run = (...args: string[]) => runInProcess(['--url', c.baseUrl, ...args], { PATH: process.env.PATH ?? '' });
    expect(await run('prune', repositoryId(), one.worktreeId, '--dry-run')).toMatchObject({ code: 0 });
    const { code, out } = await run(
      'prune',
      repositoryId(),
      one.worktreeId,
      two.worktreeId,
      '--delete-branches',
      '--yes',
    );
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/\tno\tno\t-\tWorktree wt-/) });
    expect(branches()).not.toContain('arguments');
  });
});
