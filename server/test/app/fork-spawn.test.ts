import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, send, tokenOf } from '../support/calling.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const run = promisify(execFile);

let c: InProcessApp;
let counter = 0;
beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { liveSessions: 100, delegationChildren: 20, delegationDepth: 3 });
});
afterAll(() => c.close());

const get = (sessionId: string) => c.client.call('sessions.get', { sessionId });
const end = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });
const count = async () => (await c.client.call('sessions.list', { limit: 1 })).total;

/** Delegates a prompt to a new session with a running agent in its own worktree. */
async function delegated(prompt: string) {
  counter += 1;
  const given = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: `given-${counter}`,
    prompt,
  });
  return { ...given, tools: await openTools(c, tokenOf(c, given.workerId)) };
}

/** Like `delegated`, but also waits until the task has ended. */
async function done(prompt = '@say first words') {
  const given = await delegated(prompt);
  await end(given.taskId);
  return given;
}

const texts = async (sessionId: string) =>
  (await c.client.call('sessions.messages', { sessionId })).data.map(({ parts }) =>
    parts.map(({ text }) => text).join(),
  );

function heard(sessionId: string): string[] {
  const lines = readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const entry = line === '' ? {} : (JSON.parse(line) as { role?: string; text?: string });
    return entry.role === 'user' ? [entry.text ?? ''] : [];
  });
}

