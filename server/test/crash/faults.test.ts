import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { aMoment, isAlive, randomFrom, SEED } from '../e2e/support/kill.ts';
import { refusal } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

/**
 * Returns everything that a call could leave behind: rows, folders, branches, processes and git's list of worktrees.
 */
async function everything(c: TestConsole) {
  const ask = { limit: 500 };
  const [sessions, worktrees, repositories, agents] = await Promise.all([
    c.client.call('sessions.list', ask),
    c.client.call('worktrees.list', { ...ask, repositoryId: c.repository.id }),
    c.client.call('repositories.list', ask),
    c.client.call('agents.list', ask),
  ]);
  const folder = join(c.home, 'repositories');
  const folders = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return {
    sessions: sessions.data.map(({ id }) => id).sort(),
    worktrees: worktrees.data.map(({ path, state }) => `${path} ${state}`).sort(),
    repositories: repositories.data.map(({ path }) => path).sort(),
    agents: agents.data.map(({ id }) => id).sort(),
    folders: folders
      .filter((entry) => entry.isDirectory() && entry.parentPath.endsWith('/worktrees'))
      .map(({ name }) => name)
      .sort(),
    inGit: c
      .git(['worktree', 'list', '--porcelain'])
      .match(/^worktree .*/gm)
      ?.sort(),
    branches: c.git(['for-each-ref', '--format=%(refname)', 'refs/heads']).split('\n'),
    workersAlive: (await c.runner.status()).workersAlive,
  };
}

describe('a database that another process writes to', () => {
  let c: TestConsole;
  beforeAll(async () => {
    c = await startConsole();
  });
  afterAll(() => c.close());

  /** Starts a process that holds the database's write lock until its stdin ends. */
  async function holdLock(): Promise<ChildProcess> {
    const driver = createRequire(import.meta.url).resolve('libsql');
    const program = `const db = new (require(${JSON.stringify(driver)}))(process.argv[1]);
      db.exec('pragma busy_timeout = 20000'); db.exec('begin immediate'); process.stdout.write('held'); process.stdin.resume().on('end', () => process.exit());`;
    const holder = spawn(process.execPath, ['-e', program, join(c.home, 'console.db')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    return holder;
  }

  async function release(holder: ChildProcess): Promise<void> {
    holder.stdin?.end();
    await once(holder, 'exit');
  }

  it('causes BUSY for writes without changes, does not block reads, and accepts writes once it is free', async () => {
    const impatient = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const before = await everything(c);
    const pid = c.serverPid();
    const holder = await holdLock();
    const session = { cwd: c.folder, agentId: 'scripted', title: 'locked out' };
    const delegation = { repositoryId: c.repository.id, agentId: 'scripted', prompt: '@say hello' };
    const ended: string[] = [];
    const writes = [impatient.call('sessions.create', session), impatient.call('delegations.create', delegation)].map(
      (call) => refusal(call).finally(() => ended.push('a write')),
    );
    for (let look = 0; look < 5; look += 1) expect(await everything(c)).toEqual(before);
    ended.push('the reads');
    for (const refused of await Promise.all(writes)) expect(refused).toMatchObject({ code: 'BUSY', retryable: true });
    // Reads do not wait for pending writes.
    expect(ended).toEqual(['the reads', 'a write', 'a write']);
    await release(holder);
    expect(await everything(c)).toEqual(before);
    expect(await impatient.call('sessions.create', session)).toMatchObject({ title: 'locked out' });
    expect(c.serverPid()).toBe(pid);
  });

  it('does not lose the end of an agent that exits meanwhile', async () => {
    const { sessionId, workerId } = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@ask shall I go on?\n@exit 0',
    });
    await c.client.call('sessions.wait', { sessionId, until: 'asking', timeoutSeconds: 45 });
    const { pid } = await c.client.call('workers.get', { workerId });
    const holder = await holdLock();
    process.kill(pid ?? 0, 'SIGKILL');
    await c.until('the end of the process', async () => (await c.runner.status()).workersAlive === 0);
    const impatient = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    expect((await refusal(impatient.call('sessions.update', { sessionId, title: 'x' }))).code).toBe('BUSY');
    expect(await c.client.call('workers.get', { workerId })).toMatchObject({ state: 'running' });
    await release(holder);
    const { task } = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    expect(task).toMatchObject({ status: 'failed', outcomeSource: 'exit', certain: true });
  });

  it('lets a write wait if it becomes free soon', async () => {
    const holder = await holdLock();
    const impatient = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const waiting = impatient.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'patient' });
    await Promise.all([waiting, aMoment(300).then(() => release(holder))]);
    expect(await waiting).toMatchObject({ title: 'patient' });
  });
});

