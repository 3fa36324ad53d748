import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idleSessionsIn, SOON } from '../e2e/support/idle-sessions.ts';
import { refuseWrite } from '../e2e/support/planted.ts';
import { type AgentHandle, startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker } from '../support/calling.ts';

let c: InProcessApp;
let parent: AgentHandle;
/** Milliseconds by which the server's clock is ahead. */
let ahead = 0;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(Date.now() + ahead) });
  parent = await startRoot(c);
});
afterAll(() => c.close());

const { setIdlePause, get, prompt, workerOf, delegate, taskEnds, done, isPaused, hasNoProcess, heard } = idleSessionsIn(
  () => c,
  () => parent,
);

// Idle sessions are paused only in tests that call `setIdlePause`.
beforeAll(() => setIdlePause(0));
afterEach(() => setIdlePause(0));

const MINUTE = 60_000;

const type = (workerId: string, data: string) => c.client.call('workers.input', { workerId, data });
const taskOf = (taskId: string) => c.client.call('tasks.get', { taskId });

describe('an idle delegated session', () => {
  it('is paused after the time in the setting, and a prompt continues its conversation', async () => {
    const child = await done('apple');
    await setIdlePause(SOON);
    await isPaused(child);
    await hasNoProcess(child);
    const { data } = await c.client.call('sessions.events', { sessionId: child.sessionId, limit: 200 });
    expect(
      data.filter(({ type }) => type === 'session.paused').map(({ actor, data }) => [actor, data.pausedBy]),
    ).toEqual([['system', 'idle']]);
    await setIdlePause(0);
    const { taskId } = await prompt(child.sessionId, '@say pear');
    expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
    expect(heard(child)).toEqual(['@say apple', '@say pear']);
    const session = await get(child.sessionId);
    expect(session.workers.map(({ state }) => state)).toEqual(['exited', 'running']);
    expect(session).toMatchObject({ status: 'idle', reclaimable: false });
  });

  it('is resumed by the notice of a task it delegated, which does not keep it running', async () => {
    const child = await done('orchestrate');
    const grandchild = await delegate('@sleep 600000', asWorker(c, child.workerId));
    await setIdlePause(SOON);
    await isPaused(child);
    await hasNoProcess(child);
    expect((await taskOf(grandchild.taskId)).status).toBe('running');
    await setIdlePause(0);
    await c.client.call('sessions.stop', { sessionId: grandchild.sessionId });
    const notice = await c.until('a delivered notice', async () => {
      const notices = (await c.client.call('sessions.notices', { sessionId: child.sessionId })).data;
      return notices.find(({ state }) => state === 'delivered');
    });
    expect(notice).toMatchObject({ kind: 'ended', status: 'cancelled', about: { sessionId: grandchild.sessionId } });
    const told = transcriptOf(c, child.sessionId).filter(({ role }) => role === 'user');
    expect(told).toHaveLength(2);
    expect(told[1]?.text).toContain(grandchild.sessionId.slice(0, 18));
  });

  it.each([
    ['and it was idle', true],
    ['while its agent was live', false],
  ])('is resumed by that notice too if its budget was used up in between %s', async (_, wasPaused) => {
    const child = await done('orchestrate');
    const { sessionId } = child;
    const grandchild = await delegate('@sleep 600000', asWorker(c, child.workerId));
    if (wasPaused) {
      await setIdlePause(SOON);
      await isPaused(child);
      await setIdlePause(0);
    }
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_600 } });
    ahead += 3_700_000;
    // Changing the budget makes the console check the budget at once, instead of in an hour.
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_601 } });
    await c.until('the used-up budget', async () => (await get(sessionId)).pausedBy === 'budget');
    await hasNoProcess(child);
    await c.client.call('sessions.update', { sessionId, budget: null });
    await c.client.call('tasks.cancel', { taskId: grandchild.taskId });
    await c.until('a delivered notice', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId });
      return data.some(({ state, about }) => state === 'delivered' && about.sessionId === grandchild.sessionId);
    });
    await c.client.call('sessions.stop', { sessionId: grandchild.sessionId });
  });

  it('is not paused while its agent works, also after its report, and other sessions never are', async () => {
    const early = await delegate('@report succeeded early\n@sleep 600000');
    await taskEnds(early.taskId);
    const working = await delegate('@sleep 600000');
    const witness = await done();
    await setIdlePause(SOON);
    await isPaused(witness);
    for (const { sessionId, workerId } of [early, working, parent]) {
      expect((await get(sessionId)).status).not.toBe('paused');
      expect((await workerOf(workerId)).state).toBe('running');
    }
  });

  it("is not paused while its terminal has a person's unfinished line", async () => {
    const [child, witness] = await Promise.all([done(), done()]);
    await type(child.workerId, 'half a line');
    await setIdlePause(SOON);
    await isPaused(witness);
    expect((await get(child.sessionId)).status).toBe('idle');
    await type(child.workerId, '\x15');
    await isPaused(child);
  });

  it('is not paused while a person navigates in its terminal', async () => {
    const child = await done();
    const other = await done();
    ahead += 6 * MINUTE;
    await type(child.workerId, '\x1b[A');
    ahead += 6 * MINUTE;
    await setIdlePause(600);
    await isPaused(other);
    expect((await get(child.sessionId)).status).toBe('idle');
    ahead += 6 * MINUTE;
    await setIdlePause(601);
    await isPaused(child);
  });

  it('is paused after a restart if it became idle before', async () => {
    const child = await done();
    await setIdlePause(1);
    await c.restart();
    await isPaused(child);
  });
});

