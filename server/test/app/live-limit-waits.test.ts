import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { idleSessionsIn, SOON } from '../e2e/support/idle-sessions.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
let root: AgentHandle;
let ahead = 0;
/** The time at which the server's clock stands still; null while it goes on. */
let stopped: number | null = null;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(stopped ?? Date.now() + ahead) });
  root = await startRoot(c);
  await setIdlePause(0);
});
afterAll(() => c.close());
afterEach(() => c.client.call('settings.update', { liveSessions: 50, idlePauseMinutes: 0 }));

const { setIdlePause, get, prompt, delegate, taskEnds, done, isPaused, hasNoProcess } = idleSessionsIn(
  () => c,
  () => root,
);

const REASON = /^at most \d+ sessions may be live \(setting liveSessions\)/;
const live = async () => (await c.client.call('sessions.list', { live: true, limit: 1 })).total;
const stop = (sessionId: string) => c.client.call('sessions.stop', { sessionId });

async function inboxItemOf(sessionId: string) {
  const { data } = await c.client.call('inbox.list', {});
  return data.find((item) => item.sessionId === sessionId);
}

/** Sets the limit of live sessions to the number of sessions that are live now. */
async function fill(): Promise<number> {
  const liveSessions = await live();
  await c.client.call('settings.update', { liveSessions });
  return liveSessions;
}

/** Waits until the session says why its queue waits. Returns the session. */
const waits = (sessionId: string) =>
  c.until('a session that waits', async () => {
    const session = await get(sessionId);
    return session.held !== null && session;
  });

/** Returns a session that its budget has paused, without an agent and with a queued prompt. */
async function overBudget() {
  const { sessionId, workerId } = await delegate('@sleep 600000');
  await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_600 } });
  const { taskId } = await prompt(sessionId, '@say continued');
  ahead += 3_700_000;
  // Changing the budget makes the console check the budget at once, instead of in an hour.
  await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_601 } });
  await c.client.call('workers.remove', { workerId });
  await hasNoProcess({ workerId });
  return { sessionId, taskId: taskId ?? '' };
}

/** Holds the queue of a session, as after an exit of its agent. Notices are delivered nevertheless. */
const holdQueue = (sessionId: string) => store('queueHeld = 1', sessionId);

/** Changes the row of a session in the database. */
function store(columns: string, sessionId: string): void {
  const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
  database.prepare(`update sessions set ${columns} where id = ?`).run(sessionId);
  database.close();
}

it('a session whose budget is raised waits until another session ends', async () => {
  const other = await delegate('@sleep 600000');
  const { sessionId, taskId } = await overBudget();
  const limit = await fill();
  await c.client.call('sessions.update', { sessionId, budget: null });
  expect((await waits(sessionId)).held).toMatchObject({ taskId, reason: expect.stringMatching(REASON) });
  expect(await inboxItemOf(sessionId)).toMatchObject({ kind: 'blocked' });
  expect(await refusal(c.client.call('tasks.sendNow', { taskId }))).toMatchObject({ code: 'CONFLICT' });
  expect(await live()).toBe(limit);
  await stop(other.sessionId);
  expect(await taskEnds(taskId)).toMatchObject({ status: 'completed', blocked: null });
  await stop(sessionId);
});

it('a session whose budget is raised starts as soon as more sessions may be live', async () => {
  const { sessionId, taskId } = await overBudget();
  const limit = await fill();
  await c.client.call('sessions.update', { sessionId, budget: null });
  await waits(sessionId);
  // Before its time, the timer that checks the limit periodically does nothing. So only the change can start the agent.
  ahead -= 86_400_000;
  await c.client.call('settings.update', { liveSessions: limit + 1 });
  expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
  ahead += 86_400_000;
  await stop(sessionId);
});

it('a session starts at once if the one before it needs no agent, because its queue is held', async () => {
  const other = await delegate('@sleep 600000');
  const held = await overBudget();
  const { sessionId, taskId } = await overBudget();
  await fill();
  for (const each of [held.sessionId, sessionId]) {
    await c.client.call('sessions.update', { sessionId: each, budget: null });
    await waits(each);
  }
  store("queueHeld = 1, mark = 'paused', pausedBy = 'idle'", held.sessionId);
  // Without a clock, the timer that checks the limit periodically does nothing.
  stopped = Date.now() + ahead;
  try {
    await c.client.call('sessions.update', { sessionId: held.sessionId, title: 'Held' });
    await stop(other.sessionId);
    const started = await c.until('the start of the task', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.status !== 'queued' && task;
    });
    expect(started.status).toBe('running');
  } finally {
    stopped = null;
  }
  expect((await get(held.sessionId)).queued).toBe(1);
  await stop(held.sessionId);
  await stop(sessionId);
});

