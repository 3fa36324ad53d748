import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { busy, type CreateOptions, done, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
/** Milliseconds by which the server's clock is ahead of the real time. */
let ahead = 0;
/** A folder with the command `git`, which waits if the file `hold` contains its last arguments. */
const programs = mkdtempSync(join(tmpdir(), 'agent-console-test-'));
beforeAll(async () => {
  writeFileSync(
    join(programs, 'git'),
    `#!/bin/sh
PATH=\${PATH#*:}
if [ -e '${programs}/hold' ]; then
  case "$*" in *"$(cat '${programs}/hold')")
    printf x >> '${programs}/held'
    read line < "${programs}/go-$(wc -c < '${programs}/held')" ;;
  esac
fi
exec git "$@"
`,
    { mode: 0o700 },
  );
  execFileSync('mkfifo', [1, 2].map(goOn));
  const PATH = `${programs}:${process.env.PATH}`;
  c = await startTestApp({ now: () => new Date(Date.now() + ahead), env: { PATH } });
});
afterAll(async () => {
  await c.close();
  rmSync(programs, { recursive: true });
});

const goOn = (nth: number) => join(programs, `go-${nth}`);
/**
 * Makes each git command with these last arguments wait. The nth command continues once a line is written to the file
 * `goOn(nth)`.
 */
const holdGit = (args: string) => writeFileSync(join(programs, 'hold'), args);
const held = (count: number) =>
  c.until(`${count} commands`, () => {
    const file = join(programs, 'held');
    return (existsSync(file) && readFileSync(file).length === count) || undefined;
  });

const { create, status, reached, agentOf, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(() => c);

const gate = () => join(c.folder, 'gate');
const log = () => join(c.folder, 'checks');
/** Number of checks that have begun in the current test. */
const checks = () => (existsSync(log()) ? readFileSync(log(), 'utf8').length : 0);
const began = (count: number) => c.until(`check ${count}`, () => checks() === count || undefined);
/** Lets the running check pass or fail. */
const end = (result: 'pass' | 'fail') => writeFile(gate(), `${result}\n`);

/** Configures a check command that waits until `end` tells it to pass or fail. */
beforeEach(async () => {
  rmSync(log(), { force: true });
  rmSync(gate(), { force: true });
  execFileSync('mkfifo', [gate()]);
  const checkCommand = `printf x >> '${log()}'; read result < '${gate()}'; test "$result" = pass`;
  await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand });
});

/** Number of runs so far, which makes the names of each run unique. */
let made = 0;
/** Returns the lines of a task that writes a file, commits it and reports success. */
const writes = (file: string, text: string) =>
  `@write ${file} ${text}\\n\n@commit Write ${file}\n${done(`wrote ${file}`)}`;

/** Starts a run whose agents write these texts, each into a file of its own or all into one. */
async function run(
  texts: readonly string[],
  {
    isConflict = false,
    check = true,
    resolve = false,
    ...options
  }: CreateOptions & Partial<Record<'isConflict' | 'check' | 'resolve', boolean>> = {},
) {
  made += 1;
  const name = `run${made}`;
  const agents = texts.map((text, at) => {
    const agentId = String.fromCharCode(97 + at);
    return { agentId, role: 'writer', task: writes(isConflict ? `${name}.txt` : `${name}-${agentId}.txt`, text) };
  });
  const { id } = await create(agents, { ...options, integrate: { into: name, check, resolve }, start: true });
  return { id, into: name };
}

const isInto = (branch: string, file: string) => c.git(['ls-tree', '--name-only', branch]).split('\n').includes(file);
const workersIn = async (sessionId: string) => (await c.client.call('sessions.workers', { sessionId })).data;
const typesOf = async (id: string) => (await eventsOf(id)).map(({ eventType }) => eventType);
const call = (name: 'pause' | 'resume' | 'cancel' | 'retryIntegration', orchestrationId: string) =>
  c.client.call(`orchestrations.${name}`, { orchestrationId });