describe('a fork', () => {
  it('is another session in the same worktree, running at once, that knows the conversation', async () => {
    const parent = await done();
    const before = await get(parent.sessionId);
    const answer = await parent.tools.call('agor_sessions_prompt', {
      sessionId: parent.sessionId,
      prompt: '@recall 1',
      notifyOnCompletion: false,
      mode: 'fork',
      title: 'Another way',
      taskId: parent.taskId,
    });
    expect(answer).toEqual({ sessionId: expect.any(String), taskId: expect.any(String), status: 'running' });
    const { sessionId, taskId } = answer as { sessionId: string; taskId: string };
    // The prompt comes from a session, so its task waits for a report. This agent sends no report, so the test cancels
    // the task.
    await c.until('what it recalls', async () => (await texts(sessionId)).includes('message 1: @say first words'));
    await c.client.call('tasks.cancel', { taskId });
    const fork = await get(sessionId);
    expect(fork).toMatchObject({
      title: 'Another way',
      agentId: 'scripted',
      worktreeId: before.worktreeId,
      gitState: { ref: before.gitState?.ref, currentSha: before.gitState?.currentSha },
      createdBySessionId: parent.sessionId,
      permissionConfig: { mode: before.permissionConfig.mode, ceiling: before.permissionConfig.ceiling },
      genealogy: {
        parentSessionId: null,
        forkedFromSessionId: parent.sessionId,
        forkPointTaskId: parent.taskId,
        spawnPointTaskId: null,
      },
    });
    const after = await get(parent.sessionId);
    expect(after.genealogy.children).toEqual([sessionId]);
    expect(after.tasks).toEqual(before.tasks);
    expect(heard(sessionId)).toEqual(['@say first words', '@recall 1']);
  });

  it('is the same by its own operation, tool and route', async () => {
    const parent = await done();
    const prompt = '@say hello';
    const rest = await send(c, 'POST', `/sessions/${parent.sessionId}/fork`, { prompt });
    expect(rest.status).toBe(201);
    expect(Object.keys(rest.body).sort()).toEqual(['sessionId', 'status', 'taskId', 'warnings']);
    const tool = await parent.tools.call('agor_sessions_fork', { prompt });
    const routed = await c.client.call('sessions.prompt', { sessionId: parent.sessionId, prompt, mode: 'fork' });
    const made = [rest.body, tool, routed].map(({ sessionId }) => String(sessionId));
    expect(new Set(made).size).toBe(3);
    for (const id of made) {
      expect((await get(id)).genealogy).toMatchObject({
        forkedFromSessionId: parent.sessionId,
        forkPointTaskId: parent.taskId,
      });
    }
    expect((await get(parent.sessionId)).genealogy.children).toEqual(made);
  });

  it('of a working session starts after its last finished turn, with a warning, without disturbing it', async () => {
    const { sessionId, taskId } = await done();
    const { taskId: running } = await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    await c.until('work', async () => (await get(sessionId)).workers.some((one) => one.activityState === 'active'));
    const before = await c.client.call('tasks.get', { taskId: running });
    const fork = await c.client.call('sessions.fork', { sessionId, prompt: '@say aside' });
    expect(fork.warnings).toEqual([expect.stringContaining(`after task ${taskId}`)]);
    expect(await end(fork.taskId)).toMatchObject({ status: 'completed', summary: 'aside' });
    expect(heard(fork.sessionId)).toEqual(['@say first words', '@say aside']);
    expect(await c.client.call('tasks.get', { taskId: running })).toEqual(before);
    await c.client.call('tasks.cancel', { taskId: running });
  });

  it('starts with the messages of its original, whose token use is not counted again', async () => {
    const { sessionId } = await done('@say one');
    for (const prompt of ['@say two', '@say three']) {
      await end((await c.client.call('sessions.prompt', { sessionId, prompt })).taskId);
    }
    const before = await texts(sessionId);
    expect(before).toEqual(['@say one', 'one', '@say two', 'two', '@say three', 'three']);
    // The fork's prompt has the same text as the first prompt, so only their positions in the transcript distinguish
    // them.
    const fork = await c.client.call('sessions.fork', { sessionId, prompt: '@say one' });
    const { usage } = await end(fork.taskId);
    expect(await texts(fork.sessionId)).toEqual([...before, '@say one', 'one']);
    const { data } = await c.client.call('sessions.messages', { sessionId: fork.sessionId });
    expect(data.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(data.map(({ taskId }) => taskId)).toEqual([...Array(6).fill(null), fork.taskId, fork.taskId]);
    const [first] = (await get(sessionId)).tasks;
    const alike = await c.client.call('tasks.get', { taskId: first?.id ?? '' });
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect(usage).toEqual(alike.usage);
    const again = await c.client.call('sessions.fork', { sessionId: fork.sessionId, prompt: '@say two' });
    await end(again.taskId);
    expect(await texts(again.sessionId)).toEqual([...before, '@say one', 'one', '@say two', 'two']);
    expect(await texts(sessionId)).toEqual(before);
  });

  it('at another point than the last finished turn is rejected, and so is a fork before the first turn', async () => {
    const { sessionId, taskId } = await done();
    const { taskId: second } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say two' });
    await end(second);
    const { taskId: running } = await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    const { taskId: queued } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say three' });
    const other = await done();
    const fresh = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const before = await count();
    const fork = (fields: object) => refusal(c.client.call('sessions.fork', { sessionId, prompt: 'x', ...fields }));
    expect(await fork({ taskId })).toMatchObject({
      code: 'UNSUPPORTED',
      details: { lastTaskId: second, hint: 'subsession' },
    });
    for (const unended of [running, queued]) {
      expect(await fork({ taskId: unended })).toMatchObject({
        code: 'UNSUPPORTED',
        details: { taskId: unended, lastTaskId: second },
      });
    }
    expect(await fork({ taskId: other.taskId })).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^taskId: /),
    });
    expect(await fork({ sessionId: fresh.id })).toMatchObject({ code: 'CONFLICT', details: { hint: 'subsession' } });
    expect(await count()).toBe(before);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('is UNSUPPORTED for agents that cannot fork, and by another agent, with a hint to use a subsession', async () => {
    await c.client.call('agents.create', { id: 'shell', name: 'Shell', command: ['sh'] });
    const shell = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'shell' });
    const { sessionId } = await done();
    for (const input of [{ sessionId: shell.id }, { sessionId, agentId: 'shell' }]) {
      expect(await refusal(c.client.call('sessions.fork', { prompt: 'x', ...input }))).toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('subsession'),
      });
    }
  });
});

