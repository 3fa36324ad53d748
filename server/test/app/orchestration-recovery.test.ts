import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker } from '../support/calling.ts';
import { busy, type CreateOptions, done, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: InProcessApp;
/** Number of processes that start before the runner dies during the start of another one. */
let startsLeft = Number.POSITIVE_INFINITY;
/** Milliseconds by which the server's clock is ahead of the real time. */
let ahead = 0;
beforeAll(async () => {
  c = await startTestApp({
    now: () => new Date(Date.now() + ahead),
    async beforeStart() {
      startsLeft -= 1;
      if (startsLeft >= 0) return;
      startsLeft = Number.POSITIVE_INFINITY;
      c.runner.die();
    },
  });
});
afterAll(() => c.close());

const { create, status, reached, agentOf, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(() => c);

const waiting = (id: string, agentId: string, state: string) =>
  reached(id, `${agentId} to be ${state}`, ({ agents }) =>
    agents.some((agent) => agent.agentId === agentId && agent.state === state),
  );
const countOf = async (id: string, type: string) =>
  (await eventsOf(id)).filter(({ eventType }) => eventType === type).length;

/** Returns type and agent of each event of an orchestration, except for events about restarts. */
const lived = async (id: string) =>
  (await eventsOf(id)).flatMap(({ eventType, agentId }) => (eventType === 'recovery' ? [] : [[eventType, agentId]]));

const diamond = (task: string) => [
  { agentId: 'a', role: 'planner', task },
  { agentId: 'b', role: 'engineer', task: done(), dependencies: ['a'] },
  { agentId: 'c', role: 'engineer', task, dependencies: ['a'] },
  { agentId: 'd', role: 'reviewer', task: done(), dependencies: ['b', 'c'] },
];

describe('a restart of the server', () => {
  it('adopts running agents and starts nothing twice', async () => {
    const { id } = await create(diamond(busy), { strategy: 'adaptive', start: true });
    const before = await workerOf(id, 'a');
    await c.restart();
    expect((await workerOf(id, 'a')).id).toBe(before.id);
    expect(c.runner.lives(before.id)).toBe(true);
    const both = [reportAs(id, 'a'), c.restart()];
    await Promise.all(both);
    await waiting(id, 'c', 'running');
    await c.restart();
    await reportAs(id, 'c');
    expect(await ended(id)).toMatchObject({ state: 'completed', completedAgents: 4 });
    expect(await countOf(id, 'agent_started')).toBe(4);
    expect(await countOf(id, 'session_completed')).toBe(1);
    // The server adopted all running agents, so it had nothing to recover.
    expect(await countOf(id, 'recovery')).toBe(0);
  });

  it('leaves paused and ended orchestrations as they are', async () => {
    const over = await create([{ agentId: 'a', role: 'engineer', task: done() }], { start: true });
    await ended(over.id);
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    const waits = await create([{ agentId: 'a', role: 'engineer', task: done() }]);
    const before = [await lived(over.id), await lived(id), await lived(waits.id)];
    await c.restart();
    expect([await lived(over.id), await lived(id), await lived(waits.id)]).toEqual(before);
    expect((await status(waits.id)).state).toBe('created');
    expect(await status(id)).toMatchObject({ state: 'paused', agents: [{ state: 'paused', reason: 'paused' }] });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    await reportAs(id, 'a');
    await ended(id);
  });

  it('starts agents that waited for a limit', async () => {
    const agents = ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: done() }));
    await c.client.call('settings.update', { liveSessions: 0 });
    const { id } = await create(agents, { start: true });
    const { agents: held } = await status(id);
    expect(held.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
    for (const { reason } of held) expect(reason).toContain('liveSessions');
    await c.restart();
    await c.client.call('settings.update', { liveSessions: 100 });
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });
});

describe('a restart of the machine', () => {
  it.each([
    ['resume', 1, 'agent_resumed'],
    ['rerun', 2, 'agent_started'],
  ] as const)('continues agents with the policy %s', async (onInterrupted, attempt, again) => {
    const { id } = await create(diamond(busy), { strategy: 'adaptive', start: true, onInterrupted });
    await workerOf(id, 'a');
    const before = await agentOf(id, 'a');
    await c.reboot();
    await waiting(id, 'a', 'running');
    const after = await agentOf(id, 'a');
    expect(after).toMatchObject({ attempt, exitCode: null });
    expect(after.sessionId === before.sessionId).toBe(onInterrupted === 'resume');
    const types = (await eventsOf(id)).filter(({ agentId }) => agentId === 'a').map(({ eventType }) => eventType);
    expect(types).toContain(onInterrupted === 'resume' ? 'agent_interrupted' : 'agent_retried');
    const recoveries = (await eventsOf(id)).filter(({ eventType }) => eventType === 'recovery');
    expect(recoveries.map(({ data }) => data)).toEqual([{ interrupted: ['a'] }]);
    expect(types.at(-1)).toBe(again);
    await reportAs(id, 'a');
    await reportAs(id, 'c');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it('does not end another process that now has the pid of an agent', async () => {
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const exited = once(stranger, 'exit');
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const { id: workerId, sessionId } = await workerOf(id, 'a');
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    database.prepare('update workers set pid = ? where id = ?').run(stranger.pid, workerId);
    database.close();
    await c.reboot();
    await waiting(id, 'a', 'running');
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    await c.client.call('sessions.stop', { sessionId });
    expect((await c.client.call('workers.get', { workerId })).state).toBe('lost');
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    // The process still reads its input, so the restarted server has not suspended it with SIGSTOP.
    stranger.stdin.end();
    expect(await exited).toEqual([0, null]);
  });

  it('fails agents with the policy fail, and agents that depend on them', async () => {
    const { id } = await create(diamond(busy), { strategy: 'adaptive', start: true, onInterrupted: 'fail' });
    await workerOf(id, 'a');
    await c.reboot();
    const end = await ended(id);
    expect(statesOf(end)).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', d: 'skipped' });
    expect(end.agents[0]).toMatchObject({ reason: 'server_restart', exitCode: null });
  });

  it('interrupts the agents of a paused orchestration, which stays paused', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: id });
    await c.reboot();
    expect(await status(id)).toMatchObject({
      state: 'paused',
      agents: [{ state: 'interrupted', reason: 'server_restart', exitCode: null }],
    });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    await waiting(id, 'a', 'running');
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it('ends an orchestration whose agents had all ended', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: id });
    await reportAs(id, 'a');
    await waiting(id, 'a', 'completed');
    const resumed = c.client.call('orchestrations.resume', { orchestrationId: id });
    await Promise.allSettled([resumed, c.reboot()]);
    if ((await status(id)).state === 'paused') await c.client.call('orchestrations.resume', { orchestrationId: id });
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });
});

