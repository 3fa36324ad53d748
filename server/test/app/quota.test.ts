import type { Task } from '@agent-console/shared/models/task';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

let c: InProcessApp;
let ahead = 0;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(Date.now() + ahead) });
});
afterAll(() => c.close());

/**
 * Returns the argument of `@quota` for a limit that is reset `hours` after the server's current time. The server's
 * clock is ahead of that of the agents.
 */
const reset = (hours: number) => Math.ceil(ahead / 1_000) + hours * 3_600;

const task = (taskId: string) => c.client.call('tasks.get', { taskId });

function waiting(taskId: string): Promise<Task> {
  return c.until('the task waits for the quota', async () => {
    const now = await task(taskId);
    return now.waitingFor === 'quota' ? now : undefined;
  });
}

function ended(taskId: string): Promise<Task> {
  return c.until('the task has ended', async () => {
    const now = await task(taskId);
    return now.endedAt === null ? undefined : now;
  });
}

/**
 * Advances the server's clock to the end of the task's wait. Updates the session, so that the console reads the clock
 * again.
 */
async function passUntilReset({ sessionId, waitingUntil }: Task): Promise<void> {
  ahead = Date.parse(waitingUntil ?? '') - Date.now();
  await c.client.call('sessions.update', { sessionId, title: 'Later' });
}

async function promptsOf(sessionId: string): Promise<string[]> {
  const { messages = [] } = await c.client.call('sessions.get', { sessionId, includeMessages: true });
  return messages.flatMap(({ role, parts }) => (role === 'agent' ? [] : parts.map((part) => String(part.text))));
}

it('a task is continued once after the reset, and other work of its session waits', async () => {
  const made = await c.client.call('sessions.prompt', {
    sessionId: (await startRoot(c)).sessionId,
    prompt: `@say one\n@quota ${reset(1)}\n@say two`,
  });
  const before = await waiting(made.taskId);
  expect(before.status).toBe('awaiting_input');
  const wait = Date.parse(before.waitingUntil ?? '') - Date.now() - ahead;
  expect(wait).toBeGreaterThan(3_500_000);
  const queued = await c.client.call('sessions.prompt', { sessionId: made.sessionId, prompt: '@say later' });
  expect(queued).toMatchObject({ queued: true });
  await passUntilReset(before);
  expect(await ended(made.taskId)).toMatchObject({ status: 'completed', summary: 'two', waitingUntil: null });
  expect(await ended(queued.taskId)).toMatchObject({ status: 'completed' });
  const continued = (await promptsOf(made.sessionId)).filter((text) => text.includes('usage limit'));
  expect(continued).toHaveLength(1);
});

it('a task that reaches the limit again fails with the reason', async () => {
  const { sessionId } = await startRoot(c);
  const made = await c.client.call('sessions.prompt', { sessionId, prompt: `@quota ${reset(1)}\n@quota ${reset(4)}` });
  await passUntilReset(await waiting(made.taskId));
  const end = await ended(made.taskId);
  expect(end).toMatchObject({ status: 'failed' });
  expect(end.error?.message).toContain('usage limit');
});

it.each([0, 1])('a task whose agent exits with code %i while it waits fails, and says so', async (code) => {
  const { sessionId, workerId } = await startRoot(c);
  const made = await c.client.call('sessions.prompt', { sessionId, prompt: `@quota ${reset(1)}` });
  await waiting(made.taskId);
  await c.client.call('workers.input', { workerId, data: `@exit ${code}\r` });
  const end = await ended(made.taskId);
  expect(end).toMatchObject({ status: 'failed', outcomeSource: 'exit' });
  expect(end.error?.message).toContain(`exited with code ${code} while it waited for the reset of its usage limit`);
});

it('a limit that is reset after more than a week ends the task', async () => {
  const { sessionId } = await startRoot(c);
  const made = await c.client.call('sessions.prompt', { sessionId, prompt: '@quota 999999' });
  expect(await ended(made.taskId)).toMatchObject({ status: 'failed', waitingUntil: null });
});

it.each(['scripted', 'scripted-acp'])(
  'the parent gets one notice that its %s child waits, and one of how it ended',
  async (agentId) => {
    const root = await startRoot(c);
    const child = await root.client.call('delegations.create', {
      agentId,
      prompt: `@quota ${reset(1)}\n@report succeeded all done`,
    });
    const before = await waiting(child.taskId);
    await c.restart();
    await passUntilReset(before);
    expect(await ended(child.taskId)).toMatchObject({ status: 'completed', summary: 'all done' });
    const { data } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
    expect(data.map(({ kind }) => kind).sort()).toEqual(['ended', 'waiting']);
    expect(data.find(({ kind }) => kind === 'waiting')?.summary).toContain(before.waitingUntil);
  },
);

it('an agent of an orchestration says why it waits, and the time does not count', async () => {
  const { id } = await c.client.call('orchestrations.create', {
    objective: 'Build the shop',
    repositoryId: c.repository.id,
    start: true,
    agents: [
      {
        role: 'engineer',
        agenticTool: 'scripted',
        task: `@quota ${reset(2)}\n@report succeeded built`,
        timeoutSeconds: 3_600,
      },
    ],
  });
  const agent = await c.until('the agent waits', async () => {
    const { agents } = await c.client.call('orchestrations.get', { orchestrationId: id });
    return agents[0]?.reason === 'quota' ? agents[0] : undefined;
  });
  await passUntilReset(await task(agent.taskId ?? ''));
  const end = await c.until('the orchestration has ended', async () => {
    const now = await c.client.call('orchestrations.get', { orchestrationId: id });
    return now.completedAt === null ? undefined : now;
  });
  expect(end).toMatchObject({ state: 'completed', agents: [{ state: 'completed', reason: null, summary: 'built' }] });
});

it('the session that created an orchestration gets one notice that an agent waits, and one of the end', async () => {
  const root = await startRoot(c);
  const { id } = await root.client.call('orchestrations.create', {
    objective: 'Build the shop',
    start: true,
    agents: [{ role: 'engineer', agenticTool: 'scripted', task: `@quota ${reset(1)}\n@report succeeded built` }],
  });
  const agent = await c.until('the agent waits', async () => {
    const { agents } = await c.client.call('orchestrations.get', { orchestrationId: id });
    return agents[0]?.reason === 'quota' ? agents[0] : undefined;
  });
  const before = await task(agent.taskId ?? '');
  await passUntilReset(before);
  await c.until('the orchestration has ended', async () => {
    const now = await c.client.call('orchestrations.get', { orchestrationId: id });
    return now.completedAt !== null;
  });
  const { data } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
  expect(data.map(({ kind }) => kind).sort()).toEqual(['ended', 'waiting']);
  const waits = data.find(({ kind }) => kind === 'waiting');
  expect(waits?.about).toMatchObject({ sessionId: agent.sessionId, taskId: agent.taskId });
  expect(waits?.summary).toContain(before.waitingUntil);
  expect(waits?.summary).toContain('when its orchestration ends');
});
