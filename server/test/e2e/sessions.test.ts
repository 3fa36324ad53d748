import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '@agent-console/shared/models/task';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { asWorker, refusal, refusalsOf } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const create = async (title = '') =>
  (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title })).id;
const get = (sessionId: string) => c.client.call('sessions.get', { sessionId });
const prompt = (sessionId: string, text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });
const taskOf = (taskId: string) => c.client.call('tasks.get', { taskId });
const finished = (sessionId: string) => c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });

async function agentOf(sessionId: string) {
  const workers = (await c.client.call('sessions.workers', { sessionId })).data;
  const agent = workers.findLast((worker) => worker.type === 'agent');
  if (agent === undefined) throw new Error('no agent');
  return agent;
}

const taskBecomes = (taskId: string, status: Task['status']) =>
  c.until(`a task that is ${status}`, async () => {
    const task = await taskOf(taskId);
    return task.status === status && task;
  });

const agentIs = (sessionId: string, state: 'idle' | 'asking' | 'active') =>
  c.until(`an agent that is ${state}`, async () => {
    const workers = (await c.client.call('sessions.workers', { sessionId })).data;
    const agent = workers.findLast((worker) => worker.type === 'agent');
    return agent?.state === 'running' && agent.activityState === state && agent;
  });

/** A session whose agent is at a turn that ends only when it is told to. */
async function atWork(title = '') {
  const sessionId = await create(title);
  const { taskId } = await prompt(sessionId, '@sleep 600000');
  const agent = await agentIs(sessionId, 'active');
  return { sessionId, taskId, agent };
}

const said = async (sessionId: string) =>
  (await c.client.call('sessions.output', { sessionId, sinceOffset: 0, maxBytes: 262_144 })).text;

const outputHas = (workerId: string, text: string) =>
  c.until(`the output ${text}`, async () =>
    (await c.client.call('workers.output', { workerId, format: 'ansi' })).text?.includes(text),
  );

function lives(pid: number | null): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}

async function mainCheckout(): Promise<string> {
  const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
  return data.find(({ kind }) => kind === 'main')?.id ?? '';
}