describe('while the check of an integration runs', () => {
  it('a cancellation answers, ends the check, and is the last event', async () => {
    const { id } = await run(['one']);
    await began(1);
    const cancelled = await call('cancel', id);
    expect(cancelled).toMatchObject({ state: 'cancelled', integration: { state: 'failed', integrated: ['a'] } });
    await c.events(0, ({ type, data }) => type === 'worktree.checked' && data.passed === false);
    expect((await typesOf(id)).at(-1)).toBe('session_cancelled');
    expect((await status(id)).integration).toEqual(cancelled.integration);
  });

  it('a pause answers, and the result of the check counts after the resume', async () => {
    const { id } = await run(['one']);
    await began(1);
    expect((await call('pause', id)).state).toBe('paused');
    const { seq = 0 } = (await c.client.call('events.list', { limit: 500 })).data.at(-1) ?? {};
    await end('pass');
    await c.events(seq, ({ type }) => type === 'worktree.checked');
    expect((await status(id)).state).toBe('paused');
    await call('resume', id);
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { checkPassed: true } });
    expect(checks()).toBe(1);
  });

  it('a restart of the server does not wait for it and does not run it twice', async () => {
    const { id } = await run(['one', 'two']);
    await began(1);
    await c.restart();
    expect(await status(id)).toMatchObject({ state: 'running', integration: { integrated: ['a', 'b'] } });
    await end('pass');
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { checkPassed: true } });
    expect(checks()).toBe(1);
  });

  it('the loss of the runner does not end the integration', async () => {
    const { id } = await run(['one']);
    await began(1);
    c.runner.die();
    await c.reboot();
    await began(2);
    await end('pass');
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { checkPassed: true } });
  });

  it('agents can be added, and the result includes their work', async () => {
    const { id, into } = await run(['one']);
    await began(1);
    const agents = [{ agentId: 'late', role: 'writer', agenticTool: 'scripted', task: writes('late.txt', 'late') }];
    await c.client.call('orchestrations.addAgents', { orchestrationId: id, agents });
    await end('pass');
    await began(2);
    await end('pass');
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'late'] } });
    expect(isInto(into, 'late.txt')).toBe(true);
  });
});

describe('an integration that failed', () => {
  it('by its check is repeated on request', async () => {
    const { id, into } = await run(['one']);
    expect(await refusal(call('retryIntegration', id))).toMatchObject({ code: 'CONFLICT' });
    await began(1);
    await end('fail');
    expect(await ended(id)).toMatchObject({
      state: 'failed',
      errorMessage: expect.stringContaining(`The check of ${into} failed`),
      integration: { state: 'integrated', checkPassed: false },
    });
    await call('retryIntegration', id);
    await began(2);
    await end('pass');
    const again = await ended(id);
    expect(again).toMatchObject({ state: 'completed', errorMessage: null, integration: { checkPassed: true } });
    expect(await refusal(call('retryIntegration', id))).toMatchObject({ code: 'CONFLICT' });
  });

  it('by conflicts is repeated after a person has merged the branch', async () => {
    const { id, into } = await run(['one', 'two'], { isConflict: true, check: false });
    const end = await ended(id);
    expect(end).toMatchObject({ state: 'failed', integration: { state: 'conflicts', integrated: ['a'] } });
    const events = (await eventsOf(id)).filter(({ eventType }) => eventType === 'integration');
    expect(events.map(({ agentId, data }) => [agentId, data.state])).toEqual([
      [null, 'running'],
      ['a', 'running'],
      ['b', 'conflicts'],
    ]);
    await call('retryIntegration', id);
    expect(await ended(id)).toMatchObject({ state: 'failed', integration: { state: 'conflicts' } });
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
    const { path = '' } = data.find(({ branch }) => branch === into) ?? {};
    c.git(['merge', '--quiet', '-X', 'ours', '-m', 'Mend', end.agents[1]?.branch ?? ''], path);
    await call('retryIntegration', id);
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      integration: { state: 'integrated', integrated: ['a', 'b'], conflicts: [] },
    });
  });
});