describe('a git that fails', () => {
  let c: TestConsole;
  let folder: string;
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean);

  /**
   * Counts the git calls from now on, beginning with 1, and makes the call with this number fail. `all` makes all calls
   * fail, and 0 makes none fail.
   */
  function failAt(number: number | 'all'): void {
    writeFileSync(join(folder, 'fail-at'), String(number));
    writeFileSync(join(folder, 'calls'), '');
  }

  beforeAll(async () => {
    c = await startConsole();
    folder = join(c.folder, 'bin');
    mkdirSync(folder);
    const real = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(join(path, 'git')));
    const wrapper = `#!/bin/sh
echo "$*" >>'${folder}/calls'
at="$(cat '${folder}/fail-at')"
if [ "$at" = all ] || [ "$(wc -l <'${folder}/calls')" -eq "$at" ]; then
  echo 'fatal: planted failure' >&2
  exit 128
fi
exec '${real}/git' "$@"
`;
    writeFileSync(join(folder, 'git'), wrapper);
    chmodSync(join(folder, 'git'), 0o755);
    failAt(0);
    await c.serve({ env: { PATH: `${folder}${delimiter}${process.env.PATH}` } });
  });
  afterAll(() => c.close());

  const attempt = (branch: string) =>
    c.client
      .call('delegations.create', {
        repositoryId: c.repository.id,
        agentId: 'scripted',
        prompt: '@report succeeded done',
        branch,
      })
      .catch((error: unknown) => {
        if (error instanceof ConsoleError) return error;
        throw error;
      });

  it('at any step of a delegation causes it to be undone completely or to succeed completely', async () => {
    failAt(0);
    const whole = await attempt('no-failure');
    if (whole instanceof ConsoleError) throw whole;
    const steps = calls().length;
    expect(steps).toBeGreaterThan(2);
    const refusals: ConsoleError[] = [];
    for (let step = 1; step <= steps; step += 1) {
      const before = await everything(c);
      failAt(step);
      const made = await attempt(`step-${step}`);
      const what = `git call ${step}: ${calls()[step - 1]}`;
      failAt(0);
      if (made instanceof ConsoleError) {
        refusals.push(made);
        expect(made.code, what).toBe('GIT_FAILED');
        expect(made.message, what).not.toMatch(/undefined|\[object/);
        expect(await everything(c), what).toEqual(before);
        // The failed call has left nothing behind that would make the same call fail again.
        const again = await attempt(`step-${step}`);
        if (again instanceof ConsoleError) throw again;
        await c.client.call('sessions.wait', { sessionId: again.sessionId, timeoutSeconds: 45 });
        continue;
      }
      const end = await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
      expect(end.task, what).toMatchObject({ status: 'completed', summary: 'done' });
      expect(c.git(['status', '--porcelain'], made.worktreePath), what).toBe('');
    }
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.some(({ message }) => message.includes('planted failure'))).toBe(true);
  }, 180_000);

  it('at every call is reported as GIT_FAILED, and a repaired git works without a restart', async () => {
    const pid = c.serverPid();
    const before = await everything(c);
    failAt('all');
    const made = await attempt('no-git');
    const branches = await refusal(c.client.call('repositories.branches', { repositoryId: c.repository.id }));
    failAt(0);
    expect(made).toMatchObject({ code: 'GIT_FAILED', details: { failedStep: 'creating_worktree' } });
    expect(branches).toMatchObject({ code: 'GIT_FAILED' });
    // Undoing the delegation also needs git, so the console undoes it once git works again.
    await c.until('the undoing', async () => JSON.stringify(await everything(c)) === JSON.stringify(before));
    expect(await attempt('git-again')).toMatchObject({ branch: 'git-again', state: 'prompting' });
    expect(c.serverPid()).toBe(pid);
  });
});

