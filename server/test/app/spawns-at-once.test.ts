import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

const TOGETHER = process.env.LONG ? 50 : 10;
/** Limit of live sessions in the first test, whose sessions would exceed the default of 50. */
const LIVE = 100;

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

it(`${TOGETHER} subsessions that a person starts concurrently are separate sessions with their own work`, {
  timeout: 180_000,
}, async () => {
  await c.client.call('settings.update', { liveSessions: LIVE });
  const { id: parentId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
  const prompts = Array.from({ length: TOGETHER }, (_, n) => `@report succeeded part ${n}`);
  const made = await Promise.all(
    prompts.map((prompt) => c.client.call('sessions.spawn', { sessionId: parentId, prompt })),
  );
  expect(new Set(made.map(({ sessionId }) => sessionId)).size).toBe(TOGETHER);
  expect(new Set(made.map(({ taskId }) => taskId)).size).toBe(TOGETHER);
  for (const [n, { sessionId, taskId }] of made.entries()) {
    const task = await c.until('the end of a task', async () => {
      const found = await c.client.call('tasks.get', { taskId });
      return found.endedAt !== null && found;
    });
    expect(task).toMatchObject({ sessionId, status: 'completed', summary: `part ${n}` });
  }
  const { genealogy } = await c.client.call('sessions.get', { sessionId: parentId });
  expect([...genealogy.children].sort()).toEqual(made.map(({ sessionId }) => sessionId).sort());
});

it('subsessions beyond the limit of live sessions are rejected and leave nothing', async () => {
  const { total: before } = await c.client.call('sessions.list', { limit: 1 });
  const { total: live } = await c.client.call('sessions.list', { live: true, limit: 1 });
  await c.client.call('settings.update', { liveSessions: Math.max(live, 1) });
  const { id: parentId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
  const refused = await refusal(c.client.call('sessions.spawn', { sessionId: parentId, prompt: '@say one too many' }));
  expect(refused.code).toBe('LIMIT_EXCEEDED');
  expect((await c.client.call('sessions.list', { limit: 1 })).total).toBe(before + 1);
});

const prompt = '@sleep 600000';
const starts: [string, (sessionId: string) => Promise<unknown>][] = [
  ['subsessions', (sessionId) => c.client.call('sessions.spawn', { sessionId, prompt })],
  [
    'new sessions',
    () => c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', initialPrompt: prompt }),
  ],
  ['prompts', (sessionId) => c.client.call('sessions.prompt', { sessionId, prompt })],
  ['messages', (sessionId) => c.client.call('sessions.message', { sessionId, message: prompt })],
  ['resumed sessions', (sessionId) => c.client.call('sessions.resume', { sessionId })],
  ['agents', (sessionId) => c.client.call('workers.create', { sessionId, type: 'agent' })],
  ['terminals', (sessionId) => c.client.call('workers.create', { sessionId, type: 'terminal' })],
];

it.each(starts)('%s that start at once stay within the limit of live sessions', async (_, start) => {
  await c.client.call('settings.update', { liveSessions: LIVE });
  const { data } = await c.client.call('sessions.list', { live: true, limit: 100 });
  for (const { id: sessionId } of data) await c.client.call('sessions.stop', { sessionId });
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })),
  );
  await c.client.call('settings.update', { liveSessions: 2 });
  const results = await Promise.allSettled(sessions.map(({ id }) => start(id)));
  const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toMatchObject(Array(3).fill({ code: 'LIMIT_EXCEEDED' }));
  await c.until('two live sessions', async () => {
    const { total } = await c.client.call('sessions.list', { live: true, limit: 1 });
    return total === 2;
  });
});

it('sessions whose resumption the limit refuses stay stopped', async () => {
  await c.client.call('settings.update', { liveSessions: LIVE });
  const { data } = await c.client.call('sessions.list', { live: true, limit: 100 });
  for (const { id: sessionId } of data) await c.client.call('sessions.stop', { sessionId });
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' })),
  );
  for (const { id: sessionId } of sessions) await c.client.call('sessions.stop', { sessionId });
  await c.client.call('settings.update', { liveSessions: 2 });
  await Promise.allSettled(sessions.map(({ id: sessionId }) => c.client.call('sessions.resume', { sessionId })));
  const after = await Promise.all(sessions.map(({ id: sessionId }) => c.client.call('sessions.get', { sessionId })));
  expect(after.filter(({ status }) => status === 'stopped')).toHaveLength(3);
});