/** Returns the session that resolves the conflicts, once its scripted agent has committed a note about its prompt. */
const resolver = (into: string) =>
  c.until('the resolving session', async () => {
    const { data } = await c.client.call('integrations.list', { repositoryId: c.repository.id, limit: 500 });
    const sessionId = data.find((each) => each.into === into && each.resolvingSessionId !== null)?.resolvingSessionId;
    if (sessionId == null) return undefined;
    const worker = (await workersIn(sessionId)).find(({ type, state }) => type === 'agent' && state === 'running');
    if (worker === undefined) return undefined;
    const { cwd } = await c.client.call('sessions.get', { sessionId });
    const isCommitted = c.git(['log', '-1', '--format=%s'], cwd).startsWith('note: ');
    return isCommitted ? { sessionId, workerId: worker.id, cwd } : undefined;
  });

describe('conflicts that an agent resolves', () => {
  it('are integrated, and the run completes', async () => {
    const { id, into } = await run(['one', 'two'], { isConflict: true, check: false, resolve: true });
    const { sessionId, workerId, cwd } = await resolver(into);
    c.git(['merge', '--quiet', '-X', 'ours', '-m', 'Resolve', into], cwd);
    await asWorker(c, workerId).call('sessions.report', { sessionId, outcome: 'succeeded', summary: 'resolved' });
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      integration: { state: 'integrated', integrated: ['a', 'b'] },
    });
    expect(c.git(['show', `${into}:${into}.txt`])).toBe('two');
  });

  it('are resolved no longer after a cancellation', async () => {
    const { id, into } = await run(['one', 'two'], { isConflict: true, check: false, resolve: true });
    const { sessionId } = await resolver(into);
    await call('cancel', id);
    const { tasks } = await c.client.call('sessions.get', { sessionId });
    expect(tasks.map((task) => task.status)).toEqual(['cancelled']);
    await c.until('the end of the agent', async () =>
      (await workersIn(sessionId)).every(({ state }) => state === 'exited') ? true : undefined,
    );
    expect((await typesOf(id)).at(-1)).toBe('session_cancelled');
  });

  it('are resolved no longer after the run has failed', async () => {
    const { id, into } = await run(['one', 'two'], { isConflict: true, check: false, resolve: true });
    const { sessionId } = await resolver(into);
    const agents = [{ agentId: 'c', role: 'writer', task: '@report failed no', agenticTool: 'scripted' }];
    await c.client.call('orchestrations.addAgents', { orchestrationId: id, agents });
    expect(await ended(id)).toMatchObject({ state: 'failed', failedAgents: 1 });
    const { tasks } = await c.client.call('sessions.get', { sessionId });
    expect(tasks.map((task) => task.status)).toEqual(['cancelled']);
    await c.until('the end of the agent', async () =>
      (await workersIn(sessionId)).every(({ state }) => state === 'exited') ? true : undefined,
    );
  });
});