it('an agent is started again if the runner ended during its start', async () => {
  startsLeft = 0;
  const { id } = await create([{ agentId: 'a', role: 'engineer', task: done() }], { start: true });
  await reached(
    id,
    'the end of the attempt',
    ({ agents }) => agents[0]?.attempt === 1 && agents[0].state !== 'running',
  );
  await c.reboot();
  expect(await ended(id)).toMatchObject({ state: 'completed', agents: [{ state: 'completed', attempt: 2 }] });
});

it('an agent in a shared worktree gets its task if the runner ended during its start', async () => {
  startsLeft = 0;
  const { id } = await create([{ role: 'writer', task: done('with its task') }], { isolation: 'shared', start: true });
  await c.until('the end of the runner', () => startsLeft === Number.POSITIVE_INFINITY);
  await c.reboot();
  expect(await ended(id)).toMatchObject({ state: 'completed', agents: [{ summary: 'with its task' }] });
});

describe('an agent that resolves conflicts', () => {
  let made = 0;

  /** Starts an orchestration of two agents whose branches have conflicts. */
  async function conflicting(options: CreateOptions = {}) {
    made += 1;
    const into = `together-${made}`;
    const agents = ['a', 'b'].map((agentId) => {
      const task = `@write ${into}.txt ${agentId}\\n\n@commit Write\n${done()}`;
      return { agentId, role: 'writer', task };
    });
    const { id } = await create(agents, { ...options, integrate: { into, resolve: true }, start: true });
    return { id, into };
  }

  /** Waits until another process than `before` resolves the conflicts, and only its report is missing. */
  const resolving = (id: string, before?: string) =>
    c.until('the agent that resolves the conflicts', async () => {
      const { data } = await c.client.call('sessions.list', { limit: 500 });
      const isResolver = ({ orchestrationId, title }: (typeof data)[number]) =>
        orchestrationId === id && title.startsWith('Resolve conflicts');
      const session = data.find(isResolver);
      if (session === undefined) return undefined;
      // A session whose start failed is removed.
      const found = await c.client.call('sessions.get', { sessionId: session.id }).catch(() => undefined);
      if (found === undefined) return undefined;
      const { cwd, task, workers } = found;
      const worker = workers.find((each) => each.id !== before && each.type === 'agent' && each.state === 'running');
      if (worker === undefined || task?.waitingFor !== 'report') return undefined;
      return { sessionId: session.id, workerId: worker.id, cwd };
    });

  async function resolve(into: string, { sessionId, workerId, cwd }: Awaited<ReturnType<typeof resolving>>) {
    c.git(['merge', '--quiet', '-X', 'ours', '-m', 'Resolve', into], cwd);
    await asWorker(c, workerId).call('sessions.report', { sessionId, outcome: 'succeeded', summary: 'resolved' });
  }

  it('continues after the loss of its process', async () => {
    const { id, into } = await conflicting();
    const { sessionId, workerId } = await resolving(id);
    await c.reboot();
    const again = await resolving(id, workerId);
    expect(again.sessionId).toBe(sessionId);
    await resolve(into, again);
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  });

  it('is replaced if the runner ended during its start', async () => {
    startsLeft = 2;
    const { id, into } = await conflicting();
    await c.until('the end of the runner', () => startsLeft === Number.POSITIVE_INFINITY);
    await c.reboot();
    await resolve(into, await resolving(id));
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  });

  it('continues after a person has paused and resumed its session', async () => {
    const { id, into } = await conflicting();
    const { sessionId, workerId } = await resolving(id);
    await c.client.call('sessions.pause', { sessionId });
    await c.client.call('sessions.resume', { sessionId });
    await resolve(into, await resolving(id, workerId));
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  });

  it('waits for a higher budget if the budget is used up when its process is lost', async () => {
    const { id, into } = await conflicting({ budget: { wallSeconds: 1_800 } });
    const { workerId } = await resolving(id);
    ahead = 2_700_000;
    await c.reboot();
    await reached(id, 'the pause', ({ state, pausedBy }) => state === 'paused' && pausedBy === 'budget');
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    await resolve(into, await resolving(id, workerId));
    expect(await ended(id)).toMatchObject({ state: 'completed', integration: { integrated: ['a', 'b'] } });
  });

  it('fails the run after the loss of its process if the policy is to fail', async () => {
    const { id } = await conflicting({ onInterrupted: 'fail' });
    await resolving(id);
    await c.reboot();
    expect(await ended(id)).toMatchObject({ state: 'failed', integration: { state: 'conflicts' } });
  });
});