describe('a prompt to a paused session whose agent is still being ended', () => {
  const MANY = 4;

  it('does not reach that agent and is not delayed, but runs in a new process', async () => {
    const children = await Promise.all(Array.from({ length: MANY }, () => done('one')));
    await setIdlePause(SOON);
    const prompts = children.map(async (child) => {
      await isPaused(child);
      return prompt(child.sessionId, '@say two');
    });
    for (const { taskId } of await Promise.all(prompts)) {
      expect(await taskEnds(taskId)).toMatchObject({ status: 'completed', error: null });
    }
    for (const child of children) expect(heard(child)).toEqual(['@say one', '@say two']);
  });

  it('runs also when a person had paused or stopped the session', async () => {
    for (const verb of ['sessions.pause', 'sessions.stop'] as const) {
      const child = await done(verb);
      const resting = c.client.call(verb, { sessionId: child.sessionId });
      await c.until('its mark', async () => (await get(child.sessionId)).status !== 'idle');
      const { taskId } = await prompt(child.sessionId, '@say on');
      await resting;
      expect(await taskEnds(taskId)).toMatchObject({ status: 'completed', error: null });
      expect(heard(child)).toEqual([`@say ${verb}`, '@say on']);
    }
  });

  it('is like a resume, which also waits for the end and starts another process', async () => {
    const child = await done('resume');
    await setIdlePause(SOON);
    await isPaused(child);
    await setIdlePause(0);
    const session = await c.client.call('sessions.resume', { sessionId: child.sessionId });
    expect(session.workers.map(({ state }) => state)).toEqual(['exited', 'running']);
    expect(session.status).toBe('idle');
  });
});

describe('a session marked completed', () => {
  it('by its agent keeps the mark after its idle process was ended, and a prompt continues the session', async () => {
    const own = await startRoot(c, { prompt: '@say apple' });
    const { sessionId } = own;
    await own.client.call('sessions.update', { sessionId, status: 'completed', title: 'Apples' });
    expect((await workerOf(own.workerId)).state).toBe('running');
    await setIdlePause(SOON);
    await hasNoProcess(own);
    await c.restart();
    expect(await get(sessionId)).toMatchObject({ status: 'completed', title: 'Apples' });
    await setIdlePause(0);
    await expect(own.client.call('sessions.get', { sessionId })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const running = c.client.call('sessions.update', { sessionId, status: 'running' });
    await expect(running).rejects.toMatchObject({ code: 'CONFLICT' });
    const { taskId } = await prompt(sessionId, '@say pear');
    expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
    expect(heard(own)).toEqual(['@say apple', '@say pear']);
    expect((await get(sessionId)).status).toBe('idle');
    await c.client.call('sessions.stop', { sessionId });
  });

  it('before its agent could start for a prompt continues after a restart', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const allow = refuseWrite(c, { event: 'insert', table: 'workers' });
    const { taskId } = await prompt(sessionId, '@say pear');
    await c.client.call('sessions.update', { sessionId, status: 'completed' });
    await c.restart();
    allow();
    expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
    await c.client.call('sessions.stop', { sessionId });
  });

  it('is no longer paused when its status is set again, which does not end its current task', async () => {
    const own = await startRoot(c, { prompt: '@say apple' });
    const { sessionId } = own;
    await c.client.call('sessions.update', { sessionId, status: 'failed' });
    await setIdlePause(SOON);
    await hasNoProcess(own);
    await setIdlePause(0);
    await c.client.call('sessions.update', { sessionId, status: 'idle' });
    const { taskId } = await prompt(sessionId, '@sleep 1000\n@say pear');
    await c.client.call('sessions.update', { sessionId, status: 'completed' });
    expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
    const { workers, status } = await get(sessionId);
    expect([status, ...workers.map(({ state }) => state)]).toEqual(['completed', 'exited', 'running']);
    await c.client.call('sessions.stop', { sessionId });
  });
});
