import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putInto } from '../e2e/support/planted.ts';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { slowAgent } from '../support/slow-agent.ts';

const slow = slowAgent();
let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: slow.programs });
  await slow.addTo(c);
});
afterAll(() => c.close());

const { create, get, prompt, taskOf, finished, agentOf, taskBecomes, agentIs, atWork, said, heard } = sessionsOf(
  () => c,
);

describe('pausing', () => {
  it('interrupts the task, ends the process and holds the queue; resuming continues the conversation', async () => {
    const { sessionId, taskId, agent } = await atWork();
    const next = await prompt(sessionId, '@recall 1');
    const paused = await c.client.call('sessions.pause', { sessionId });
    expect(paused).toMatchObject({ status: 'paused', workers: [{ state: 'exited', pid: null }] });
    expect(c.runner.lives(agent.id)).toBe(false);
    expect(await taskOf(taskId)).toMatchObject({ status: 'interrupted', outcomeSource: 'person', certain: true });
    expect(await taskOf(next.taskId)).toMatchObject({ status: 'queued', queuePosition: 1 });
    expect(await c.client.call('sessions.pause', { sessionId })).toMatchObject({ status: 'paused' });

    const resumed = await c.client.call('sessions.resume', { sessionId });
    expect(resumed.workers.map(({ state }) => state)).toEqual(['exited', 'running']);
    await taskBecomes(next.taskId, 'completed');
    expect(await said(sessionId)).toContain('message 1: @sleep 600000');
    const { data } = await c.client.call('sessions.events', { sessionId, limit: 500 });
    const states = data.map(({ type }) => type).filter((type) => /^session\.(paused|resumed)$/.test(type));
    expect(states).toEqual(['session.paused', 'session.resumed']);
  });

  /** Pauses a session whose agent does not end before `slow.end` is called. */
  async function pausingSlowly() {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'slow' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const pausing = c.client.call('sessions.pause', { sessionId });
    await c.until('the pause', async () => (await get(sessionId)).status === 'paused');
    return { sessionId, workerId, pausing };
  }

  it('lets a new agent start only after the old one has ended', async () => {
    const { sessionId, workerId, pausing } = await pausingSlowly();
    const starting = c.client.call('workers.create', { sessionId, type: 'agent' });
    await get(sessionId);
    slow.end();
    await pausing;
    const started = await starting;
    expect(started).toMatchObject({ state: 'running' });
    expect(started.id).not.toBe(workerId);
    expect((await get(sessionId)).workers).toMatchObject([{ state: 'exited' }, { id: started.id, state: 'running' }]);
    slow.end();
  });

  it.each(['workers.create', 'sessions.resume'] as const)(
    'starts a new agent by %s only after the one that a person stopped has ended',
    async (operation) => {
      const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'slow' });
      const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
      const removing = c.client.call('workers.remove', { workerId });
      await get(sessionId);
      const starting =
        operation === 'workers.create'
          ? c.client.call(operation, { sessionId, type: 'agent' })
          : c.client.call(operation, { sessionId });
      await get(sessionId);
      slow.end();
      await removing;
      await starting;
      const { workers } = await get(sessionId);
      expect(workers).toMatchObject([{ id: workerId, state: 'exited' }, { state: 'running' }]);
      slow.end();
    },
  );

  it('keeps a prompt that comes while a person stops the agent for a new agent', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'slow' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const removing = c.client.call('workers.remove', { workerId });
    await get(sessionId);
    const { taskId } = await prompt(sessionId, '@say after the end');
    await get(sessionId);
    slow.end();
    await removing;
    await c.until('the new agent', async () => {
      const agent = await agentOf(sessionId);
      return agent.id !== workerId && agent.state === 'running';
    });
    expect(await taskOf(taskId)).toMatchObject({ status: 'running' });
    slow.end();
  });

  it('is not ended by a resumption that came before a stop and waits for the end of the agent', async () => {
    const { sessionId, pausing } = await pausingSlowly();
    const resuming = refusal(c.client.call('sessions.resume', { sessionId }));
    await get(sessionId);
    const stopping = c.client.call('sessions.stop', { sessionId });
    await c.until('the stop', async () => (await get(sessionId)).status === 'stopped');
    slow.end();
    await Promise.all([pausing, stopping]);
    expect(await resuming).toMatchObject({ code: 'CONFLICT', details: { sessionId } });
    expect(await get(sessionId)).toMatchObject({ status: 'stopped', workers: [{ state: 'exited' }] });
  });

  it('ends with a prompt of a person, but not with a prompt of an agent', async () => {
    const root = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@say ready',
    });
    const agent = asWorker(c, root.workerId);
    const { worktreeId } = await get(root.sessionId);
    const { id: sessionId } = await agent.call('sessions.create', {
      worktreeId: worktreeId ?? '',
      agentId: 'scripted',
    });
    await c.client.call('sessions.pause', { sessionId });
    const given = await agent.call('sessions.prompt', { sessionId, prompt: '@say from an agent' });
    expect(await get(sessionId)).toMatchObject({ status: 'paused', workers: [], tasks: [{ status: 'queued' }] });
    const own = await prompt(sessionId, '@say from a person');
    await taskBecomes(own.taskId, 'completed');
    expect(await taskOf(given.taskId)).toMatchObject({ status: 'completed', certain: false });
    expect(heard(sessionId)).toEqual(['@say from an agent', '@say from a person']);
  });
});