describe('conflicts whose resolution a person requests at the same time', () => {
  it('are resolved by one agent', async () => {
    made += 1;
    const into = `run${made}`;
    const { id } = await create(
      [
        { agentId: 'a', role: 'writer', task: writes(`${into}.txt`, 'one') },
        { agentId: 'b', role: 'writer', task: busy },
      ],
      { integrate: { into, check: false, resolve: true }, start: true },
    );
    await reached(id, 'the end of a', ({ completedAgents }) => completedAgents === 1);
    await workerOf(id, 'b');
    await call('pause', id);
    const { cwd } = await c.client.call('sessions.get', { sessionId: (await agentOf(id, 'b')).sessionId ?? '' });
    writeFileSync(join(cwd, `${into}.txt`), 'two');
    c.git(['add', '.'], cwd);
    c.git(['commit', '--quiet', '-m', 'Write two'], cwd);
    await reportAs(id, 'b');
    const [a, b] = (await reached(id, 'the end of b', ({ completedAgents }) => completedAgents === 2)).agents;
    c.git(['branch', into, 'main']);
    await c.client.call('worktrees.integrate', { worktreeId: a?.worktreeId ?? '', into, wait: true });

    const merged = c.git(['rev-parse', into]);
    holdGit(`merge-base --is-ancestor ${merged} ${c.git(['rev-parse', 'HEAD'], cwd)}`);
    const { jobId } = await c.client.call('worktrees.integrate', {
      worktreeId: b?.worktreeId ?? '',
      into,
      resolve: true,
    });
    await held(1);
    await call('resume', id);
    await held(2);
    rmSync(join(programs, 'hold'));
    await writeFile(goOn(2), 'go\n');
    const { sessionId, workerId, cwd: place } = await resolver(into);
    await writeFile(goOn(1), 'go\n');
    const { result } = await c.until('the end of the job', async () => {
      const job = await c.client.call('jobs.get', { jobId });
      return job.state !== 'running' && job;
    });
    expect(result).toMatchObject({ resolvingSessionId: sessionId, problems: [] });
    c.git(['merge', '--quiet', '-X', 'ours', '-m', 'Resolve', into], place);
    await asWorker(c, workerId).call('sessions.report', { sessionId, outcome: 'succeeded', summary: 'resolved' });
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  });
});

describe('an agent that does not resolve conflicts in time', () => {
  it('is stopped, and the run fails with the conflicts', async () => {
    const { id, into } = await run(['one', 'two'], { isConflict: true, check: false, resolve: true });
    const { sessionId } = await resolver(into);
    ahead += 3_600_000;
    // Pausing and resuming makes the orchestration check the agent's time limit now. CONFLICT means that another event
    // has already caused this check.
    await call('pause', id)
      .then(() => call('resume', id))
      .catch((error: { code?: string }) => expect(error.code).toBe('CONFLICT'));
    expect(await ended(id)).toMatchObject({
      state: 'failed',
      errorMessage: expect.stringContaining('did not finish within 3600 s'),
      integration: { state: 'conflicts', conflicts: [{ agentId: 'b', path: `${into}.txt` }] },
    });
    const { tasks } = await c.client.call('sessions.get', { sessionId });
    expect(tasks.map((task) => task.status)).toEqual(['cancelled']);
  });
});

describe('a retry after the integration', () => {
  it('integrates the work of the new attempt', async () => {
    made += 1;
    const into = `run${made}`;
    const { id } = await create(
      [
        { agentId: 'a', role: 'writer', task: writes('kept.txt', 'one') },
        { agentId: 'b', role: 'writer', task: busy, allowFailure: true },
      ],
      { integrate: { into }, start: true },
    );
    await reportAs(id, 'b', 'failed');
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a'] } });
    await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'b' });
    const { sessionId } = await workerOf(id, 'b');
    const { cwd } = await c.client.call('sessions.get', { sessionId });
    writeFileSync(join(cwd, 'retried.txt'), 'two');
    c.git(['add', '.'], cwd);
    c.git(['commit', '--quiet', '-m', 'Write retried.txt'], cwd);
    await reportAs(id, 'b');
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
    expect(isInto(into, 'retried.txt')).toBe(true);
  });
});

it('a retry integrates again what somebody has taken out of the target branch', async () => {
  const { id, into } = await run(['one', 'two']);
  await began(1);
  await end('fail');
  expect(await ended(id)).toMatchObject({ state: 'failed', integration: { integrated: ['a', 'b'] } });
  const { data } = await c.client.call('worktrees.list', { limit: 500 });
  const path = data.find(({ branch }) => branch === into)?.path ?? '';
  execFileSync('git', ['-C', path, 'reset', '-q', '--hard', 'main']);
  await call('retryIntegration', id);
  await began(2);
  await end('pass');
  expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  for (const agentId of ['a', 'b']) expect(isInto(into, `${into}-${agentId}.txt`)).toBe(true);
});
