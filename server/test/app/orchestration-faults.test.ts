import { rmSync } from 'node:fs';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseWrite } from '../e2e/support/planted.ts';
import { startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { busy, done, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { create, status, reached, agentOf, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(() => c);

const waiting = (id: string, agentId: string, state: string) =>
  reached(id, `${agentId} to be ${state}`, ({ agents }) =>
    agents.some((agent) => agent.agentId === agentId && agent.state === state),
  );
const sessionOf = async (id: string, agentId: string) => {
  const { sessionId } = await agentOf(id, agentId);
  return { sessionId: sessionId ?? '' };
};

describe('an agent that cannot be started', () => {
  it('fails with the reason, and the others continue', async () => {
    c.git(['branch', 'soon-gone']);
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done(), allowFailure: true },
        { agentId: 'c', role: 'engineer', task: done() },
      ],
      { strategy: 'sequential', baseBranch: 'soon-gone', start: true },
    );
    await workerOf(id, 'a');
    c.git(['branch', '-D', 'soon-gone']);
    await reportAs(id, 'a');
    const end = await ended(id);
    expect(end.state).toBe('failed');
    expect(end.agents.map(({ state, reason }) => [state, reason])).toEqual([
      ['completed', null],
      ['failed', 'not_started'],
      ['failed', 'not_started'],
    ]);
    expect(end.agents[1]?.errorMessage).toContain('soon-gone');
  });

  it('does not wait if waiting cannot free the limit', async () => {
    const root = await startRoot(c, { prompt: '@say here', title: 'Root' });
    await c.client.call('settings.update', { delegationDepth: 0 });
    const own = asWorker(c, root.workerId);
    const { id } = await own.call('orchestrations.create', {
      objective: 'Too deep',
      agents: [{ role: 'engineer', task: done(), agenticTool: 'scripted' }],
      start: true,
    });
    const end = await ended(id);
    await c.client.call('settings.update', { delegationDepth: 5 });
    expect(end.agents[0]).toMatchObject({ state: 'failed', reason: 'not_started' });
    expect(end.agents[0]?.errorMessage).toContain('delegationDepth');
  });
});