/** What the agent's own record says it was given, in order. */
function heard(sessionId: string): string[] {
  const lines = readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const entry = line === '' ? {} : (JSON.parse(line) as { role?: string; text?: string });
    return entry.role === 'user' ? [entry.text ?? ''] : [];
  });
}

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

  it('created with a first prompt starts with it', async () => {
    const fields = { cwd: c.folder, agentId: 'scripted', initialPrompt: '@say first words' };
    const { id, taskId } = await c.client.call('sessions.create', fields);
    await finished(id);
    expect(await taskOf(taskId ?? '')).toMatchObject({ sessionId: id, status: 'completed' });
    expect(heard(id)).toEqual(['@say first words']);
    expect((await get(id)).title).toBe('@say first words');
  });

  it('is refused without a place, in a place that is not there, and with an agent that is not', async () => {
    const create = (fields: object) => refusal(c.client.call('sessions.create', fields as never));
    expect(await create({ agentId: 'scripted' })).toMatchObject({ code: 'VALIDATION' });
    expect(await create({ agentId: 'scripted', cwd: join(c.folder, 'no') })).toMatchObject({ code: 'VALIDATION' });
    expect(await create({ agentId: 'scripted', cwd: '../x' })).toMatchObject({ code: 'VALIDATION' });
    const error = await create({ agentId: 'nobody', cwd: c.folder });
    expect(error).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      details: { installed: expect.arrayContaining(['scripted']) },
    });
  });

  it('runs prompts one at a time, in the order in which they came, and says the place in the queue', async () => {
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

  it('has a task of its own for every prompt, and its conversation to read', async () => {
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

  it('that was killed fails its task and can be prompted again, where it stood', async () => {
    const { sessionId, taskId, agent } = await atWork();
    process.kill(agent.pid ?? 0, 'SIGKILL');
    expect(await taskBecomes(taskId, 'failed')).toMatchObject({ outcomeSource: 'exit', certain: true });
    expect(await agentOf(sessionId)).toMatchObject({ state: 'exited', exitCode: null, signal: 'SIGKILL', pid: null });
    await prompt(sessionId, '@recall 1');
    await finished(sessionId);
    expect(await said(sessionId)).toContain('message 1: @sleep 600000');
  });
});

describe('pausing', () => {
  it('interrupts the task, ends the process and holds the queue; resuming goes on where it ended', async () => {
    const { sessionId, taskId, agent } = await atWork();
    const next = await prompt(sessionId, '@recall 1');
    const paused = await c.client.call('sessions.pause', { sessionId });
    expect(paused).toMatchObject({ status: 'paused', workers: [{ state: 'exited', pid: null }] });
    expect(lives(agent.pid)).toBe(false);
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

  it('ends with a prompt of a person, but not with one of an agent', async () => {
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
  it('cancels the task and keeps the queue until the next prompt of a person', async () => {
    const { sessionId, taskId, agent } = await atWork();
    const next = await prompt(sessionId, '@say next');
    expect(await c.client.call('sessions.stop', { sessionId })).toMatchObject({ status: 'stopped' });
    expect(lives(agent.pid)).toBe(false);
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled', outcomeSource: 'person', certain: true });
    expect(await taskOf(next.taskId)).toMatchObject({ status: 'queued' });
    expect(await refusal(c.client.call('sessions.pause', { sessionId }))).toMatchObject({ code: 'CONFLICT' });
    await prompt(sessionId, '@say last');
    await finished(sessionId);
    expect(heard(sessionId)).toEqual(['@sleep 600000', '@say next', '@say last']);
  });

  it('makes notices wait until it is resumed, and then delivers each once', async () => {
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

  it('by its own exit keeps the queue until the next prompt', async () => {
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

  it('completes the task when the agent ends itself without an error', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@exit');
    expect(await taskBecomes(taskId, 'completed')).toMatchObject({ outcomeSource: 'exit', certain: true });
  });
});

describe('starting', () => {
  it('by several callers at once starts one agent, whose tools work', async () => {
    const sessionId = await create();
    const started = await Promise.all([
      c.client.call('workers.create', { sessionId, type: 'agent' }),
      c.client.call('sessions.resume', { sessionId }).then((session) => session.workers[0]),
      prompt(sessionId, '@tool list_sessions {}\n@say told').then(() => agentIs(sessionId, 'active')),
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

  it('again is refused for an agent that cannot resume; a prompt starts it afresh', async () => {
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

describe('putting away', () => {
  it('archives a session only when nothing of it lives, and brings it back', async () => {
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
    expect(existsSync(join(log, 'output'))).toBe(false);
  });

  it('does not count a diff view as alive', async () => {
    const made = await c.client.call('sessions.create', { worktreeId: await mainCheckout(), agentId: 'scripted' });
    await c.client.call('workers.create', { sessionId: made.id, type: 'git-diff' });
    await c.client.call('sessions.archive', { sessionId: made.id });
    expect(await c.client.call('sessions.remove', { sessionId: made.id })).toMatchObject({ id: made.id });
  });
});

describe('tasks', () => {
  it('are cancelled while they wait, and interrupted while they run', async () => {
    const { sessionId, taskId } = await atWork();
    const waiting = await prompt(sessionId, '@say never');
    const last = await prompt(sessionId, '@say last');
    expect(await c.client.call('tasks.cancel', { taskId: waiting.taskId })).toMatchObject({ status: 'cancelled' });
    expect(await taskOf(last.taskId)).toMatchObject({ queuePosition: 1 });
    expect(await c.client.call('tasks.cancel', { taskId })).toMatchObject({
      status: 'cancelled',
      outcomeSource: 'person',
    });
    await taskBecomes(last.taskId, 'completed');
    expect(heard(sessionId)).toEqual(['@sleep 600000', '@say last']);
    expect(await said(sessionId)).toContain('interrupted');
    expect(await refusal(c.client.call('tasks.cancel', { taskId }))).toMatchObject({
      code: 'CONFLICT',
      details: { status: 'cancelled' },
    });
  });

  it('that ask are cancelled without an answer', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@ask delete?\n@say deleted');
    await agentIs(sessionId, 'asking');
    const next = await prompt(sessionId, '@say next');
    await taskBecomes(taskId, 'awaiting_input');
    expect(await c.client.call('tasks.cancel', { taskId })).toMatchObject({ status: 'cancelled', waitingFor: null });
    await taskBecomes(next.taskId, 'completed');
    expect(await said(sessionId)).not.toMatch(/answer:|^deleted/m);
  });

  it('that wait can change places, unless they changed meanwhile', async () => {
    const { sessionId, taskId } = await atWork();
    const [a, b, d] = [
      await prompt(sessionId, '@say a'),
      await prompt(sessionId, '@say b'),
      await prompt(sessionId, '@say d'),
    ];
    const move = async (id: string, after: string | null) =>
      c.client.call('tasks.move', { taskId: id, after, expectedVersion: (await taskOf(id)).version });
    expect(await move(d.taskId, null)).toMatchObject({ queuePosition: 1 });
    expect(await move(a.taskId, b.taskId)).toMatchObject({ queuePosition: 3 });
    const stale = { taskId: d.taskId, after: null, expectedVersion: 1 };
    expect(await refusal(c.client.call('tasks.move', stale))).toMatchObject({ code: 'CONFLICT' });
    expect(await refusal(move(a.taskId, taskId))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(move(taskId, null))).toMatchObject({ code: 'CONFLICT', details: { status: 'running' } });
    await c.client.call('tasks.cancel', { taskId });
    await finished(sessionId);
    expect(heard(sessionId)).toEqual(['@sleep 600000', '@say d', '@say b', '@say a']);
  });

  it('wait for a person who has typed half a line, until the line is done', async () => {
    const sessionId = await create();
    const agent = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await agentIs(sessionId, 'idle');
    await c.client.call('workers.input', { workerId: agent.id, data: 'half a li' });
    const { taskId } = await prompt(sessionId, '@say mine');
    const held = await c.until('a held prompt', async () => {
      const task = await taskOf(taskId);
      return task.blocked !== null && task;
    });
    expect(held).toMatchObject({ status: 'running', blocked: 'waiting for the keyboard' });
    await c.client.call('workers.input', { workerId: agent.id, data: '\x15' });
    await finished(sessionId);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed', blocked: null });
    expect(heard(sessionId)).toEqual(['@say mine']);
  });

  it('are sent all the same when a person says so', async () => {
    const sessionId = await create();
    const agent = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await agentIs(sessionId, 'idle');
    await c.client.call('workers.input', { workerId: agent.id, data: 'half ' });
    const { taskId } = await prompt(sessionId, 'a prompt');
    await c.until('a held prompt', async () => (await taskOf(taskId)).blocked);
    await c.client.call('tasks.sendNow', { taskId });
    await taskBecomes(taskId, 'completed');
    expect(heard(sessionId)).toEqual(['half a prompt']);
    expect(await refusal(c.client.call('tasks.sendNow', { taskId }))).toMatchObject({ code: 'CONFLICT' });
  });
});

describe('messages', () => {
  it('to an agent that asks do not answer its question', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@ask delete everything?\n@say deleted');
    const agent = await agentIs(sessionId, 'asking');
    await taskBecomes(taskId, 'awaiting_input');
    const message = { sessionId, workerId: agent.id, message: 'y' };
    const sent = await c.client.call('sessions.message', message);
    expect(sent).toMatchObject({ success: true, queuePosition: 1 });
    expect(await taskOf(taskId)).toMatchObject({ status: 'awaiting_input', waitingFor: 'answer' });
    await c.client.call('workers.input', { workerId: agent.id, data: 'n\r' });
    await finished(sessionId);
    expect(await said(sessionId)).toContain('answer: no');
    expect(heard(sessionId)).toEqual(['@ask delete everything?\n@say deleted', 'y']);
    expect(await taskOf(sent.taskId ?? '')).toMatchObject({ status: 'completed' });
  });

  it('to a terminal are typed with Enter; to a diff view they are refused', async () => {
    const made = await c.client.call('sessions.create', { worktreeId: await mainCheckout(), agentId: 'scripted' });
    const sessionId = made.id;
    const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    expect(terminal).toMatchObject({ type: 'terminal', state: 'running', agentId: null, pid: expect.any(Number) });
    const message = 'echo "sum $((40 + 2)) ü"';
    expect(await c.client.call('sessions.message', { sessionId, workerId: terminal.id, message })).toEqual({
      success: true,
    });
    await outputHas(terminal.id, 'sum 42 ü');
    await c.client.call('workers.input', { workerId: terminal.id, data: 'half a li' });
    // A client inside a worker tries what is busy again for a while; a person is told at once.
    const atOnce = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const busy = await refusal(atOnce.call('sessions.message', { sessionId, workerId: terminal.id, message }));
    expect(busy).toMatchObject({ code: 'BUSY', details: { workerId: terminal.id } });

    const diff = await c.client.call('workers.create', { sessionId, type: 'git-diff' });
    expect(diff).toMatchObject({
      type: 'git-diff',
      pid: null,
      state: 'running',
      activityState: 'unknown',
      agentId: null,
    });
    const unsupported = await refusalsOf([
      c.client.call('sessions.message', { sessionId, workerId: diff.id, message }),
      c.client.call('workers.input', { workerId: diff.id, data: 'x' }),
      c.client.call('workers.resize', { workerId: diff.id, cols: 80, rows: 24 }),
      c.client.call('workers.restart', { workerId: diff.id }),
    ]);
    for (const error of unsupported) expect(error).toMatchObject({ code: 'UNSUPPORTED' });
    expect(await c.client.call('workers.remove', { workerId: diff.id })).toMatchObject({
      state: 'exited',
      exitCode: null,
    });
    const elsewhere = { sessionId: await create(), workerId: terminal.id, message };
    expect(await refusal(c.client.call('sessions.message', elsewhere))).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('workers', () => {
  it('take keys once per input id, have the size they were given, and say how they ended', async () => {
    const sessionId = await create();
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal', cols: 91, rows: 17 });
    const type = (data: string, inputId: string) => c.client.call('workers.input', { workerId, data, inputId });
    expect(await type('echo one-$((1 + 1)); stty size\r', 'a')).toMatchObject({ inputId: 'a', duplicate: false });
    expect(await type('echo one-$((1 + 1)); stty size\r', 'a')).toMatchObject({ inputId: 'a', duplicate: true });
    await outputHas(workerId, '17 91');
    await c.client.call('workers.resize', { workerId, cols: 100, rows: 30 });
    await type('stty size; echo count\r', 'b');
    await outputHas(workerId, '30 100');
    const { text = '' } = await c.client.call('workers.output', { workerId, sinceOffset: 0 });
    expect(text.match(/^one-2$/gm)).toHaveLength(1);

    expect(await refusal(c.client.call('workers.restart', { workerId }))).toMatchObject({ code: 'CONFLICT' });
    await type('exit 7\r', 'c');
    const ended = await c.until('an exit', async () => {
      const worker = await c.client.call('workers.get', { workerId });
      return worker.state === 'exited' && worker;
    });
    expect(ended).toMatchObject({ exitCode: 7, signal: null, pid: null });
    expect(await refusal(type('x', 'd'))).toMatchObject({ code: 'CONFLICT', details: { state: 'exited' } });
    const again = await c.client.call('workers.restart', { workerId });
    expect(again).toMatchObject({ sessionId, type: 'terminal', state: 'running' });
    expect(again.id).not.toBe(workerId);
    const removed = await c.client.call('workers.remove', { workerId: again.id });
    expect(removed).toMatchObject({ state: 'exited' });
    expect(lives(again.pid)).toBe(false);
    expect((await get(sessionId)).workers.map(({ id }) => id)).toEqual([workerId, again.id]);
  });

  it('that are agents exist once per session; ending one cancels its task', async () => {
    const { sessionId, taskId, agent } = await atWork();
    expect((await c.client.call('workers.create', { sessionId, type: 'agent' })).id).toBe(agent.id);
    expect(await c.client.call('workers.remove', { workerId: agent.id })).toMatchObject({ state: 'exited' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled', outcomeSource: 'person' });
    const again = await c.client.call('workers.restart', { workerId: agent.id });
    expect(again).toMatchObject({ type: 'agent', state: 'running' });
    await outputHas(again.id, 'resumed');
  });

  it('can be corrected by a person, until their next sign', async () => {
    const sessionId = await create();
    const agent = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await agentIs(sessionId, 'idle');
    const seq = (await c.client.call('system.status', {})).lastEventSeq;
    const corrected = await c.client.call('workers.correctActivity', { workerId: agent.id, activityState: 'unknown' });
    expect(corrected).toMatchObject({ activityState: 'unknown', activitySource: 'person', confidence: 'certain' });
    const events = await c.events(seq, ({ type }) => type === 'activity.changed');
    expect(events.at(-1)).toMatchObject({ subject: { id: agent.id }, data: { activitySource: 'person' } });
    expect(events.at(-1)?.actor).toMatch(/^user:/);
    await c.client.call('workers.input', { workerId: agent.id, data: '@say hello\r' });
    await outputHas(agent.id, '@say hello');
    await c.until('a sign of its own', async () => (await agentOf(sessionId)).activitySource === 'title');
  });
});

describe('waiting', () => {
  it('ends at once for what is true already, and without an error when the time is over', async () => {
    const wait = (sessionId: string, until: 'finished' | 'idle' | 'asking', timeoutSeconds: number) =>
      c.client.call('sessions.wait', { sessionId, until, timeoutSeconds });
    const empty = await create();
    expect(await wait(empty, 'finished', 45)).toEqual({
      sessionId: empty,
      reached: 'finished',
      stillRunning: false,
      activityState: 'unknown',
    });
    const { sessionId, taskId } = await atWork();
    for (const until of ['finished', 'idle', 'asking'] as const) {
      expect(await wait(sessionId, until, 0)).toMatchObject({
        reached: null,
        stillRunning: true,
        activityState: 'active',
        task: { id: taskId, status: 'running' },
      });
    }
    const idle = wait(sessionId, 'idle', 45);
    await c.client.call('tasks.cancel', { taskId });
    expect(await idle).toMatchObject({ reached: 'idle', activityState: 'idle' });
    const asking = wait(sessionId, 'asking', 45);
    await prompt(sessionId, '@ask well?');
    expect(await asking).toMatchObject({ reached: 'asking', stillRunning: true, activityState: 'asking' });
  });

  it('counts queued prompts as not finished', async () => {
    const { sessionId } = await atWork();
    await prompt(sessionId, '@say queued');
    await c.client.call('sessions.stop', { sessionId });
    expect(await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 0 })).toMatchObject({
      reached: null,
      stillRunning: true,
    });
  });
});
