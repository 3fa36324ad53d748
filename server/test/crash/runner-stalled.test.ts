import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRunner } from '../../src/runner/supervisor.ts';
import { isAlive } from '../e2e/support/kill.ts';
import { refusalsOf, tokenOf } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
let runnerPid: number;
beforeAll(async () => {
  c = await startConsole({ runnerArgs: ['--hang-ms', '4000'] });
  runnerPid = (await c.runner.status()).pid;
});
afterAll(async () => {
  if (isAlive(runnerPid)) process.kill(runnerPid, 'SIGCONT');
  await c.close();
});

const size = { cols: 80, rows: 24 };
const workersOf = async (sessionId: string) => (await c.client.call('sessions.get', { sessionId })).workers;
const newSession = async (title: string) =>
  (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title })).id;
const health = async () => (await fetch(`${c.baseUrl}/health`)).json();

/** Expects that the runner has as many processes as the server has live workers. */
async function expectNothingUnseen(): Promise<void> {
  const { data } = await c.client.call('sessions.list', { limit: 500 });
  const workers = (await Promise.all(data.map(({ id }) => workersOf(id)))).flat();
  const running = workers.filter(({ state }) => state === 'running' || state === 'starting');
  expect((await c.runner.status()).workersAlive).toBe(running.length);
}

describe('a runner that is stopped for a while', () => {
  it('starts requested processes when it continues, but the calls are answered earlier with TIMEOUT', async () => {
    const terminals = await newSession('terminals');
    const prompted = await newSession('prompted');
    process.kill(runnerPid, 'SIGSTOP');
    const found = refusalsOf([findRunner(c.home)]);
    await c.client.call('sessions.prompt', { sessionId: prompted, prompt: '@say done' });
    const refused = await refusalsOf([
      c.client.call('workers.create', { sessionId: terminals, type: 'terminal', ...size }),
      c.client.call('sessions.resume', { sessionId: prompted }),
    ]);
    for (const error of refused) expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true });
    expect((await workersOf(terminals)).map(({ state }) => state)).toEqual(['starting']);
    expect((await workersOf(prompted)).map(({ state }) => state)).toEqual(['starting']);
    expect(await health()).toMatchObject({ status: 'degraded', runner: { state: 'unresponsive', pid: runnerPid } });

    const [unanswered] = await found;
    expect(unanswered).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining(`kill -CONT ${runnerPid}`) });

    process.kill(runnerPid, 'SIGCONT');
    const [terminal] = await c.until('the terminal', async () => {
      const workers = await workersOf(terminals);
      return workers[0]?.state === 'running' && workers;
    });
    expect(isAlive(terminal?.pid ?? 0)).toBe(true);
    const { task } = await c.client.call('sessions.wait', { sessionId: prompted, timeoutSeconds: 45 });
    expect(task).toMatchObject({ status: 'completed' });
    expect(await workersOf(prompted)).toHaveLength(1);
    expect(await health()).toMatchObject({ status: 'ok', runner: { state: 'running' } });
    await expectNothingUnseen();
  });

  it('ends a worker whose session was stopped before the start of the worker was answered', async () => {
    const sessionId = await newSession('ended');
    process.kill(runnerPid, 'SIGSTOP');
    const started = c.client.call('workers.create', { sessionId, type: 'terminal', ...size }).catch(() => undefined);
    await c.until('the row', async () => (await workersOf(sessionId))[0]?.state === 'starting');
    const stopped = c.client.call('sessions.stop', { sessionId });
    await c.until('the stop', async () => (await c.client.call('sessions.get', { sessionId })).status === 'stopped');
    process.kill(runnerPid, 'SIGCONT');
    await Promise.all([started, stopped]);
    expect((await workersOf(sessionId)).map(({ state }) => state)).toEqual(['exited']);
    await expectNothingUnseen();
  });

  it('starts a process once even if the server dies before the start is answered', async () => {
    const sessionId = await newSession('killed');
    process.kill(runnerPid, 'SIGSTOP');
    const started = c.client.call('workers.create', { sessionId, type: 'terminal', ...size }).catch(() => undefined);
    await c.until('the row', async () => (await workersOf(sessionId))[0]?.state === 'starting');
    const before = c.serverPid();
    process.kill(before, 'SIGKILL');
    process.kill(runnerPid, 'SIGCONT');
    await started;
    await c.until('the next server', () => c.serverPid() !== before);
    await c.until('the terminal', async () => (await workersOf(sessionId))[0]?.state === 'running');
    expect(await workersOf(sessionId)).toHaveLength(1);
    await expectNothingUnseen();
  });
});

describe('a server that is stopped', () => {
  it('is replaced, and the event log says why', async () => {
    const before = c.serverPid();
    const { lastEventSeq } = await c.client.call('system.status', {});
    process.kill(before, 'SIGSTOP');
    await c.until('the next server', () => c.serverPid() !== before);
    expect(isAlive(before)).toBe(false);
    const events = await c.events(lastEventSeq, ({ type }) => type === 'server.started');
    expect(events.find(({ type }) => type === 'server.crashed')?.data).toMatchObject({ signal: 'SIGKILL', hung: true });
    await expectNothingUnseen();
  });
});

describe('stopping everything', () => {
  it('leaves no token of an agent behind', async () => {
    const sessionId = await newSession('token');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    const agent = await c.until('the agent', async () => {
      const [worker] = await workersOf(sessionId);
      return worker?.state === 'running' && worker;
    });
    const folder = join(c.home, 'workers', agent.id);
    expect(tokenOf(c, agent.id)).toMatch(/^acw_/);
    await c.runner.stopAll();
    expect(isAlive(agent.pid ?? 0)).toBe(false);
    expect(readdirSync(folder)).toContain('output');
    expect(readdirSync(folder)).not.toContain('process');
  });
});