describe('a subsession', () => {
  it('is a child with a new conversation, whose parent receives one notice of its end and nothing else', async () => {
    const parent = await delegated('@sleep 2000\n@say slept');
    const before = await get(parent.sessionId);
    const answer = await parent.tools.call('agor_sessions_prompt', {
      sessionId: parent.sessionId,
      prompt: '@report succeeded documented',
      mode: 'subsession',
      title: 'Docs',
      taskId: parent.taskId,
    });
    const { sessionId, taskId } = answer as { sessionId: string; taskId: string };
    const during = await get(parent.sessionId);
    expect(during.tasks).toEqual(before.tasks);
    expect(during.status).toBe('running');
    expect(await end(taskId)).toMatchObject({ status: 'completed', outcomeSource: 'report', summary: 'documented' });
    expect(await get(sessionId)).toMatchObject({
      title: 'Docs',
      worktreeId: before.worktreeId,
      depth: before.depth + 1,
      genealogy: { parentSessionId: parent.sessionId, forkedFromSessionId: null, spawnPointTaskId: parent.taskId },
    });
    expect(heard(sessionId)).toEqual(['@report succeeded documented']);
    await c.until('the notice', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId: parent.sessionId });
      return data.length === 1 && data[0]?.state === 'delivered' && data[0].about.taskId === taskId;
    });
    expect((await get(parent.sessionId)).tasks[0]).toMatchObject({ id: parent.taskId, status: 'completed' });
  });

  it('has the agent of its parent by default, and another one does not change the parent', async () => {
    await c.client.call('agents.create', { id: 'cat', name: 'Cat', command: ['cat'] });
    const { sessionId, tools } = await done();
    const same = await tools.call('agor_sessions_spawn', { prompt: '@say x' });
    const other = await tools.call('agor_sessions_spawn', { prompt: 'x', agenticTool: 'cat' });
    expect((await get(String(same.sessionId))).agentId).toBe('scripted');
    expect((await get(String(other.sessionId))).agentId).toBe('cat');
    expect((await get(sessionId)).agentId).toBe('scripted');
  });

  it('is awaited with sync, which returns the last message', async () => {
    const { sessionId } = await done();
    const answer = await c.client.call('sessions.spawn', {
      sessionId,
      prompt: '@say one\n@say last words',
      sync: true,
    });
    expect(answer).toMatchObject({ status: 'completed', summary: expect.stringContaining('last words') });
    expect(answer).not.toHaveProperty('timedOut');
  });

  it('is created once per idempotency key, and a repetition returns its current state', async () => {
    const { sessionId } = await done();
    const input = { sessionId, prompt: '@say once', idempotencyKey: 'the-same-one' };
    const first = await c.client.call('sessions.spawn', input);
    expect(first.status).toBe('running');
    await end(first.taskId);
    expect(await c.client.call('sessions.spawn', input)).toEqual({ ...first, status: 'completed' });
    expect((await get(sessionId)).genealogy.children).toEqual([first.sessionId]);
  });

  it('is created fifty times concurrently', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'shell' });
    const spawn = () => c.client.call('sessions.spawn', { sessionId: id, prompt: 'exit', agentId: 'cat' });
    const made = await Promise.all(Array.from({ length: 50 }, spawn));
    expect(new Set(made.map(({ sessionId }) => sessionId)).size).toBe(50);
    expect([...(await get(id)).genealogy.children].sort()).toEqual(made.map(({ sessionId }) => sessionId).sort());
    for (const { sessionId } of made) await c.client.call('sessions.stop', { sessionId });
  });

  it('is created by the command of the design, which prints the child and its state', async () => {
    const { sessionId } = await done();
    const command = (...args: string[]) =>
      run(process.execPath, [PROGRAM, '--url', c.baseUrl, ...args], { env: c.env }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
      );
    const plain = await command('session', 'subsession', sessionId, '--prompt', '@say x');
    const [child] = (await get(sessionId)).genealogy.children;
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain(child);
    expect(plain.stdout).toMatch(/running/);
    const json = await command('session', 'subsession', sessionId, '--prompt', '@say x', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ sessionId: expect.any(String), status: 'running' });
    expect(await command('session', 'subsession', '00000000-0000-7000-8000-000000000000', '--prompt', 'x')).toEqual({
      code: expect.any(Number),
      stdout: '',
    });
    expect((await command('session', 'subsession', sessionId)).code).not.toBe(0);
  });
});

