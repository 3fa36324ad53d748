import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillDisk } from '../e2e/support/planted.ts';
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

interface Checked {
  check: { commit: string; passed: boolean; clean: boolean; exitCode: number | null; workerId: string };
  output: string;
}
const setCheck = (checkCommand: string | null) => c.client.call('repositories.update', { repositoryId, checkCommand });
const check = () => resultOf<Checked>(c.client.call('worktrees.check', { worktreeId, wait: true }));

describe('a check', () => {
  it('runs in a terminal of a session of the worktree, and is stored for the commit', async () => {
    await setCheck('echo "in $AGENT_CONSOLE_SESSION_ID of $PWD"; test -f readme.md');
    const { check: passed, output } = await check();
    expect(passed).toMatchObject({ commit: git('rev-parse', 'HEAD'), passed: true, clean: true, exitCode: 0 });
    const worker = await c.client.call('workers.get', { workerId: passed.workerId });
    expect(worker).toMatchObject({ type: 'terminal', state: 'exited', exitCode: 0 });
    expect(output).toBe(`in ${worker.sessionId} of ${path}`);
    const session = await c.client.call('sessions.get', { sessionId: worker.sessionId });
    expect(session).toMatchObject({ worktreeId, status: 'idle' });
    expect(session.workers.map(({ type }) => type)).toEqual(['terminal']);
  });

  it('is shown with the task whose commit it ran on', async () => {
    await setCheck('true');
    const { sessionId, workerId } = await startedAgent();
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say done' });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    put('work', '');
    await resultOf(c.client.call('worktrees.commit', { worktreeId, message: 'Work', wait: true }));
    expect(await c.client.call('tasks.get', { taskId })).not.toHaveProperty('check');
    const checking = asWorker(c, workerId).call('worktrees.check', { worktreeId, wait: true });
    const { check: result } = await resultOf<Checked>(checking);
    expect((await c.client.call('workers.get', { workerId: result.workerId })).sessionId).toBe(sessionId);
    expect((await c.client.call('tasks.get', { taskId })).check).toEqual(result);
    expect((await c.client.call('sessions.tasks', { sessionId })).data[0]?.check).toEqual(result);
    put('more', '');
    await resultOf(c.client.call('worktrees.commit', { worktreeId, message: 'More', wait: true }));
    expect(await c.client.call('tasks.get', { taskId })).not.toHaveProperty('check');
  });

  it('is not clean if files changed before or while it ran, and fails with its exit code', async () => {
    await setCheck('echo change > made.txt; exit 3');
    expect((await check()).check).toMatchObject({ passed: false, clean: false, exitCode: 3 });
  });

  it('joins a running check, survives a restart, and ends with its terminal', async () => {
    await setCheck('echo started; while [ ! -f go ]; do sleep 0.05; done; rm go');
    const { jobId } = await c.client.call('worktrees.check', { worktreeId });
    expect(await c.client.call('worktrees.check', { worktreeId })).toEqual({ jobId });
    await c.until('the command', async () => {
      const [session] = (await c.client.call('sessions.list', { worktreeId })).data;
      return session?.workers[0]?.state === 'running';
    });
    await c.restart();
    put('go', '');
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state === 'running' ? undefined : found;
    });
    expect(job).toMatchObject({ state: 'succeeded', result: { check: { passed: true } } });
  });

  it('fails when a person ends its terminal, which agents of other sessions cannot read', async () => {
    await setCheck('while true; do sleep 0.05; done');
    const { jobId } = await c.client.call('worktrees.check', { worktreeId });
    const workerId = await c.until('the command', async () => {
      const [session] = (await c.client.call('sessions.list', { worktreeId })).data;
      const worker = session?.workers[0];
      return worker?.state === 'running' ? worker.id : undefined;
    });
    await c.client.call('workers.remove', { workerId });
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state === 'running' ? undefined : found;
    });
    expect(job.result).toMatchObject({ check: { passed: false, exitCode: null } });
  });

  it('can run again after one whose end could not be stored', async () => {
    await setCheck('true');
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    database.exec("create trigger refuse before update on worktree_checks begin select raise(abort, 'refused'); end");
    expect(await refusal(check())).toMatchObject({ code: 'INTERNAL' });
    database.exec('drop trigger refuse');
    database.close();
    expect(await check()).toMatchObject({ check: { passed: true } });
    expect(await check()).toMatchObject({ check: { passed: true } });
  });

  it('runs nothing in a dry run, which shows the command, its folder and the stored result', async () => {
    await setCheck('touch ran');
    git('commit', '--quiet', '--allow-empty', '-m', 'Unchecked');
    const plan = () => resultOf(c.client.call('worktrees.check', { worktreeId, dryRun: true, wait: true }));
    const about = { dryRun: true, command: 'touch ran', folder: path, commit: git('rev-parse', 'HEAD') };
    expect(await plan()).toEqual({ ...about, clean: true, check: null });
    expect(existsSync(join(path, 'ran'))).toBe(false);
    const { check: stored } = await check();
    expect(await plan()).toEqual({ ...about, clean: false, check: stored });
  });

  it('needs a check command, and a worktree of the caller', async () => {
    await setCheck(null);
    expect(await refusal(check())).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('has no check command. A person can set one'),
    });
    const { workerId } = await startedAgent();
    const other = await c.client.call('worktrees.create', {
      repositoryId,
      mode: 'custom',
      branch: `${branch}-other`,
      wait: true,
    });
    const foreign = { worktreeId: other.worktree?.id ?? '' };
    const agent = asWorker(c, workerId);
    expect(await refusal(agent.call('worktrees.check', foreign))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await refusal(agent.call('worktrees.discard', foreign))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await refusal(agent.call('worktrees.push', { worktreeId }))).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

