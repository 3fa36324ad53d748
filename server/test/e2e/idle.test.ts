import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { killServer } from './support/kill.ts';
import { type AgentHandle, startRoot, transcriptOf } from './support/root.ts';

let c: TestConsole;
let parent: AgentHandle;
beforeAll(async () => {
  c = await startConsole();
  parent = await startRoot(c);
});
afterAll(() => c.close());

/** Nothing is paused by itself; ended for each test, which begins when its sessions are as it wants them. */
const setIdlePause = (seconds: number) => c.client.call('settings.update', { idlePauseMinutes: seconds / 60 });
beforeAll(() => setIdlePause(0));
afterEach(() => setIdlePause(0));
const SOON = 0.3;

type Child = Awaited<ReturnType<typeof delegate>>;

const get = (sessionId: string) => c.client.call('sessions.get', { sessionId });
const taskOf = (taskId: string) => c.client.call('tasks.get', { taskId });
const prompt = (sessionId: string, text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });
const workerOf = (workerId: string) => c.client.call('workers.get', { workerId });

const delegate = (text: string, by = parent.client, agentId = 'scripted') =>
  by.call('delegations.create', { prompt: text, agentId });

const taskEnds = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await taskOf(taskId);
    return task.endedAt !== null && task;
  });

/** A delegated session that has reported; it may be paused already when that is to happen soon. */
async function reported(text = 'first words'): Promise<Child> {
  const child = await delegate(`@say ${text}\n@report succeeded ${text}`);
  await taskEnds(child.taskId);
  return child;
}

/** The same, and its agent is idle; only while nothing is paused by itself. */
async function done(text?: string): Promise<Child> {
  const child = await reported(text);
  await idle(child);
  return child;
}

const idle = ({ workerId }: Pick<Child, 'workerId'>) =>
  c.until('an idle agent', async () => (await workerOf(workerId)).activityState === 'idle');

const isPaused = ({ sessionId }: Pick<Child, 'sessionId'>) =>
  c.until('a paused session', async () => {
    const session = await get(sessionId);
    return session.status === 'paused' && session;
  });

const hasNoProcess = ({ workerId }: Pick<Child, 'workerId'>) =>
  c.until('the end of its process', async () => (await workerOf(workerId)).state === 'exited');

const heard = ({ sessionId }: Pick<Child, 'sessionId'>) =>
  transcriptOf(c, sessionId).flatMap(({ role, text }) => (role === 'user' ? [text?.split('\n')[0]] : []));

describe('a delegated session whose work is done', () => {
  it('is paused although the server was killed in the middle of it, and goes on afterwards', async () => {
    const child = await done('before');
    await setIdlePause(SOON);
    await isPaused(child);
    await killServer(c);
    await hasNoProcess(child);
    expect((await get(child.sessionId)).status).toBe('paused');
    await setIdlePause(0);
    const { taskId } = await prompt(child.sessionId, '@say after');
    expect(await taskEnds(taskId)).toMatchObject({ status: 'completed' });
    expect(heard(child)).toEqual(['@say before', '@say after']);
  });
});

/** A program that reports success for each line and goes on, with nothing in its terminal that says what it does. */
const PLAIN_AGENT = `
  const { AGENT_CONSOLE_BASE_URL: base, AGENT_CONSOLE_SESSION_ID: session } = process.env;
  process.stdin.on('data', () => fetch(base + '/api/sessions/' + session + '/result', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'succeeded', summary: 'done' }),
  }));`;

describe('a delegated session whose agent cannot resume a conversation', () => {
  it('is kept alive and shown as reclaimable, told once, until it has something to do again', async () => {
    await c.client.call('agents.create', {
      id: 'plain',
      name: 'Plain',
      command: [process.execPath, '-e', PLAIN_AGENT],
      queueWhenUnknown: 'send',
    });
    const child = await delegate('do it', parent.client, 'plain');
    expect(await taskEnds(child.taskId)).toMatchObject({ outcomeSource: 'report' });
    // A person says what its terminal does not: it took the prompt, and is done.
    for (const activityState of ['active', 'idle'] as const) {
      await c.client.call('workers.correctActivity', { workerId: child.workerId, activityState });
    }
    expect(await get(child.sessionId)).toMatchObject({ reclaimable: false });
    await setIdlePause(SOON);
    await c.until('a reclaimable session', async () => (await get(child.sessionId)).reclaimable);
    await isPaused(await reported());
    await killServer(c);
    await isPaused(await reported());
    expect(await get(child.sessionId)).toMatchObject({ status: 'idle', reclaimable: true });
    expect((await workerOf(child.workerId)).state).toBe('running');
    const { data } = await c.client.call('sessions.events', { sessionId: child.sessionId, limit: 200 });
    expect(data.filter(({ type }) => type === 'session.kept')).toHaveLength(1);
    await prompt(child.sessionId, 'more');
    expect(await get(child.sessionId)).toMatchObject({ reclaimable: false });
  });
});
