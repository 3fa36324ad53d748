import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillDisk, putInto, refuseWrite } from '../e2e/support/planted.ts';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { create, prompt, taskOf, finished, agentOf, taskBecomes, agentIs, atWork, said, outputHas, heard } = sessionsOf(
  () => c,
);

describe('tasks', () => {
  it('are cancelled while queued, and interrupted while running', async () => {
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

  it('that wait for an answer are cancelled without one', async () => {
    const sessionId = await create();
    const { taskId } = await prompt(sessionId, '@ask delete?\n@say deleted');
    await agentIs(sessionId, 'asking');
    const next = await prompt(sessionId, '@say next');
    await taskBecomes(taskId, 'awaiting_input');
    expect(await c.client.call('tasks.cancel', { taskId })).toMatchObject({ status: 'cancelled', waitingFor: null });
    await taskBecomes(next.taskId, 'completed');
    expect(await said(sessionId)).not.toMatch(/answer:|^deleted/m);
  });

  it('that are queued can be moved, unless they changed meanwhile', async () => {
    const { sessionId, taskId } = await atWork();
    const [a, b, d] = [
      await prompt(sessionId, '@say a'),
      await prompt(sessionId, '@say b'),
      await prompt(sessionId, '@say d'),
    ];
    const move = async (id: string, after: string | null) =>
      c.client.call('tasks.move', { taskId: id, after, expectedVersion: (await taskOf(id)).version });
    // Each move halves the distance between the stored positions. After some 50 moves, the queue must be renumbered.
    for (let turn = 0; turn < 28; turn++) {
      await move(d.taskId, a.taskId);
      expect(await move(b.taskId, a.taskId)).toMatchObject({ queuePosition: 2 });
    }
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

  it("wait until a person's unfinished line is finished", async () => {
    const sessionId = await create();
    const agent = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await agentIs(sessionId, 'idle');
    await c.client.call('workers.input', { workerId: agent.id, data: 'half a li' });
    const { taskId } = await prompt(sessionId, '@say mine');
    const held = await c.until('a held prompt', async () => {
      const task = await taskOf(taskId);
      return task.blocked !== null && task;
    });
    expect(held).toMatchObject({ status: 'running', blocked: 'a person is typing in the terminal' });
    const shown = await c.client.call('sessions.get', { sessionId });
    expect(shown.held).toMatchObject({ taskId, reason: held.blocked });
    const list = await runInProcess(['--url', c.baseUrl, 'sessions', 'list'], {});
    const row = list.out.split('\n').find((line) => line.startsWith(sessionId.slice(0, 13)));
    expect(row).toMatch(/\tblocked\t.*\t\d+s$/);
    await c.client.call('workers.input', { workerId: agent.id, data: '\x15' });
    await finished(sessionId);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed', blocked: null });
    expect((await c.client.call('sessions.get', { sessionId })).held).toBeNull();
    expect(heard(sessionId)).toEqual(['@say mine']);
  });

  it('are sent nevertheless if a person requests it', async () => {
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
  it('to an agent that asks a question do not answer it', async () => {
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
});

describe('workers', () => {
  it('of type agent exist once per session; ending one cancels its task', async () => {
    const { sessionId, taskId, agent } = await atWork();
    expect((await c.client.call('workers.create', { sessionId, type: 'agent' })).id).toBe(agent.id);
    expect(await c.client.call('workers.remove', { workerId: agent.id })).toMatchObject({ state: 'exited' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled', outcomeSource: 'person' });
    const again = await c.client.call('workers.restart', { workerId: agent.id });
    expect(again).toMatchObject({ type: 'agent', state: 'running' });
    await outputHas(again.id, 'resumed');
  });

  it('that have ended can be ended again, which does not affect the task of their successor', async () => {
    const { sessionId, agent } = await atWork();
    await c.client.call('workers.remove', { workerId: agent.id });
    const { taskId } = await prompt(sessionId, '@sleep 600000');
    await agentIs(sessionId, 'active');
    expect(await c.client.call('workers.remove', { workerId: agent.id })).toMatchObject({ state: 'exited' });
    expect(await taskOf(taskId)).toMatchObject({ status: 'running' });
    await c.client.call('sessions.stop', { sessionId });
  });

  it('can be corrected by a person, until their next signal', async () => {
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
  it('ends at once if the state is already reached, and without an error at the timeout', async () => {
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

  it('counts queued prompts as unfinished', async () => {
    const { sessionId } = await atWork();
    await prompt(sessionId, '@say queued');
    await c.client.call('sessions.stop', { sessionId });
    expect(await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 0 })).toMatchObject({
      reached: null,
      stillRunning: true,
    });
  });
});

describe('an agent', () => {
  it('keeps its task if its start can be stored only after the disk has space again', async () => {
    const sessionId = await create();
    const free = fillDisk(c, { event: 'update', table: 'workers', when: "new.state = 'running'" });
    const { taskId } = await prompt(sessionId, '@say works');
    const workerId = await c.until('the process', async () => {
      const [worker] = (await c.client.call('sessions.workers', { sessionId })).data;
      return worker !== undefined && c.runner.list().some(({ workerId }) => workerId === worker.id) && worker.id;
    });
    expect(await taskOf(taskId)).toMatchObject({ status: 'running' });
    free();
    await finished(sessionId);
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed' });
    expect(await agentOf(sessionId)).toMatchObject({ id: workerId, state: 'running' });
  });

  it('that must still be started does not delay the start of the server while the disk is full', async () => {
    const sessionId = await create();
    const { id } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await c.client.call('workers.remove', { workerId: id });
    putInto(c, ["update workers set state = 'starting' where id = ?", id]);
    const free = fillDisk(c, { event: 'insert', table: 'tokens', when: 'true' });
    await c.restart();
    expect(await agentOf(sessionId)).toMatchObject({ id, state: 'starting' });
    free();
    await c.until('its start', async () => (await agentOf(sessionId)).state === 'running');
  });

  it('is watched again after its definition could not be read at the start of the server', async () => {
    await c.client.call('agents.create', { id: 'own', name: 'Own', command: ['cat'] });
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'own' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    putInto(c, ["update agents set command = 'unreadable' where id = ?", 'own']);
    await c.restart();
    putInto(c, [`update agents set command = '["cat"]' where id = ?`, 'own']);
    c.runner.kill(workerId);
    await c.until('the end of the agent', async () => (await agentOf(sessionId)).state === 'exited');
  });
});

describe('a worker whose start the next server repeats', () => {
  it('says where to find the reason if the start fails unexpectedly', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { id } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await c.client.call('workers.remove', { workerId: id });
    putInto(c, ['update workers set state = ?, "endedAt" = null where id = ?', 'starting', id]);
    const allow = refuseWrite(c, { event: 'update', table: 'workers', when: "new.state = 'running'" });
    await c.restart();
    const { warnings } = await c.until('the failed start', async () => {
      const worker = await c.client.call('workers.get', { workerId: id });
      return worker.state === 'exited' && worker;
    });
    allow();
    expect(warnings).toEqual([expect.stringContaining('See the server log')]);
    await c.until('the error in the log', async () => {
      const log = readFileSync(join(c.home, 'server.log'), 'utf8').split('\n');
      return log.some((line) => line.includes(id) && line.includes('planted failure'));
    });
  });
});