describe('an action of a person on the session of a running agent', () => {
  it.each([
    ['stop', ['sessions.stop']],
    ['archive', ['sessions.stop', 'sessions.archive']],
    ['remove', ['sessions.stop', 'sessions.remove']],
  ] as const)('%s cancels the agent, and what depends on it is skipped', async (_, commands) => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done(), dependencies: ['a'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    await workerOf(id, 'a');
    for (const command of commands) await c.client.call(command, await sessionOf(id, 'a'));
    const end = await ended(id);
    expect(statesOf(end)).toEqual({ a: 'cancelled', b: 'skipped' });
    expect(end.agents[1]?.reason).toBe('upstream_cancelled');
    expect(end).toMatchObject({ state: 'failed', failedAgents: 0 });
  });

  it('pause interrupts the agent until the session is resumed', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('sessions.pause', await sessionOf(id, 'a'));
    await waiting(id, 'a', 'interrupted');
    expect(await agentOf(id, 'a')).toMatchObject({ reason: 'session_paused' });
    await c.client.call('sessions.resume', await sessionOf(id, 'a'));
    await waiting(id, 'a', 'running');
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it('pause also holds an agent that waits for a limit to continue', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('settings.update', { liveSessions: 0 });
    await c.reboot();
    await reached(id, 'a to wait', ({ agents }) => agents[0]?.reason?.includes('liveSessions') === true);
    await c.client.call('sessions.pause', await sessionOf(id, 'a'));
    await reached(id, 'a to rest', ({ agents }) => agents[0]?.reason === 'session_paused');
    await c.client.call('settings.update', { liveSessions: 100 });
    // Each of these calls returns only after the orchestration has taken its next steps, so the agent's state can be
    // checked at once.
    await c.client.call('orchestrations.pause', { orchestrationId: id });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    expect(await agentOf(id, 'a')).toMatchObject({ state: 'interrupted', reason: 'session_paused' });
    await c.client.call('sessions.resume', await sessionOf(id, 'a'));
    await waiting(id, 'a', 'running');
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it.each([
    ['stop', ['sessions.stop']],
    ['archive', ['sessions.stop', 'sessions.archive']],
    ['remove', ['sessions.remove']],
  ] as const)('%s during a pause of the orchestration cancels the agent', async (_, commands) => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    const session = await sessionOf(id, 'a');
    await c.until('the interruption', async () => (await c.client.call('sessions.get', session)).status === 'paused');
    for (const command of commands) await c.client.call(command, session);
    await waiting(id, 'a', 'cancelled');
    expect(await status(id)).toMatchObject({ state: 'paused' });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    expect(await status(id)).toMatchObject({ state: 'failed', agents: [{ state: 'cancelled', attempt: 1 }] });
  });

  it('stop cancels an agent whose task waits behind the prompt of a person', async () => {
    const agents = ['a', 'b'].map((agentId) => ({ agentId, role: 'engineer', task: busy }));
    const { id } = await create(agents, { strategy: 'sequential', start: true });
    await workerOf(id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    const session = await sessionOf(id, 'a');
    await c.until('the interruption', async () => (await c.client.call('sessions.get', session)).status === 'paused');
    await c.client.call('sessions.prompt', { ...session, prompt: busy });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    await waiting(id, 'a', 'running');
    await c.client.call('sessions.stop', session);
    await waiting(id, 'a', 'cancelled');
    await waiting(id, 'b', 'running');
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });

  it('prompt is answered even if the orchestration is cancelled before the prompt has started', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const cancelledAgent = await workerOf(id, 'a');
    const session = await sessionOf(id, 'a');
    const { taskId } = await c.client.call('sessions.prompt', { ...session, prompt: busy });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    const { id: workerId } = await c.until('the next agent', async () => {
      const { data } = await c.client.call('sessions.workers', session);
      return data.find((worker) => worker.id !== cancelledAgent.id && worker.activityState === 'active');
    });
    await asWorker(c, workerId).call('sessions.report', { ...session, outcome: 'succeeded', summary: 'Answered' });
    const { tasks } = await c.client.call('sessions.get', session);
    expect(tasks.find((task) => task.id === taskId)?.status).toBe('completed');
  });

  it('pause and then stop cancels the agent', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    await c.client.call('sessions.pause', await sessionOf(id, 'a'));
    await waiting(id, 'a', 'interrupted');
    await c.client.call('sessions.stop', await sessionOf(id, 'a'));
    expect(statesOf(await ended(id))).toEqual({ a: 'cancelled' });
  });
});

describe('a process that is killed from outside', () => {
  it('fails its agent, and a retry starts another one', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    c.runner.kill((await workerOf(id, 'a')).id);
    const end = await ended(id);
    expect(end.agents[0]).toMatchObject({ state: 'failed', reason: 'exited' });
    await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' });
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed', errorMessage: null });
  });
});

describe('a worktree that is deleted under an agent', () => {
  it('does not stop the run', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done(), dependencies: ['a'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    await workerOf(id, 'a');
    const { worktreeId } = await agentOf(id, 'a');
    const { path } = await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' });
    rmSync(path, { recursive: true });
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });
});

describe('a shared worktree', () => {
  it('is created once, and all agents work in it', async () => {
    const agents = ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: done() }));
    const { id } = await create(agents, { isolation: 'shared', start: true });
    const end = await ended(id);
    expect(end.state).toBe('completed');
    expect(new Set(end.agents.map(({ worktreeId }) => worktreeId)).size).toBe(1);
    expect(new Set(end.agents.map(({ sessionId }) => sessionId)).size).toBe(3);
  });
});

