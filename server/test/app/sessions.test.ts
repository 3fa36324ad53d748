import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, refusalsOf } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
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