describe('kill -9 of the server', () => {
  let c: TestConsole;
  beforeAll(async () => {
    c = await startConsole();
    console.log(`SEED=${SEED}`);
  });
  afterAll(() => c.close());

  const rounds = process.env.LONG ? 20 : 1;

  /**
   * Makes a call with an idempotency key, and repeats the call as long as the connection breaks or the server is
   * stopping.
   */
  async function keyed(
    path: string,
    body: object,
    key: string,
  ): Promise<{ id?: string; taskId?: string; jobId?: string }> {
    return c.until(`an answer to ${path}`, async () => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
      const answer = await fetch(`${c.baseUrl}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined);
      if (answer === undefined || answer.status === 503) return false;
      if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`);
      return JSON.parse(answer.text) as { id?: string };
    });
  }

  it('during calls that create something: each takes effect once per key, and nothing is left incomplete', async () => {
    const random = randomFrom(SEED);
    const { repository, folder } = c;
    const first = await c.client.call('sessions.create', { cwd: folder, agentId: 'scripted', title: 'first' });
    for (let round = 0; round < rounds; round += 1) {
      const name = (what: string) => `${what}-${round}`;
      const path = join(folder, name('plain'));
      mkdirSync(path);
      c.git(['init', '--quiet', '-b', 'main'], path);
      c.git(['commit', '--quiet', '--allow-empty', '-m', 'First'], path);
      const before = await everything(c);
      const calls = () => [
        keyed('/repositories', { path }, name('repository')),
        keyed(
          `/repositories/${repository.id}/worktrees`,
          { mode: 'custom', branch: name('worktree') },
          name('worktree'),
        ),
        keyed('/sessions', { cwd: folder, agentId: 'scripted', title: name('session') }, name('session')),
        keyed('/agents', { id: name('agent'), name: 'Mine', command: [join(folder, 'program')] }, name('agent')),
        keyed(`/sessions/${first.id}/workers`, { type: 'terminal' }, name('terminal')),
        keyed(`/sessions/${first.id}/prompt`, { prompt: `@report succeeded ${name('prompt')}` }, name('prompt')),
      ];
      const pid = c.serverPid();
      const answering = Promise.all(calls());
      await aMoment(random() * 60);
      process.kill(pid, 'SIGKILL');
      const answers = await answering;
      await c.until('the next server', async () => c.serverPid() !== pid && isAlive(c.serverPid()));
      // Repeats the calls with the same idempotency keys. They must return the same ids.
      const repeated = await Promise.all(calls());
      const idsOf = (list: typeof answers) => list.map(({ id, taskId, jobId }) => id ?? taskId ?? jobId);
      expect(idsOf(repeated)).toEqual(idsOf(answers));
      expect(idsOf(answers)).not.toContain(undefined);
      const endOf = (jobId: string) =>
        c.until('the worktree', async () => {
          const job = await c.client.call('jobs.get', { jobId });
          return job.state !== 'running' && job;
        });
      const job = await endOf(answers[1]?.jobId ?? '');
      if (job.state === 'failed') {
        // If the creation of the worktree was interrupted, the console undoes it and the job fails. A call with a new
        // idempotency key succeeds.
        expect(job.error?.message).toContain('Try again');
        const body = { mode: 'custom', branch: name('worktree') };
        const again = await keyed(`/repositories/${repository.id}/worktrees`, body, name('worktree-again'));
        expect(await endOf(again.jobId ?? '')).toMatchObject({ state: 'succeeded' });
      }
      const end = await c.client.call('sessions.wait', { sessionId: first.id, timeoutSeconds: 45 });
      expect(end.task).toMatchObject({ status: 'completed', summary: name('prompt') });

      const after = await everything(c);
      expect(after.sessions.length - before.sessions.length).toBe(1);
      expect(after.repositories).toEqual([...before.repositories, path].sort());
      expect(after.agents).toEqual([...before.agents, name('agent')].sort());
      expect(after.branches).toEqual([...before.branches, `refs/heads/${name('worktree')}`].sort());
      for (const part of ['worktrees', 'folders', 'inGit'] as const)
        expect((after[part]?.length ?? 0) - (before[part]?.length ?? 0), part).toBe(1);
      const { workers, tasks } = await c.client.call('sessions.get', { sessionId: first.id });
      expect(workers.filter(({ type }) => type === 'terminal')).toHaveLength(round + 1);
      expect(tasks.map(({ summary }) => summary).filter((said) => said === name('prompt'))).toHaveLength(1);
      for (const worker of workers.filter(({ state }) => state === 'running'))
        expect(isAlive(worker.pid ?? 0), worker.type).toBe(true);
    }
  }, 600_000);
});
