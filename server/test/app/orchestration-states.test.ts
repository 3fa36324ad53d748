import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_END_MS } from '@agent-console/shared/limits/orchestrations';
import { UNFINISHED_LINE_MS } from '@agent-console/shared/limits/typing';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { busy, done, orchestrationsIn, statesOf } from '../support/orchestrations.ts';
import { slowAgent } from '../support/slow-agent.ts';

const slow = slowAgent();
let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: slow.programs });
  await slow.addTo(c);
});
afterAll(() => c.close());

const { create, status, reached, agentsReached, agentOf, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(
  () => c,
);

const call = (command: 'start' | 'resume' | 'cancel', orchestrationId: string) =>
  c.client.call(`orchestrations.${command}`, { orchestrationId });
const pause = (orchestrationId: string, interrupt = false) =>
  c.client.call('orchestrations.pause', { orchestrationId, interrupt });
const typesOf = async (id: string) => (await eventsOf(id)).map(({ eventType }) => eventType);

describe('a pause', () => {
  it('lets running agents finish, keeps their results, and starts no others', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done() },
      ],
      { strategy: 'sequential', start: true },
    );
    const paused = await pause(id);
    expect(paused).toMatchObject({ state: 'paused', pausedBy: 'person' });
    expect(paused.pausedAt).not.toBeNull();
    expect(await pause(id)).toMatchObject({ pausedAt: paused.pausedAt });
    expect((await typesOf(id)).filter((type) => type === 'session_paused')).toHaveLength(1);
    await reportAs(id, 'a', 'succeeded', 'made it');
    await agentsReached(id, ['a'], 'completed');
    expect(await status(id)).toMatchObject({ state: 'paused', completedAgents: 1, estimatedCompletion: null });
    expect(await agentOf(id, 'b')).toMatchObject({ state: 'pending' });
    await call('resume', id);
    expect(await ended(id)).toMatchObject({ state: 'completed', pausedAt: null, pausedBy: null });
    expect(await refusal(call('resume', id))).toMatchObject({ code: 'CONFLICT', details: { state: 'completed' } });
  });

  it('that interrupts ends the processes, and the agents continue their conversations', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const worker = await workerOf(id, 'a');
    const before = await agentOf(id, 'a');
    expect(statesOf(await pause(id, true))).toEqual({ a: 'paused' });
    await c.until('the end of the process', () => !c.runner.lives(worker.id));
    await call('resume', id);
    await agentsReached(id, ['a'], 'running');
    const after = await agentOf(id, 'a');
    expect(after).toMatchObject({ sessionId: before.sessionId, attempt: 1, startedAt: before.startedAt });
    expect(after.taskId).not.toBe(before.taskId);
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
    expect((await typesOf(id)).filter((type) => type !== 'progress')).toEqual([
      'session_created',
      'session_started',
      'agent_started',
      'session_paused',
      'agent_paused',
      'session_resumed',
      'agent_resumed',
      'agent_completed',
      'session_completed',
    ]);
  });

  it('that interrupts also interrupts an agent that is being started', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }]);
    const started = call('start', id);
    await agentsReached(id, ['a'], 'running');
    await pause(id, true);
    await started;
    await c.until('the end of the process', async () => {
      const { sessionId } = await agentOf(id, 'a');
      const { data } = await c.client.call('sessions.workers', { sessionId: sessionId ?? '' });
      return data.length > 0 && data.every((worker) => worker.state === 'exited');
    });
    expect(await agentOf(id, 'a')).toMatchObject({ state: 'paused' });
    await call('resume', id);
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
    expect((await typesOf(id)).filter((type) => type === 'agent_started')).toHaveLength(1);
  });

  it('followed by an immediate resume does not disturb the start of an agent', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }]);
    const started = call('start', id);
    await agentsReached(id, ['a'], 'running');
    const both = [pause(id, true), call('resume', id)];
    await Promise.allSettled([started, ...both]);
    if ((await status(id)).state === 'paused') await call('resume', id);
    await agentsReached(id, ['a'], 'running');
    await reportAs(id, 'a');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
    expect(await agentOf(id, 'a')).toMatchObject({ attempt: 1 });
  });

  it('keeps the result of an agent that reported while it was being interrupted', async () => {
    const { id } = await create(
      ['a', 'b'].map((agentId) => ({ agentId, role: 'engineer', task: busy })),
      { start: true },
    );
    const worker = await workerOf(id, 'a');
    const report = { sessionId: worker.sessionId, outcome: 'succeeded', summary: 'just in time' } as const;
    const reporting = asWorker(c, worker.id).call('sessions.report', report);
    const [reported] = await Promise.allSettled([reporting, pause(id, true)]);
    await call('resume', id);
    await agentsReached(id, ['b'], 'running');
    await reportAs(id, 'b');
    if (reported.status === 'rejected') await reportAs(id, 'a', 'succeeded', 'just in time');
    expect(await ended(id)).toMatchObject({ state: 'completed', completedAgents: 2 });
    expect(await agentOf(id, 'a')).toMatchObject({ summary: 'just in time', attempt: 1 });
  });
});

