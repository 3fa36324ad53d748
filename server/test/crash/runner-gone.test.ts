import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureRunner, type RunnerControl } from '../../src/runner/supervisor.ts';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { asWorker, refusalsOf, send } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const RUNNER = fileURLToPath(new URL('../../dist/runner.js', import.meta.url));
const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

let c: TestConsole;
let next: RunnerControl | undefined;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(async () => {
  next?.close();
  await c.close();
});

describe('a console whose runner was killed', () => {
  it('keeps queued prompts and notices, reports that the runner is gone, and continues with the next one', async () => {
    const start = async (title: string) =>
      (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title })).id;
    const busy = await start('busy');
    await c.client.call('sessions.prompt', { sessionId: busy, prompt: '@sleep 600000' });
    for (const word of ['one', 'two']) {
      await c.client.call('sessions.prompt', { sessionId: busy, prompt: `@say ${word}` });
    }
    const fresh = await start('fresh');
    const fields = { repositoryId: c.repository.id, agentId: 'scripted' };
    const parent = await c.client.call('delegations.create', { ...fields, prompt: '@say ready' });
    await c.client.call('sessions.wait', { sessionId: parent.sessionId });
    await asWorker(c, parent.workerId).call('delegations.create', { prompt: '@sleep 600000' });
    await c.until('the agent at work', async () =>
      (await c.client.call('sessions.get', { sessionId: busy })).workers.some(
        ({ activityState }) => activityState === 'active',
      ),
    );
    const { startedAt, runner } = await c.client.call('system.status', {});
    expect(runner).toEqual({ state: 'running', pid: (await c.runner.status()).pid });

    process.kill(runner.pid ?? 0, 'SIGKILL');
    const client = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const tasks = async () =>
      (await client.call('sessions.get', { sessionId: busy })).tasks.map(({ status }) => status);
    await c.until('the loss', async () => (await tasks()).includes('interrupted'));
    const notices = async () => (await client.call('sessions.notices', { sessionId: parent.sessionId })).data;
    await c.until('the notice', async () => (await notices()).length === 1);
    expect(await client.call('system.status', {})).toMatchObject({ startedAt, runner: { state: 'gone', pid: null } });
    const health = await fetch(`${c.baseUrl}/health`);
    expect(await health.json()).toMatchObject({ status: 'degraded', runner: { state: 'gone', pid: null } });

    const total = (await client.call('sessions.list', { limit: 500 })).total;
    for (let round = 0; round < 2; round += 1) {
      const prompt = '@say x';
      const refused = await refusalsOf([
        client.call('sessions.prompt', { sessionId: busy, prompt }),
        client.call('sessions.prompt', { sessionId: fresh, prompt }),
        client.call('sessions.prompt', { sessionId: parent.sessionId, prompt }),
        client.call('sessions.message', { sessionId: busy, message: prompt }),
        client.call('sessions.spawn', { sessionId: fresh, prompt }),
        client.call('sessions.prompt', { sessionId: fresh, prompt, mode: 'subsession' }),
        client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', initialPrompt: prompt }),
        client.call('sessions.resume', { sessionId: busy }),
        client.call('workers.create', { sessionId: busy, type: 'agent' }),
      ]);
      for (const error of refused) expect(error).toMatchObject({ code: 'RUNNER_UNAVAILABLE', retryable: false });
      // Each update causes an event, after which the console takes the next step of the session. Without a runner, it
      // must take none.
      await client.call('sessions.update', { sessionId: busy, title: `busy ${round}` });
      await client.call('sessions.update', { sessionId: parent.sessionId, title: `parent ${round}` });
    }
    const { status } = await send(c, 'POST', `/sessions/${busy}/prompt`, { prompt: '@say x' });
    expect(status).toBe(503);
    // The prompt of the new session runs once the console has a runner again. The queue of `busy` is still held,
    // because a task was interrupted.
    const job = await client.call('worktrees.create', {
      ...fields,
      mode: 'custom',
      branch: 'meanwhile',
      autoStartSession: true,
      prompt: '@report succeeded later',
    });
    const made = await c.until('the job', async () => {
      const found = await client.call('jobs.get', { jobId: job.jobId });
      return found.state === 'succeeded' && (found.result as { sessionId: string });
    });
    await c.until('what holds it', async () => {
      const [task] = (await client.call('sessions.get', { sessionId: made.sessionId })).tasks;
      return (
        task?.status === 'queued' && task.blocked === 'the runner has ended; a person must run agent-console serve'
      );
    });
    expect(await tasks()).toEqual(['interrupted', 'queued', 'queued']);
    expect(await notices()).toMatchObject([{ status: 'interrupted', state: 'pending' }]);
    expect((await client.call('sessions.list', { limit: 500 })).total).toBe((total ?? 0) + 1);

    next = await ensureRunner({ home: c.home, program: RUNNER });
    await next.runServer({ script: SERVER, args: [], env: c.env, host: null, port: c.port });
    const { task } = await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
    expect(task).toMatchObject({ status: 'completed', summary: 'later' });
    expect(await tasks()).toEqual(['interrupted', 'queued', 'queued']);
    await c.client.call('sessions.prompt', { sessionId: busy, prompt: '@say three' });
    await c.until('the whole queue', async () => (await tasks()).filter((each) => each === 'completed').length === 3);
    await c.client.call('sessions.resume', { sessionId: parent.sessionId });
    await c.until('the notice', async () => (await notices()).every(({ state }) => state === 'delivered'));
  });
});
