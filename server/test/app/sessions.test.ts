import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putInto } from '../e2e/support/planted.ts';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal, refusalsOf } from '../support/calling.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

/** Ends the process of the agent `slow`, which ignores every signal except SIGKILL. */
let endSlow = () => {};
const slow: OpenProgram = ({ ended }) => {
  endSlow = () => ended({ exitCode: 0, signal: null });
  return { input() {}, signal() {}, stop() {} };
};

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { slow } });
  const program = join(c.folder, 'slow');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  await c.client.call('agents.create', { id: 'slow', name: 'Slow', kind: 'claude-code', command: [program] });
});
afterAll(() => c.close());

const { create, get, prompt, taskOf, finished, agentOf, taskBecomes, agentIs, atWork, said, mainCheckout, heard } =
  sessionsOf(() => c);

describe('a session', () => {
  it('has no process until its first prompt, and works in its folder then', async () => {
    const made = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      title: 'Grüße 🌍',
      description: 'two\nlines',
    });
    expect(made).toMatchObject({
      type: 'quick',
      status: 'idle',
      workers: [],
      cwd: c.folder,
      worktreeId: null,
      depth: 0,
    });
    expect(made).toMatchObject({ title: 'Grüße 🌍', description: 'two\nlines', repositoryId: null, gitState: null });
    const { taskId, ...answer } = await prompt(made.id, '@write here.txt made');
    expect(answer).toEqual({ sessionId: made.id });
    await finished(made.id);
    expect(readFileSync(join(c.folder, 'here.txt'), 'utf8')).toBe('made');
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed', outcomeSource: 'title', certain: false });
    expect(await get(made.id)).toMatchObject({ status: 'idle', workers: [{ state: 'running' }] });
    await c.until('prompt and answer', async () => (await get(made.id)).messageCount === 2);
  });

  it('starts with its initial prompt', async () => {
    const fields = { cwd: c.folder, agentId: 'scripted', initialPrompt: '@say first words' };
    const { id, taskId } = await c.client.call('sessions.create', fields);
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ sessionId: id, status: 'completed' });
    expect(heard(id)).toEqual(['@say first words']);
    expect((await get(id)).title).toBe('@say first words');
  });

  it('that is idle runs a prompt from the transaction on that queued it, with or without an agent', async () => {
    const made = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      initialPrompt: '@say first',
    });
    expect(made.status).toBe('running');
    await finished(made.id);
    await c.client.call('sessions.wait', { sessionId: made.id, until: 'idle', timeoutSeconds: 45 });
    const { taskId } = await prompt(made.id, '@say second');
    await finished(made.id);
    const { data } = await c.client.call('sessions.events', { sessionId: made.id, limit: 500 });
    const startedBy = (task: string | undefined) =>
      data.find(({ type, subject }) => type === 'task.started' && subject.id === task)?.actor;
    expect([made.taskId, taskId].map(startedBy)).toEqual([
      expect.stringMatching(/^user:/),
      expect.stringMatching(/^user:/),
    ]);
  });

  it('is rejected without a location, with a missing one, and with an unknown agent', async () => {
    const create = (fields: object) => refusal(c.client.call('sessions.create', fields as never));
    expect(await create({ agentId: 'scripted' })).toMatchObject({ code: 'VALIDATION' });
    expect(await create({ agentId: 'scripted', cwd: join(c.folder, 'no') })).toMatchObject({ code: 'VALIDATION' });
    expect(await create({ agentId: 'scripted', cwd: '../x' })).toMatchObject({ code: 'VALIDATION' });
    const error = await create({ agentId: 'nobody', cwd: c.folder });
    expect(error).toMatchObject({
      code: 'VALIDATION',
      details: { field: 'agentId', installed: expect.arrayContaining(['scripted']) },
    });
  });

  it('runs prompts one at a time in order, and returns the queue position', async () => {
    const sessionId = await create();
    const first = await prompt(sessionId, '@ask go on?');
    await agentIs(sessionId, 'asking');
    const second = await prompt(sessionId, '@say second');
    const third = await prompt(sessionId, '@say third');
    expect([first, second, third].map(({ queued, queuePosition }) => [queued, queuePosition])).toEqual([
      [undefined, undefined],
      [true, 1],
      [true, 2],
    ]);
    expect(await taskOf(third.taskId)).toMatchObject({ status: 'queued', queuePosition: 2 });
    await c.client.call('workers.input', { workerId: (await agentOf(sessionId)).id, data: 'y\r' });
    await finished(sessionId);
    const { tasks } = await get(sessionId);
    expect(tasks.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    for (const [at, task] of tasks.entries()) {
      const before = tasks[at - 1];
      if (before !== undefined) expect(String(task.startedAt) >= String(before.endedAt)).toBe(true);
    }
    expect(heard(sessionId)).toEqual(['@ask go on?', '@say second', '@say third']);
  });

  it('has a task for every prompt, and a readable conversation', async () => {
    const sessionId = await create();
    await prompt(sessionId, '@say a');
    await finished(sessionId);
    const data = await c.until('its messages', async () => {
      const page = await c.client.call('sessions.messages', { sessionId });
      return page.total >= 2 && page.data;
    });
    expect(data.map(({ seq, role, parts }) => [seq, role, parts])).toEqual([
      [1, 'user', [{ type: 'text', text: '@say a' }]],
      [2, 'agent', [{ type: 'text', text: 'a' }]],
    ]);
    expect((await c.client.call('tasks.list', { sessionId })).total).toBe(1);
  });

  it('whose agent was killed fails its task and can be prompted again in its old folder', async () => {
    const { sessionId, taskId, agent } = await atWork();
    c.runner.kill(agent.id);
    expect(await taskBecomes(taskId, 'failed')).toMatchObject({ outcomeSource: 'exit', certain: true });
    expect(await agentOf(sessionId)).toMatchObject({ state: 'exited', exitCode: null, signal: 'SIGKILL', pid: null });
    await prompt(sessionId, '@recall 1');
    await finished(sessionId);
    expect(await said(sessionId)).toContain('message 1: @sleep 600000');
  });
});

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

  /** Pauses a session whose agent does not end before `endSlow` is called. */
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
    endSlow();
    await pausing;
    const started = await starting;
    expect(started).toMatchObject({ state: 'running' });
    expect(started.id).not.toBe(workerId);
    expect((await get(sessionId)).workers).toMatchObject([{ state: 'exited' }, { id: started.id, state: 'running' }]);
    endSlow();
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
      endSlow();
      await removing;
      await starting;
      const { workers } = await get(sessionId);
      expect(workers).toMatchObject([{ id: workerId, state: 'exited' }, { state: 'running' }]);
      endSlow();
    },
  );

  it('keeps a prompt that comes while a person stops the agent for a new agent', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'slow' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const removing = c.client.call('workers.remove', { workerId });
    await get(sessionId);
    const { taskId } = await prompt(sessionId, '@say after the end');
    await get(sessionId);
    endSlow();
    await removing;
    await c.until('the new agent', async () => {
      const agent = await agentOf(sessionId);
      return agent.id !== workerId && agent.state === 'running';
    });
    expect(await taskOf(taskId)).toMatchObject({ status: 'running' });
    endSlow();
  });

  it('is not ended by a resumption that came before a stop and waits for the end of the agent', async () => {
    const { sessionId, pausing } = await pausingSlowly();
    const resuming = refusal(c.client.call('sessions.resume', { sessionId }));
    await get(sessionId);
    const stopping = c.client.call('sessions.stop', { sessionId });
    await c.until('the stop', async () => (await get(sessionId)).status === 'stopped');
    endSlow();
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

describe('starting', () => {
  it("an agent accepts every name of the session's agent, and of no other agent", async () => {
    const sessionId = await create();
    const start = (fields: object) => c.client.call('workers.create', { sessionId, type: 'agent', ...fields } as never);
    for (const agentId of ['codex', 'nobody']) {
      const refused = await refusal(start({ agentId }));
      expect(refused).toMatchObject({ code: 'VALIDATION', details: { field: 'agentId' } });
    }
    const terminal = await refusal(start({ type: 'terminal', agentId: 'scripted' }));
    expect(terminal).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('omit this field') });
    expect((await c.client.call('sessions.workers', { sessionId })).total).toBe(0);
    expect(await start({ agentId: 'scripted' })).toMatchObject({ type: 'agent', agentId: 'scripted' });
  });

  it('concurrently starts one agent, whose tools work', async () => {
    const sessionId = await create();
    const started = await Promise.all([
      c.client.call('workers.create', { sessionId, type: 'agent' }),
      c.client.call('sessions.resume', { sessionId }).then((session) => session.workers[0]),
      prompt(sessionId, '@tool list_sessions {}\n@say told').then(() =>
        c.until('an agent', () => agentOf(sessionId).catch(() => undefined)),
      ),
      c.client.call('workers.create', { sessionId, type: 'agent' }),
    ]);
    expect(new Set(started.map((worker) => worker?.id)).size).toBe(1);
    await finished(sessionId);
    expect((await c.client.call('sessions.workers', { sessionId })).total).toBe(1);
    expect(await said(sessionId)).toContain('tool list_sessions: {');
    expect(heard(sessionId)).toHaveLength(1);
    const { data } = await c.client.call('sessions.events', { sessionId, limit: 500 });
    expect(data.filter(({ type }) => type === 'worker.started')).toHaveLength(1);
    await c.client.call('sessions.stop', { sessionId });
    const after = (await c.client.call('sessions.events', { sessionId, limit: 500 })).data;
    expect(after.filter(({ type }) => type === 'worker.exited')).toHaveLength(1);
  });

  it('again is rejected for an agent that cannot resume; a prompt starts a new conversation', async () => {
    await c.client.call('agents.create', { id: 'cat', name: 'Cat', command: ['cat'], queueWhenUnknown: 'send' });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'cat' });
    const first = await prompt(sessionId, 'hello cat');
    await c.until(
      'the echo',
      async () => (await agentOf(sessionId).catch(() => undefined)) && (await said(sessionId)).includes('hello cat'),
    );
    await c.client.call('sessions.stop', { sessionId });
    expect(await taskOf(first.taskId)).toMatchObject({ status: 'cancelled' });
    expect(await refusal(c.client.call('sessions.resume', { sessionId }))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Send a prompt instead'),
    });
    expect(await get(sessionId)).toMatchObject({ status: 'stopped' });
    await prompt(sessionId, 'hello again');
    await c.until('the second echo', async () => (await said(sessionId)).includes('hello again'));
    await c.client.call('sessions.stop', { sessionId });
  });
});