describe('a shared worktree whose creation is cancelled', () => {
  it('is created again for the next agent', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy, allowFailure: true },
        { agentId: 'b', role: 'engineer', task: done() },
      ],
      { isolation: 'shared', strategy: 'sequential', start: true },
    );
    const { taskId } = await agentOf(id, 'a');
    await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
    expect(statesOf(await ended(id))).toEqual({ a: 'cancelled', b: 'completed' });
  });
});

/** Timeout in milliseconds for tests that do much more work if LONG is set. */
const LONG_MS = 1_800_000;

/** Stops all live sessions, because they would count towards the limit that a test sets. */
async function stopAll(): Promise<void> {
  const { data } = await c.client.call('sessions.list', { live: true, limit: 500 });
  for (const { id: sessionId } of data) await c.client.call('sessions.stop', { sessionId });
}

describe('concurrent work', () => {
  it(
    'agents beyond the limit of live sessions wait, say why, and end',
    async () => {
      const [count, limit] = process.env.LONG ? [50, 10] : [9, 3];
      await c.client.call('settings.update', { liveSessions: limit });
      const agents = Array.from({ length: count }, (_, n) => ({ agentId: `a${n}`, role: 'engineer', task: done() }));
      const { id } = await create(agents, { isolation: 'shared', start: true });
      let live = 0;
      for (let done = 1; done <= count; done += 1) {
        await reached(id, `the end of ${done} agents`, (current) => {
          live = Math.max(live, current.agents.filter(({ state }) => state === 'running').length);
          return current.completedAgents >= done;
        });
      }
      const end = await ended(id);
      await c.client.call('settings.update', { liveSessions: 100 });
      expect(end).toMatchObject({ state: 'completed', completedAgents: count });
      expect(live).toBeLessThanOrEqual(limit);
      const waits = (await eventsOf(id)).filter(({ eventType }) => eventType === 'agent_waiting');
      expect(new Set(waits.map(({ agentId }) => agentId)).size).toBeGreaterThanOrEqual(count - limit);
    },
    LONG_MS,
  );

  it('agents that continue after a pause stay within the limit together', async () => {
    await stopAll();
    const agents = ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: busy }));
    const { id } = await create(agents, { start: true });
    for (const { agentId } of agents) await workerOf(id, agentId);
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    await c.client.call('settings.update', { liveSessions: 2 });
    const { agents: after } = await c.client.call('orchestrations.resume', { orchestrationId: id });
    expect(after.map(({ state }) => state)).toEqual(['running', 'running', 'paused']);
    expect(after[2]?.reason).toContain('liveSessions');
    await c.client.call('settings.update', { liveSessions: 100 });
    await waiting(id, 'c', 'running');
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    // The process of agent `c` may start after the cancellation. It must then end too.
    await c.until('the end of all processes', async () => {
      const { total } = await c.client.call('sessions.list', { live: true, limit: 1 });
      return total === 0;
    });
  });

  it('two orchestrations with shared worktrees stay within the limit together', async () => {
    await stopAll();
    const agents = ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: busy }));
    await c.client.call('settings.update', { liveSessions: 4 });
    const made = await Promise.all([1, 2].map(() => create(agents, { isolation: 'shared', start: true })));
    const states = () => Promise.all(made.map(async ({ id }) => (await status(id)).agents.map(({ state }) => state)));
    await c.until(
      'four agents to run',
      async () => (await states()).flat().filter((state) => state === 'running').length >= 4,
    );
    await Promise.all(made.map(({ id }) => c.client.call('orchestrations.pause', { orchestrationId: id })));
    expect((await states()).flat().sort()).toEqual(['pending', 'pending', 'running', 'running', 'running', 'running']);
    await c.client.call('settings.update', { liveSessions: 100 });
    for (const { id } of made) await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });

  it('three orchestrations of three agents run side by side without crosstalk', async () => {
    const made = await Promise.all(
      ['x', 'y', 'z'].map((name) =>
        create(
          ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: done(`${name}${agentId}`) })),
          { objective: name, strategy: 'sequential', start: true },
        ),
      ),
    );
    for (const { id, objective } of made) {
      const end = await ended(id);
      expect(end.agents.map(({ summary }) => summary)).toEqual(['a', 'b', 'c'].map((name) => `${objective}${name}`));
      expect(
        (await eventsOf(id)).map(({ eventType }) => eventType).filter((type) => type === 'agent_started'),
      ).toHaveLength(3);
    }
  });

  it(
    'two simultaneous results start an agent that depends on both only once',
    async () => {
      for (let round = 0; round < (process.env.LONG ? 100 : 2); round += 1) {
        const { id } = await create(
          [
            { agentId: 'a', role: 'engineer', task: busy },
            { agentId: 'b', role: 'engineer', task: busy },
            { agentId: 'c', role: 'reviewer', task: done(), dependencies: ['a', 'b'] },
          ],
          { isolation: 'shared', strategy: 'adaptive', start: true },
        );
        await Promise.all([reportAs(id, 'a'), reportAs(id, 'b')]);
        await ended(id);
        const starts = (await eventsOf(id)).filter(({ eventType }) => eventType === 'agent_started');
        expect(starts.filter(({ agentId }) => agentId === 'c')).toHaveLength(1);
      }
    },
    LONG_MS,
  );

  it('two calls with one idempotency key create one orchestration', async () => {
    const request: RequestOf<'orchestrations.create'> = {
      objective: 'Once',
      repositoryId: c.repository.id,
      agents: [{ role: 'engineer', task: done(), agenticTool: 'scripted' }],
      start: true,
      idempotencyKey: 'twice',
    };
    const [one, two] = await Promise.all([
      c.client.call('orchestrations.create', request),
      c.client.call('orchestrations.create', request),
    ]);
    expect(two.id).toBe(one.id);
    await ended(one.id);
    expect((await eventsOf(one.id)).filter(({ eventType }) => eventType === 'agent_started')).toHaveLength(1);
  });

  it('a call that is repeated after its start could not be stored still starts the orchestration', async () => {
    const request: RequestOf<'orchestrations.create'> = {
      objective: 'Created and started',
      repositoryId: c.repository.id,
      agents: [{ role: 'engineer', task: done(), agenticTool: 'scripted' }],
      start: true,
      idempotencyKey: 'created and started',
    };
    const allow = refuseWrite(c, { event: 'insert', table: 'events', when: "new.type = 'orchestration.started'" });
    await refusal(c.client.call('orchestrations.create', request));
    allow();
    const { id } = await c.client.call('orchestrations.create', request);
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it('two concurrent starts start an orchestration once', async () => {
    const { id } = await create([{ role: 'engineer', task: done() }]);
    const start = () => c.client.call('orchestrations.start', { orchestrationId: id });
    const [first, second] = await Promise.allSettled([start(), start()]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    await ended(id);
    expect((await eventsOf(id)).filter(({ eventType }) => eventType === 'agent_started')).toHaveLength(1);
  });
});

describe('without a runner', () => {
  it('nothing is started and nothing fails until a runner is available again', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(id, 'a');
    c.runner.die();
    await waiting(id, 'a', 'interrupted');
    expect((await status(id)).state).toBe('running');
    const other = await create([{ agentId: 'a', role: 'engineer', task: done() }], { start: true });
    expect(statesOf(await status(other.id))).toEqual({ a: 'pending' });
    await c.reboot();
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
    expect(await ended(other.id)).toMatchObject({ state: 'completed' });
  });

  it('a call for an unknown orchestration is refused', async () => {
    const unknown = '01900000-0000-7000-8000-000000000000';
    expect(await refusal(c.client.call('orchestrations.start', { orchestrationId: unknown }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
