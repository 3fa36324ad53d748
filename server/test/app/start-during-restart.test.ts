import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { tokenOf } from '../support/calling.ts';

/** Lets the runner start programs; until then, all starts wait. */
let allowStarts: () => void;
let c: InProcessApp;
beforeAll(async () => {
  const allowed = new Promise<void>((resolve) => {
    allowStarts = resolve;
  });
  c = await startTestApp({ beforeStart: () => allowed });
});
afterAll(() => c.close());

it('keeps the token of an agent that the runner was starting when the server restarted', async () => {
  const { id: sessionId } = await c.client.call('sessions.create', {
    cwd: c.repository.path,
    agentId: 'scripted',
  });
  const started = c.client.call('workers.create', { sessionId, type: 'agent' }).catch(() => undefined);
  const agent = await c.until('the worker of the agent', async () => {
    const [worker] = (await c.client.call('sessions.workers', { sessionId })).data;
    return worker;
  });
  const token = () => {
    try {
      return tokenOf(c, agent.id);
    } catch {
      return undefined;
    }
  };
  const first = await c.until('the first token', () => token());
  await c.restart();
  await started;
  // The new server requests the start again with a new token, but the runner continues the first start.
  await c.until('the second token', () => token() !== first);
  allowStarts();
  await c.until('the agent to run', async () => {
    const { state } = await c.client.call('workers.get', { workerId: agent.id });
    return state === 'running';
  });
  const asAgent = createClient({ baseUrl: c.baseUrl, token: first, insideWorker: true });
  expect(await asAgent.call('users.current', {})).toMatchObject({ sessionId });
});