type Committed = { commit: string; files: number; hooks: boolean; warnings: string[] };
const commit = (input: { message: string; paths?: string[] }) =>
  resultOf<Committed>(c.client.call('worktrees.commit', { worktreeId, wait: true, ...input }));

describe('a commit', () => {
  it('contains all changes, with the author from the git configuration', async () => {
    put('readme.md', 'changed\n');
    put('new file.txt', 'new\n');
    const made = await commit({ message: 'Change all\n\nWith a body' });
    expect(made).toMatchObject({ commit: git('rev-parse', 'HEAD'), files: 2, hooks: false });
    expect(git('log', '-1', '--format=%an <%ae> %B')).toBe('Tester <tester@example.com> Change all\n\nWith a body');
    expect(git('status', '--porcelain')).toBe('');
  });

  it.each([{ from: 'all changes' }, { from: 'the named paths', paths: ['.gitignore', 'secret'] }])(
    'of $from removes a file that was removed from the index and is now ignored',
    async ({ from: _, ...named }) => {
      put('secret', 'kept\n');
      put('readme.md', 'changed\n');
      git('add', '.');
      git('commit', '--quiet', '-m', 'Secret');
      put('.gitignore', 'secret\n');
      git('rm', '--quiet', '--cached', 'secret');
      await commit({ message: 'Untrack', ...named });
      expect(git('show', '--format=', '--name-status', 'HEAD').split('\n')).toEqual(['A\t.gitignore', 'D\tsecret']);
      expect(git('status', '--porcelain')).toBe('');
      expect(get('secret')).toBe('kept\n');
    },
  );

  it('is not made while a lock prevents the update of the index, and works afterwards', async () => {
    put('locked.txt', '1\n');
    const before = git('rev-parse', 'HEAD');
    const lock = git('rev-parse', '--git-path', 'index.lock');
    writeFileSync(lock, '');
    const refused = await refusal(commit({ message: 'Locked' }));
    expect(refused).toMatchObject({ message: expect.stringContaining(lock) });
    expect(git('rev-parse', 'HEAD')).toBe(before);
    rmSync(lock);
    await commit({ message: 'Unlocked' });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s', `${before}..`)).toBe('Unlocked');
    const hook = join(c.repository.path, '.git/hooks/post-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ntouch "$GIT_DIR/index.lock"\n', { mode: 0o755 });
    put('locked.txt', '2\n');
    const late = await commit({ message: 'Late' });
    expect(late).toMatchObject({ commit: git('rev-parse', 'HEAD'), warnings: [expect.stringContaining(lock)] });
    rmSync(hook);
    rmSync(lock);
    git('reset', '--quiet');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('is stored as soon as the disk has space again', async () => {
    put('readme.md', 'changed\n');
    const free = fillDisk(c, { event: 'insert', table: 'events', when: "new.type = 'worktree.committed'" });
    const { jobId } = await c.client.call('worktrees.commit', { worktreeId, message: 'Stored later' });
    await c.until('the commit', async () => git('log', '-1', '--format=%s') === 'Stored later');
    await c.until('the updated index', async () => git('status', '--porcelain') === '');
    expect(await c.client.call('jobs.get', { jobId })).toMatchObject({ state: 'running' });
    free();
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state === 'running' ? undefined : found;
    });
    expect(job).toMatchObject({ state: 'succeeded', result: { commit: git('rev-parse', 'HEAD') } });
  });

  it('contains only the named paths, and leaves other changes as they are', async () => {
    mkdirSync(join(path, 'folder'));
    put('folder/a.txt', 'a\n');
    put('readme.md', 'staged\n');
    git('add', 'readme.md');
    put('*.txt', 'star\n');
    expect(await commit({ message: 'A folder', paths: ['folder/'] })).toMatchObject({ files: 1 });
    expect(git('show', '--name-only', '--format=')).toBe('folder/a.txt');
    expect(git('status', '--porcelain').split('\n').sort()).toEqual(['?? *.txt', 'M  readme.md'].sort());
    expect(await refusal(commit({ message: 'None', paths: ['folder'] }))).toMatchObject({
      code: 'CONFLICT',
      details: { path: 'folder' },
    });
  });

  it('is not made in a dry run, which names the files and the message', async () => {
    put('readme.md', 'changed\n');
    put('new.txt', 'new\n');
    const plan = (input: object = {}) =>
      resultOf(c.client.call('worktrees.commit', { worktreeId, message: 'Plan', dryRun: true, wait: true, ...input }));
    const before = { head: git('rev-parse', 'HEAD'), status: git('status', '--porcelain') };
    const about = { dryRun: true, commit: null, message: 'Plan', leftOut: [], hooks: false };
    expect(await plan()).toEqual({ ...about, files: 2, paths: ['readme.md', 'new.txt'] });
    expect(await plan({ paths: ['new.txt'] })).toEqual({ ...about, files: 1, paths: ['new.txt'] });
    expect({ head: git('rev-parse', 'HEAD'), status: git('status', '--porcelain') }).toEqual(before);
    const recorded = async () => {
      const { data } = await c.client.call('events.list', { order: 'newest', limit: 50 });
      const [end, start] = data.filter(({ type }) => type.startsWith('job.'));
      return [start, end].map((event) => ({ type: event?.type, data: event?.data }));
    };
    const data = { kind: 'commit', dryRun: true };
    expect(await recorded()).toMatchObject([
      { type: 'job.started', data },
      { type: 'job.succeeded', data },
    ]);
    await commit({ message: 'Made' });
    for (const event of await recorded()) expect(event.data).not.toHaveProperty('dryRun');
    expect(await refusal(plan())).toMatchObject({ code: 'CONFLICT' });
  });

  it('concludes a merge, but is refused with conflicts, in other operations or without changes', async () => {
    expect(await refusal(commit({ message: 'Nothing' }))).toMatchObject({ code: 'CONFLICT' });
    git('checkout', '--quiet', '-b', `${branch}-side`);
    put('readme.md', 'side\n');
    git('commit', '--quiet', '-am', 'Side');
    git('checkout', '--quiet', branch);
    put('readme.md', 'ours\n');
    await commit({ message: 'Ours' });
    expect(() => git('merge', `${branch}-side`)).toThrow();
    expect(await refusal(commit({ message: 'Merge' }))).toMatchObject({
      code: 'CONFLICT',
      details: { files: ['readme.md'] },
    });
    put('readme.md', 'both\n');
    git('add', 'readme.md');
    expect(await refusal(commit({ message: 'Merge', paths: ['readme.md'] }))).toMatchObject({
      message: expect.stringContaining('only be committed as a whole'),
    });
    await commit({ message: 'Merge' });
    expect(git('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    put('readme.md', 'linear\n');
    await commit({ message: 'Linear' });
    expect(() => git('rebase', '--exec', 'false', 'HEAD~1')).toThrow();
    put('readme.md', 'more\n');
    expect(await refusal(commit({ message: 'More' }))).toMatchObject({ details: { operation: 'rebase' } });
    git('rebase', '--abort');
  });
});

describe('hooks', () => {
  const hook = (name: string, script: string) => {
    const file = join(c.repository.path, '.git/hooks', name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
  afterAll(() => rmSync(join(c.repository.path, '.git/hooks'), { recursive: true, force: true }));

  it('run for a person, in a terminal, and can change or refuse a commit', async () => {
    mkdirSync(join(c.repository.path, '.git/hooks'), { recursive: true });
    hook(
      'pre-commit',
      'if [ -f bad ]; then echo "bad is not allowed"; exit 1; fi; echo "$AGENT_CONSOLE_WORKER_ID" > seen; git add seen',
    );
    hook('commit-msg', 'echo "Checked: yes" >> "$1"');
    put('good', '');
    const made = await commit({ message: 'Good' });
    expect(made).toMatchObject({ hooks: true, files: 1 });
    expect(git('log', '-1', '--format=%B')).toContain('Checked: yes');
    expect(git('show', '--name-only', '--format=').split('\n').sort()).toEqual(['good', 'seen']);
    expect(get('seen').trim()).toMatch(/^[0-9a-f-]{36}$/);
    expect(git('status', '--porcelain')).toBe('');
    put('bad', '');
    const before = git('rev-parse', 'HEAD');
    expect(await refusal(commit({ message: 'Bad' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('bad is not allowed'),
      details: { exitCode: 1 },
    });
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('status', '--porcelain')).toBe('?? bad');
  });

  it('run on the files and the message of an integration, and can refuse it', async () => {
    hook('pre-commit', 'exit 0');
    hook(
      'pre-merge-commit',
      'git ls-files > "$HOME/merged"; git cat-file -e :bad && { echo "bad is not allowed"; exit 1; }; exit 0',
    );
    c.git(['branch', `${branch}-target`, 'main'], c.repository.path);
    const integrate = () =>
      resultOf(
        c.client.call('worktrees.integrate', { worktreeId, into: `${branch}-target`, message: 'Merge it', wait: true }),
      );
    put(`${branch}.txt`, '');
    await commit({ message: 'Fine' });
    const { commit: merged } = await integrate();
    expect(c.git(['log', '-1', '--format=%B', `${branch}-target`], c.repository.path)).toBe('Merge it\nChecked: yes');
    expect(c.git(['rev-parse', `${branch}-target`], c.repository.path)).toBe(merged);
    expect(readFileSync(join(c.env.HOME ?? '', 'merged'), 'utf8').split('\n')).toContain(`${branch}.txt`);
    put('bad', '');
    await commit({ message: 'Bad' });
    expect(await refusal(integrate())).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(
        'The hook pre-merge-commit of shop exited with code 1. Its last output: bad is not',
      ),
    });
    expect(c.git(['rev-parse', `${branch}-target`], c.repository.path)).toBe(merged);
    expect(git('status', '--porcelain')).toBe('');
    rmSync(join(c.repository.path, '.git/hooks/pre-merge-commit'));
  });

  it('decide about no other commit than they ran on, also if the target moves while the server restarts', async () => {
    const into = `${branch}-target`;
    c.git(['branch', into, 'main'], c.repository.path);
    put(`${branch}.txt`, '');
    await commit({ message: 'Fine' });
    const go = join(c.env.HOME ?? '', 'go');
    hook('pre-merge-commit', `while [ ! -f "${go}" ]; do sleep 0.05; done`);
    const { jobId } = await c.client.call('worktrees.integrate', { worktreeId, into });
    await commandRuns(c, jobId);
    const tree = c.git(['rev-parse', 'main^{tree}'], c.repository.path);
    const moved = c.git(['commit-tree', tree, '-p', into, '-m', 'Moved'], c.repository.path);
    c.git(['update-ref', `refs/heads/${into}`, moved], c.repository.path);
    await c.restart();
    writeFileSync(go, '');
    const job = await c.until('the end', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state !== 'running' && found;
    });
    expect(job.error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(into) });
    expect(c.git(['rev-parse', into], c.repository.path)).toBe(moved);
    rmSync(join(c.repository.path, '.git/hooks/pre-merge-commit'));
  });

  it('run for agents only if the owner allows it', async () => {
    hook('pre-commit', 'exit 1');
    const { sessionId, workerId } = await startedAgent();
    put('mine', '');
    const agent = asWorker(c, workerId);
    const commitAs = () =>
      resultOf<Committed>(agent.call('worktrees.commit', { worktreeId, message: 'Mine', wait: true }));
    expect(await commitAs()).toMatchObject({ hooks: false });
    await c.client.call('repositories.update', { repositoryId, runHooks: true });
    put('more', '');
    expect(await refusal(commitAs())).toMatchObject({ code: 'CONFLICT', details: { exitCode: 1 } });
    await c.client.call('repositories.update', { repositoryId, runHooks: false });
    await c.client.call('sessions.stop', { sessionId });
  });
});

const startedAgent = () => startAgent(c, worktreeId);

describe('discarding', () => {
  const discard = (input: object = {}) => c.client.call('worktrees.discard', { worktreeId, ...input });

  it('saves all changes before it removes them', async () => {
    put('readme.md', 'changed\n');
    put('staged', 'staged\n');
    git('add', 'staged');
    mkdirSync(join(path, 'deep/er'), { recursive: true });
    put('deep/er/new', 'new\n');
    const { recoveryRef, files, leftOut } = await discard();
    expect({ files, leftOut }).toEqual({ files: 3, leftOut: [] });
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(join(path, 'deep'))).toBe(false);
    expect(git('show', `${recoveryRef}:deep/er/new`)).toBe('new');
    expect(git('show', `${recoveryRef}:readme.md`)).toBe('changed');
    expect(await refusal(discard())).toMatchObject({ code: 'CONFLICT' });
  });

  it('discards single hunks, also staged ones, unless the file changed meanwhile', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
    const text = (changes: Record<number, string>) => lines.map((line, at) => `${changes[at] ?? line}\n`).join('');
    put('tést.txt', text({}));
    await commit({ message: 'Lines' }).catch(() => git('commit', '--quiet', '-am', 'Lines'));
    put('tést.txt', text({ 2: 'first', 30: 'second' }));
    git('add', '.');
    const [file] = (await c.client.call('worktrees.diff', { worktreeId, base: 'HEAD' })).files;
    const hunks = (file?.hunks ?? []).map(({ oldStart, newStart }) => ({ path: 'tést.txt', oldStart, newStart }));
    expect(hunks).toHaveLength(2);
    // The file now has a hunk at the same line numbers but with other lines, so the console must refuse to discard it.
    put('tést.txt', text({ 2: 'later', 30: 'second' }));
    const seen = hunks.slice(0, 1).map((hunk) => ({ ...hunk, lines: file?.hunks[0]?.lines }));
    expect(await refusal(discard({ hunks: seen }))).toMatchObject({ code: 'CONFLICT', details: { path: 'tést.txt' } });
    expect(get('tést.txt')).toBe(text({ 2: 'later', 30: 'second' }));
    put('tést.txt', text({ 2: 'first', 30: 'second' }));
    expect(await discard({ hunks: hunks.slice(0, 1) })).toMatchObject({ files: 1 });
    expect(get('tést.txt')).toBe(text({ 30: 'second' }));
    expect(git('diff', '--cached', '--name-only')).toBe('');
    expect(await refusal(discard({ hunks: hunks.slice(0, 1) }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has changed in the meantime, so nothing was discarded'),
    });
  });

  it('can be undone without losing what was changed meanwhile', async () => {
    const undo = (recoveryRef?: string) =>
      c.client.call('worktrees.undoDiscard', { worktreeId, ...(recoveryRef !== undefined && { recoveryRef }) });
    expect(await refusal(undo())).toMatchObject({ code: 'NOT_FOUND' });
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
    const text = (changes: Record<number, string>) => lines.map((line, at) => `${changes[at] ?? line}\n`).join('');
    put('lines.txt', text({}));
    put('gone.txt', 'gone\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Lines');
    put('lines.txt', text({ 2: 'first' }));
    rmSync(join(path, 'gone.txt'));
    mkdirSync(join(path, 'deep'));
    put('deep/new', 'new\n');
    const { recoveryRef } = await discard();
    put('lines.txt', text({ 30: 'later' }));
    const undone = await undo();
    expect(undone.files).toBe(3);
    expect([get('lines.txt'), get('deep/new'), existsSync(join(path, 'gone.txt'))]).toEqual([
      text({ 2: 'first', 30: 'later' }),
      'new\n',
      false,
    ]);
    expect(git('show', `${undone.recoveryRef}:gone.txt`)).toBe('gone');
    expect(await refusal(undo(recoveryRef))).toMatchObject({ code: 'CONFLICT' });

    await discard();
    put('lines.txt', text({ 2: 'other' }));
    for (const ref of [undefined, recoveryRef]) {
      expect(await refusal(undo(ref))).toMatchObject({ code: 'CONFLICT', details: { files: ['lines.txt'] } });
    }
    // A recovery ref does not contain ignored files, so an undo must not overwrite them.
    git('checkout', '--quiet', '.');
    writeFileSync(join(path, '.gitignore'), 'deep\n');
    mkdirSync(join(path, 'deep'), { recursive: true });
    put('deep/new', 'ignored\n');
    expect(await refusal(undo())).toMatchObject({ code: 'CONFLICT', details: { files: ['deep/new'] } });
    expect(get('deep/new')).toBe('ignored\n');
    expect(await refusal(undo('refs/heads/main'))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is refused while an agent works there, and during a merge', async () => {
    const sessionId = await workingAgent(c, worktreeId);
    put('new', '');
    expect(await refusal(discard())).toMatchObject({ code: 'CONFLICT', details: { sessionId } });
    await c.client.call('sessions.stop', { sessionId });
  });
});