describe('archiving and removing', () => {
  it('archives a session only without live workers, and unarchives it', async () => {
    const { sessionId } = await atWork();
    expect(await refusal(c.client.call('sessions.archive', { sessionId }))).toMatchObject({ code: 'CONFLICT' });
    await c.client.call('sessions.stop', { sessionId });
    expect((await c.client.call('sessions.archive', { sessionId })).archivedAt).not.toBeNull();
    const listed = async (archived: boolean) =>
      (await c.client.call('sessions.list', { archived, limit: 500 })).data.some(({ id }) => id === sessionId);
    expect([await listed(false), await listed(true)]).toEqual([false, true]);
    const errors = await refusalsOf([
      prompt(sessionId, '@say no'),
      c.client.call('sessions.resume', { sessionId }),
      c.client.call('workers.create', { sessionId, type: 'terminal' }),
    ]);
    for (const error of errors) expect(error).toMatchObject({ code: 'CONFLICT', details: { sessionId } });
    expect((await c.client.call('sessions.unarchive', { sessionId })).archivedAt).toBeNull();
    expect([await listed(false), await listed(true)]).toEqual([true, false]);
  });

  it('removes a stopped session with its conversation and output', async () => {
    const sessionId = await create();
    await prompt(sessionId, '@say secret words');
    await finished(sessionId);
    const agent = await agentOf(sessionId);
    expect(await refusal(c.client.call('sessions.remove', { sessionId }))).toMatchObject({ code: 'CONFLICT' });
    await c.client.call('sessions.stop', { sessionId });
    const log = join(c.home, 'workers', agent.id);
    expect(existsSync(log)).toBe(true);
    await c.client.call('sessions.remove', { sessionId });
    expect(await refusal(get(sessionId))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(c.client.call('workers.get', { workerId: agent.id }))).toMatchObject({ code: 'NOT_FOUND' });
    expect((await c.client.call('tasks.list', { limit: 500 })).data.some((task) => task.sessionId === sessionId)).toBe(
      false,
    );
    expect(existsSync(log)).toBe(false);
  });

  it('does not count a diff view as live', async () => {
    const made = await c.client.call('sessions.create', { worktreeId: await mainCheckout(), agentId: 'scripted' });
    await c.client.call('workers.create', { sessionId: made.id, type: 'git-diff' });
    await c.client.call('sessions.archive', { sessionId: made.id });
    expect(await c.client.call('sessions.remove', { sessionId: made.id })).toMatchObject({ id: made.id });
  });
});