describe('stopping', () => {
  it('ends the terminals after a restart if the server died meanwhile, but not those opened later', async () => {
    const sessionId = await create();
    const open = () => c.client.call('workers.create', { sessionId, type: 'terminal' });
    const { id: before } = await open();
    putInto(
      c,
      ["update sessions set mark = 'stopped' where id = ?", sessionId],
      [
        "insert into events (at, type, subjectKind, subjectId, sessionId, actor, data) values (?, 'session.stopped', 'session', ?, ?, 'system', '{}')",
        new Date().toISOString(),
        sessionId,
        sessionId,
      ],
    );
    const { id: after } = await open();
    await c.restart();
    const workers = await c.until('the end of the first terminal', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.some(({ id, state }) => id === before && state === 'exited') && data;
    });
    expect(workers.find(({ id }) => id === after)).toMatchObject({ state: 'running' });
    // Stopping the stopped session ends its terminals, also after a restart, so it is an event of its own.
    const stops = async () => {
      const { data } = await c.client.call('events.list', { order: 'newest' });
      return data.filter(({ type, subject }) => type === 'session.stopped' && subject.id === sessionId);
    };
    expect(await stops()).toHaveLength(1);
    for (const _ of ['with a terminal', 'without']) await c.client.call('sessions.stop', { sessionId });
    expect(await stops()).toHaveLength(2);
  });

  it('cancels the task and holds the queue until the next prompt of a person', async () => {
    const { sessionId, taskId, agent } = await atWork();
    const next = await prompt(sessionId, '@say next');
    expect(await c.client.call('sessions.stop', { sessionId })).toMatchObject({ status: 'stopped' });
    expect(c.runner.lives(agent.id)).toBe(false);
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled', outcomeSource: 'person', certain: true });
    expect(await taskOf(next.taskId)).toMatchObject({ status: 'queued' });
    expect(await refusal(c.client.call('sessions.pause', { sessionId }))).toMatchObject({ code: 'CONFLICT' });
    await prompt(sessionId, '@say last');
    await finished(sessionId);
    expect(heard(sessionId)).toEqual(['@sleep 600000', '@say next', '@say last']);
  });

  it('holds notices until the session is resumed, and then delivers each once', async () => {
    const fields = { repositoryId: c.repository.id, agentId: 'scripted' };
    const root = await c.client.call('delegations.create', { ...fields, prompt: '@say ready' });
    const agent = asWorker(c, root.workerId);
    const child = await agent.call('delegations.create', { prompt: '@ask may I?\n@report succeeded was allowed' });
    await agentIs(child.sessionId, 'asking');
    await c.until('the first notice', async () => heard(root.sessionId).length === 2);
    await c.client.call('sessions.wait', { sessionId: root.sessionId });
    await c.client.call('sessions.stop', { sessionId: root.sessionId });
    await c.client.call('workers.input', { workerId: child.workerId, data: 'y\r' });
    await taskBecomes(child.taskId, 'completed');
    const notices = async () => (await c.client.call('sessions.notices', { sessionId: root.sessionId })).data;
    expect((await notices()).map(({ kind, state }) => [kind, state])).toEqual([
      ['waiting', 'delivered'],
      ['ended', 'pending'],
    ]);
    await c.client.call('sessions.resume', { sessionId: root.sessionId });
    await c.until('both delivered', async () => (await notices()).every(({ state }) => state === 'delivered'));
    await c.client.call('sessions.wait', { sessionId: root.sessionId });
    const texts = heard(root.sessionId);
    expect(texts).toHaveLength(3);
    expect(texts[2]).toContain('was allowed');
  });

  it('by exit holds the queue until the next prompt', async () => {
    const sessionId = await create();
    const first = await prompt(sessionId, '@ask then?\n@exit 3');
    const agent = await agentIs(sessionId, 'asking');
    const second = await prompt(sessionId, '@say second');
    await c.client.call('workers.input', { workerId: agent.id, data: 'y\r' });
    expect(await taskBecomes(first.taskId, 'failed')).toMatchObject({ outcomeSource: 'exit', certain: true });
    expect(await agentOf(sessionId)).toMatchObject({ state: 'exited', exitCode: 3, signal: null });
    expect(await get(sessionId)).toMatchObject({ status: 'idle' });
    expect(await taskOf(second.taskId)).toMatchObject({ status: 'queued', queuePosition: 1 });
    const third = await prompt(sessionId, '@say third');
    expect(third).toMatchObject({ queued: true, queuePosition: 2 });
    await finished(sessionId);
    expect(heard(sessionId)).toEqual(['@ask then?\n@exit 3', '@say second', '@say third']);
  });

  it('completes the task when the agent exits without an error', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@exit');
    expect(await taskBecomes(taskId, 'completed')).toMatchObject({ outcomeSource: 'exit', certain: true });
  });
});
