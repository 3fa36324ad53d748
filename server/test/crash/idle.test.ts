import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idleSessionsIn, SOON } from '../e2e/support/idle-sessions.ts';
import { killServer } from '../e2e/support/kill.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
let parent: AgentHandle;
beforeAll(async () => {
  c = await startConsole();
  parent = await startRoot(c);
});
afterAll(() => c.close());

const { setIdlePause, get, prompt, workerOf, delegate, taskEnds, reported, done, isPaused, hasNoProcess, heard } =
  idleSessionsIn(
    () => c,
    () => parent,
  );

// Idle sessions are paused only in tests that call `setIdlePause`.
beforeAll(() => setIdlePause(0));
afterEach(() => setIdlePause(0));

describe('a delegated session whose work is done', () => {
  it('is paused even if the server is killed meanwhile, and continues afterwards', async () => {
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

/**
 * An agent that reports success for each line of input and keeps running. Its terminal does not show whether it is
 * working.
 */
const PLAIN_AGENT = `
  const { AGENT_CONSOLE_BASE_URL: base, AGENT_CONSOLE_SESSION_ID: session } = process.env;
  process.stdin.on('data', () => fetch(base + '/api/sessions/' + session + '/result', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'succeeded', summary: 'done' }),
  }));`;

describe('a delegated session whose agent cannot resume a conversation', () => {
  it('is kept alive and shown as reclaimable, with a single event, until it gets work again', async () => {
    await c.client.call('agents.create', {
      id: 'plain',
      name: 'Plain',
      command: [process.execPath, '-e', PLAIN_AGENT],
      queueWhenUnknown: 'send',
    });
    const child = await delegate('do it', parent.client, 'plain');
    expect(await taskEnds(child.taskId)).toMatchObject({ outcomeSource: 'report' });
    // The terminal does not show the agent's activity, so a person states it: the agent accepted the prompt, and is
    // done.
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