describe('a cancellation', () => {
  it('ends running and waiting agents, and counts no failure', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done() },
      ],
      { strategy: 'sequential', start: true },
    );
    const worker = await workerOf(id, 'a');
    const end = await call('cancel', id);
    expect(end).toMatchObject({ state: 'cancelled', failedAgents: 0, completedAgents: 0, errorMessage: null });
    expect(statesOf(end)).toEqual({ a: 'cancelled', b: 'cancelled' });
    expect(end.agents.every(({ completedAt }) => completedAt !== null)).toBe(true);
    await c.until('the end of the process', () => !c.runner.lives(worker.id));
    // Agent `a` counts as cancelled at once, but the console stores the exit code only after the agent's process has
    // ended.
    await reached(id, 'the exit code', ({ agents }) => agents[0]?.exitCode === 129);
    expect(await agentOf(id, 'b')).toMatchObject({ exitCode: null });
    for (const command of ['start', 'resume', 'cancel'] as const) {
      expect(await refusal(call(command, id))).toMatchObject({ code: 'CONFLICT', details: { state: 'cancelled' } });
    }
  });

  it('ends the agent of a session that is prompted meanwhile, and another agent works on the prompt', async () => {
    const first = { agentId: 'first', role: 'engineer', task: busy, agenticTool: 'slow' };
    const { id } = await create([first], { start: true });
    const { sessionId: stopping } = await workerOf(id, 'first');
    const second = { agentId: 'second', role: 'engineer', task: busy, agenticTool: 'scripted' };
    await c.client.call('orchestrations.addAgents', { orchestrationId: id, agents: [second] });
    const { sessionId, id: old } = await workerOf(id, 'second');
    await c.until('the work', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId });
      return workers.some(({ activityState }) => activityState === 'active');
    });
    const cancelling = call('cancel', id);
    await c.until('the stop of the first agent', async () => {
      return (await c.client.call('sessions.get', { sessionId: stopping })).status === 'stopped';
    });
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say hi' });
    slow.end();
    await cancelling;
    const { task } = await c.client.call('sessions.wait', { sessionId });
    expect(task).toMatchObject({ status: 'completed', summary: 'hi' });
    expect(c.runner.lives(old)).toBe(false);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('while a worktree is being created leaves neither worktree nor process', async () => {
    const setupCommand = `while test ! -f ${c.folder}/released; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const { worktreeId, branch } = await agentOf(id, 'a');
    await call('cancel', id);
    writeFileSync(join(c.folder, 'released'), '');
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    await c.until('nothing half-made to stay', async () => {
      const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
      return data.every((worktree) => worktree.id !== worktreeId) && !c.git(['branch']).includes(branch ?? '?');
    });
  });
});

describe('the end of an orchestration', () => {
  it('leaves no process and keeps the worktrees', async () => {
    const { id } = await create(
      [{ agentId: 'a', role: 'engineer', task: '@write a.txt a\n@commit A\n@report succeeded a' }],
      {
        start: true,
      },
    );
    const end = await ended(id);
    const { sessionId, worktreeId } = await agentOf(id, 'a');
    await c.until('the end of the process', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId: sessionId ?? '' });
      return data.every(({ state }) => state === 'exited');
    });
    expect(await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' })).toMatchObject({ state: 'ready' });
    expect(end.startedAt).not.toBeNull();
    const times = [end.createdAt, end.startedAt, end.completedAt];
    expect([...times].sort()).toEqual(times);
  });

  it('also ends an agent that reported but continues to work', async () => {
    const { id } = await create(
      ['a', 'b'].map((agentId) => ({ agentId, role: 'engineer', task: busy })),
      { start: true },
    );
    const [worker, typed] = [await workerOf(id, 'a'), await workerOf(id, 'b')];
    const { sessionId } = worker;
    const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    for (const agentId of ['a', 'b']) await reportAs(id, agentId);
    await ended(id);
    // Simulates a line that a person began to type long ago. The console regards the line as abandoned shortly after it
    // has ended the other agents, and then also ends agent `b`.
    const since = new Date(Date.now() + AGENT_END_MS + 500 - UNFINISHED_LINE_MS).toISOString();
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    database.prepare('update workers set dirtySince = ? where id = ?').run(since, typed.id);
    database.close();
    const lives = () => [worker, typed].map((each) => c.runner.lives(each.id));
    expect(lives()).toEqual([true, true]);
    await c.until('the end of the processes', () => !lives().includes(true));
    // The terminal keeps running, because a person opened it and not the agent.
    expect(c.runner.lives(terminal.id)).toBe(true);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('leaves sessions alone that somebody continues afterwards', async () => {
    const { id } = await create(
      [
        { agentId: 'late', role: 'engineer', task: busy },
        { agentId: 'done', role: 'engineer', task: done() },
        { agentId: 'cut', role: 'engineer', task: busy },
      ],
      { start: true },
    );
    // The session of an agent that times out or is cancelled before its process has started would be removed.
    for (const agentId of ['late', 'cut']) await workerOf(id, agentId);
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    const late = "update orchestration_agents set timeout_seconds = 1 where orchestration_id = ? and agent_id = 'late'";
    database.prepare(late).run(id);
    database.close();
    await pause(id);
    await agentsReached(id, ['late'], 'failed');
    await agentsReached(id, ['done'], 'completed');
    await call('cancel', id);
    for (const { agentId, sessionId } of (await status(id)).agents) {
      const workers = async () => (await c.client.call('sessions.workers', { sessionId: sessionId ?? '' })).data;
      await c.until(`the end of ${agentId}`, async () => (await workers()).every(({ state }) => state === 'exited'));
      // One is resumed before it is prompted.
      if (agentId === 'done') await c.client.call('sessions.resume', { sessionId: sessionId ?? '' });
      await c.client.call('sessions.prompt', { sessionId: sessionId ?? '', prompt: '@say hi' });
      const { task } = await c.client.call('sessions.wait', { sessionId: sessionId ?? '' });
      expect([agentId, task?.status, task?.summary]).toEqual([agentId, 'completed', 'hi']);
      expect((await workers()).filter(({ state }) => state === 'running')).toHaveLength(1);
      expect(await workers()).toHaveLength(2);
      await c.client.call('sessions.stop', { sessionId: sessionId ?? '' });
    }
  });

  it('distinguishes agents that reported a failure, exited, timed out, or did not report', async () => {
    await c.client.call('settings.update', { reminderSeconds: 0 });
    const { id } = await create(
      [
        { agentId: 'reported', role: 'engineer', task: '@report failed no way' },
        { agentId: 'exited', role: 'engineer', task: '@exit 3' },
        { agentId: 'clean', role: 'engineer', task: '@exit 0' },
        { agentId: 'silent', role: 'engineer', task: '@say nothing to report' },
        { agentId: 'slow', role: 'engineer', task: busy, timeoutSeconds: 3 },
        { agentId: 'allowed', role: 'engineer', task: '@report failed no way', allowFailure: true },
      ],
      { start: true },
    );
    const end = await ended(id);
    const facts = Object.fromEntries(
      // Leaves out the exit code of `slow`: this agent timed out, and its process ends only after the orchestration.
      end.agents.map(({ agentId, state, reason, exitCode }) => [
        agentId,
        [state, reason, agentId === 'slow' ? null : exitCode],
      ]),
    );
    expect(facts).toEqual({
      reported: ['failed', 'reported', null],
      exited: ['failed', 'exited', 3],
      clean: ['completed', null, 0],
      silent: ['failed', 'unreported', null],
      slow: ['failed', 'timeout', null],
      allowed: ['failed', 'reported', null],
    });
    expect(end).toMatchObject({ state: 'failed', failedAgents: 5, completedAgents: 1 });
    expect(end.errorMessage).toBe('Failed: reported, exited, silent, slow.');
    expect(end.agents.every(({ state, errorMessage }) => (state === 'failed') === (errorMessage !== null))).toBe(true);
  });

  it('completes agents that end without a report if the orchestration allows that', async () => {
    const { id } = await create(
      [
        { agentId: 'clean', role: 'engineer', task: '@exit 0' },
        { agentId: 'silent', role: 'engineer', task: '@say nothing to report' },
      ],
      { start: true, acceptUnreported: true },
    );
    const end = await ended(id);
    expect(statesOf(end)).toEqual({ clean: 'completed', silent: 'completed' });
    expect(end.agents.map(({ exitCode }) => exitCode)).toEqual([0, null]);
  });
});

describe('a retry', () => {
  it('runs a failed agent and those skipped because of it again, while others run', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'engineer', task: busy },
        { agentId: 'b', role: 'engineer', task: done(), dependencies: ['a'] },
        { agentId: 'x', role: 'engineer', task: busy },
      ],
      { strategy: 'adaptive', start: true },
    );
    const draft = { progress: 0.5, status: 'drafting', artifacts: ['draft.txt'] };
    await asWorker(c, (await workerOf(id, 'a')).id).call('orchestrations.report', draft);
    await reportAs(id, 'a', 'failed', 'not yet');
    await agentsReached(id, ['b'], 'skipped');
    const first = await agentOf(id, 'a');
    await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' });
    await agentsReached(id, ['a'], 'running');
    const second = await agentOf(id, 'a');
    expect(second).toMatchObject({ attempt: 2, progress: null, status: null, artifacts: [] });
    expect(second.sessionId).not.toBe(first.sessionId);
    await reportAs(id, 'a');
    await agentsReached(id, ['b'], 'completed');
    const stillRunning = await refusal(
      c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'x' }),
    );
    expect(stillRunning).toMatchObject({ code: 'CONFLICT', details: { state: 'running' } });
    await reportAs(id, 'x');
    expect(await ended(id)).toMatchObject({ state: 'completed', failedAgents: 0, completedAgents: 3 });
  });

  it('follows a failure automatically until the agent has used all its attempts', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: '@report failed again', maxAttempts: 2 }], {
      start: true,
    });
    const end = await ended(id);
    expect(end.agents[0]).toMatchObject({ state: 'failed', attempt: 2 });
    expect((await typesOf(id)).filter((type) => type.startsWith('agent_'))).toEqual([
      'agent_started',
      'agent_retried',
      'agent_started',
      'agent_failed',
    ]);
  });

  it('continues an ended orchestration', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: '@report failed no' }], { start: true });
    await ended(id);
    const again = await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' });
    expect(again.completedAt).toBeNull();
    expect(await ended(id)).toMatchObject({ state: 'failed', failedAgents: 1 });
  });
});
