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