describe('a prompt by tool', () => {
  it('continues the session: one more task, no more sessions, answered during the turn', async () => {
    const { sessionId, tools } = await done();
    const before = [await count(), (await get(sessionId)).tasks.length];
    const input = { sessionId, mode: 'continue', agenticTool: 'scripted' };
    const first = await tools.call('agor_sessions_prompt', { ...input, prompt: '@sleep 600000' });
    expect(first).toEqual({ success: true, taskId: expect.any(String) });
    const second = await tools.call('agor_sessions_prompt', { ...input, prompt: '@say next' });
    expect(second).toEqual({ success: true, taskId: expect.any(String), queued: true, queue_position: 1 });
    expect([await count(), (await get(sessionId)).tasks.length]).toEqual([before[0], (before[1] ?? 0) + 2]);
    await c.client.call('sessions.stop', { sessionId });
  });

  const REFUSED: [string, Record<string, unknown>, string, RegExp][] = [
    ['no mode', { mode: undefined }, 'VALIDATION', /^mode: is required/],
    ['an unknown mode', { mode: 'x' }, 'VALIDATION', /mode: .*continue.*fork.*subsession/],
    ['a blank prompt', { prompt: ' ' }, 'VALIDATION', /^prompt: /],
    ['another agent', { agenticTool: 'codex' }, 'VALIDATION', /cannot change its agent/],
    ['an unknown agent', { agenticTool: 'nobody' }, 'VALIDATION', /claude-code, codex/],
    ['an unknown agent to fork', { mode: 'subsession', agenticTool: 'nobody' }, 'VALIDATION', /claude-code, codex/],
    ['a title', { title: 'x' }, 'VALIDATION', /^title: is only accepted with mode fork/],
    ['a permission mode', { permissionMode: 'plan' }, 'VALIDATION', /^permissionMode: /],
    ['an unknown session', { sessionId: '00000000-0000-7000-8000-000000000000' }, 'NOT_FOUND', /not found/],
  ];
  it.each(REFUSED)('with %s is rejected', async (_, fields, code, message) => {
    const { sessionId, tools } = await known;
    const call = tools.call('agor_sessions_prompt', { sessionId, prompt: 'x', mode: 'continue', ...fields });
    expect(await refusal(call)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
  let known: ReturnType<typeof done>;
  beforeAll(async () => {
    known = done();
    await known;
  });

  it('reports where the session is placed when a zone is provided', async () => {
    const { tools } = await known;
    expect(await refusal(tools.call('agor_sessions_spawn', { prompt: 'x', zoneId: 'z' }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('agor_worktrees_update'),
    });
  });
});

describe('followers', () => {
  it('are informed of a fork and of a subsession with both ids', async () => {
    const { sessionId } = await done();
    const spawned = await c.client.call('sessions.spawn', { sessionId, prompt: '@say x' });
    const forked = await c.client.call('sessions.fork', { sessionId, prompt: '@say x' });
    const seen = await c.events(0, ({ data }) => data.childSessionId === forked.sessionId);
    const genealogy = seen.filter(({ alias }) => alias === 'genealogy');
    expect(genealogy.filter(({ type }) => type !== 'task.ended').slice(-2)).toMatchObject([
      { type: 'session.spawned', data: { parentSessionId: sessionId, childSessionId: spawned.sessionId } },
      { type: 'session.forked', data: { forkedFromSessionId: sessionId, childSessionId: forked.sessionId } },
    ]);
    const ended = await c.events(0, ({ type, subject }) => type === 'task.ended' && subject.id === forked.taskId);
    expect(ended.at(-1)).toMatchObject({
      alias: 'genealogy',
      data: { forkedFromSessionId: sessionId, childSessionId: forked.sessionId, status: 'completed' },
    });
    const own = ended.filter(({ type, data }) => type === 'task.ended' && data.sessionId === sessionId);
    expect(own.map(({ alias }) => alias)).toEqual(own.map(() => undefined));
  });
});