it('a session that waits shows no reason once a person pauses it, also if its queue was reordered', async () => {
  const { sessionId } = await overBudget();
  await fill();
  await c.client.call('sessions.update', { sessionId, budget: null });
  await waits(sessionId);
  const { taskId = '' } = await prompt(sessionId, '@say first');
  const { version } = await c.client.call('tasks.get', { taskId });
  await c.client.call('tasks.move', { taskId, after: null, expectedVersion: version });
  await c.until('the reason of the first prompt', async () => (await get(sessionId)).held?.taskId === taskId);
  await c.client.call('sessions.pause', { sessionId });
  await c.until('a session without a reason', async () => (await get(sessionId)).held === null);
  expect(await inboxItemOf(sessionId)).toBeUndefined();
  await stop(sessionId);
});

it('a session that waits cannot be started by a call either', async () => {
  const { sessionId } = await overBudget();
  await fill();
  await c.client.call('sessions.update', { sessionId, budget: null });
  await waits(sessionId);
  const refused = { code: 'LIMIT_EXCEEDED', details: { limit: 'liveSessions' } };
  for (const type of ['agent', 'terminal'] as const) {
    expect(await refusal(c.client.call('workers.create', { sessionId, type }))).toMatchObject(refused);
  }
  await stop(sessionId);
  expect(await refusal(c.client.call('sessions.resume', { sessionId }))).toMatchObject(refused);
});

it('a session that a notice resumes waits until another session ends, and then gets the notice', async () => {
  const child = await done('orchestrate');
  const grandchild = await delegate('@sleep 600000', asWorker(c, child.workerId));
  await setIdlePause(SOON);
  await isPaused(child);
  await hasNoProcess(child);
  await setIdlePause(0);
  holdQueue(child.sessionId);
  const limit = await fill();
  await c.client.call('tasks.cancel', { taskId: grandchild.taskId });
  const waiting = await waits(child.sessionId);
  expect(waiting).toMatchObject({ status: 'paused', queued: 1, held: { reason: expect.stringMatching(REASON) } });
  expect(await inboxItemOf(child.sessionId)).toMatchObject({ kind: 'blocked' });
  expect(await live()).toBe(limit);
  await stop(grandchild.sessionId);
  await c.until('the delivered notice', async () => {
    const { data } = await c.client.call('sessions.notices', { sessionId: child.sessionId });
    return data.some(({ state, about }) => state === 'delivered' && about.sessionId === grandchild.sessionId);
  });
  expect(await live()).toBeLessThanOrEqual(limit);
  await stop(child.sessionId);
});

it('the session of a new worktree waits with its prompt until another session ends', async () => {
  const other = await delegate('@sleep 600000');
  const limit = await fill();
  const prompt = '@report succeeded done';
  const fields = { repositoryId: c.repository.id, mode: 'custom', branch: 'beyond', autoStartSession: true } as const;
  const { worktree } = await c.client.call('worktrees.create', { ...fields, agentId: 'scripted', prompt, wait: true });
  const { data } = await c.client.call('sessions.list', { worktreeId: worktree?.id ?? '' });
  const waiting = await waits(data[0]?.id ?? '');
  expect(waiting).toMatchObject({ queued: 1, held: { reason: expect.stringMatching(REASON) } });
  expect(await live()).toBe(limit);
  await stop(other.sessionId);
  expect(await taskEnds(waiting.held?.taskId ?? '')).toMatchObject({ status: 'completed' });
  await stop(waiting.id);
});

it('a waiting session can be pruned with its worktree after it was stopped', async () => {
  const child = await done('orchestrate');
  const { worktreeId } = await get(child.sessionId);
  const grandchild = await delegate('@sleep 600000', asWorker(c, child.workerId));
  await setIdlePause(SOON);
  await isPaused(child);
  await hasNoProcess(child);
  await setIdlePause(0);
  await fill();
  await c.client.call('tasks.cancel', { taskId: grandchild.taskId });
  await waits(child.sessionId);
  await stop(child.sessionId);
  await c.client.call('sessions.archive', { sessionId: child.sessionId });
  const { results } = await c.client.call('repositories.prune', {
    repositoryId: c.repository.id,
    worktreeIds: [worktreeId ?? ''],
  });
  expect(results).toMatchObject([{ error: null }]);
  await stop(grandchild.sessionId);
});

it('an agent of an orchestration is not continued beyond the limit in a waiting session', async () => {
  const { create, agentOf, workerOf } = orchestrationsIn(() => c);
  const { id } = await create([{ agentId: 'a', role: 'engineer', task: '@sleep 86400000' }], { start: true });
  const first = await workerOf(id, 'a');
  await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
  await hasNoProcess({ workerId: first.id });
  const { sessionId } = await agentOf(id, 'a');
  if (sessionId === null) throw new Error('The agent has no session.');
  const { taskId } = await prompt(sessionId, '@say hello');
  await taskEnds(taskId ?? '');
  const worker = await workerOf(id, 'a');
  const child = await delegate('@sleep 600000', asWorker(c, worker.id));
  await setIdlePause(SOON);
  await isPaused({ sessionId });
  await hasNoProcess({ workerId: worker.id });
  await setIdlePause(0);
  const limit = await fill();
  await c.client.call('tasks.cancel', { taskId: child.taskId });
  await waits(sessionId);
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  await c.until('the agent to wait', async () => /liveSessions/.test((await agentOf(id, 'a')).reason ?? ''));
  expect(await live()).toBeLessThanOrEqual(limit);
});
