import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

type Agents = RequestOf<'orchestrations.create'>['agents'];
type Options = Partial<RequestOf<'orchestrations.create'>>;

/** Task that the scripted agent reports at once. */
const done = (summary: string) => `@report succeeded ${summary}`;

function create(agents: Agents, options: Options = {}): Promise<OrchestrationStatus> {
  const given = agents.map((agent) => ({ agenticTool: 'scripted', ...agent }));
  return c.client.call('orchestrations.create', {
    objective: 'Build the shop',
    repositoryId: c.repository.id,
    ...options,
    agents: given,
  });
}

/** Resolves with the orchestration once it is in a final state. */
async function ended(id: string): Promise<OrchestrationStatus> {
  return c.until('the orchestration has ended', async () => {
    const status = await c.client.call('orchestrations.get', { orchestrationId: id });
    return ['completed', 'failed', 'cancelled'].includes(status.state) ? status : undefined;
  });
}

async function eventsOf(orchestrationId: string) {
  const { data } = await c.client.call('orchestrations.events', { orchestrationId, limit: 500 });
  return data;
}

const states = ({ agents }: OrchestrationStatus) =>
  Object.fromEntries(agents.map((each) => [each.agentId, each.state]));

describe('an orchestration', () => {
  it('is created with its agents and folders, and starts nothing', async () => {
    const made = await create([
      { role: 'engineer', task: done('one') },
      { role: 'engineer', task: done('two') },
    ]);
    expect(made).toMatchObject({
      objective: 'Build the shop',
      strategy: 'parallel',
      state: 'created',
      agentCount: 2,
      progress: 0,
      startedAt: null,
    });
    expect(made.agents.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['engineer-1', 'pending'],
      ['engineer-2', 'pending'],
    ]);
    for (const folder of ['context', 'messages/inbox', 'messages/outbox']) {
      expect(existsSync(join(made.sharedDirectory, folder))).toBe(true);
    }
    const [first] = await eventsOf(made.id);
    expect(first).toMatchObject({
      eventType: 'session_created',
      data: { session_id: made.id, objective: 'Build the shop', strategy: 'parallel', agent_count: 2 },
    });
  });

  it('runs a diamond in the order of its dependencies and completes once', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'planner', task: done('planned') },
        { agentId: 'b', role: 'engineer', task: done('built'), dependencies: ['a'] },
        { agentId: 'c', role: 'engineer', task: done('wrote'), dependencies: ['a', 'a'] },
        { agentId: 'd', role: 'reviewer', task: done('reviewed'), dependencies: ['b', 'c'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    const end = await ended(id);
    expect(end).toMatchObject({ state: 'completed', completedAgents: 4, progress: 1, errorMessage: null });
    const events = await eventsOf(id);
    const order = events.map(({ eventType, agentId }) => `${eventType} ${agentId ?? ''}`.trim());
    expect(order.filter((each) => each.startsWith('session_'))).toEqual([
      'session_created',
      'session_started',
      'session_completed',
    ]);
    expect(order.indexOf('agent_started d')).toBeGreaterThan(order.indexOf('agent_completed b'));
    expect(order.indexOf('agent_started d')).toBeGreaterThan(order.indexOf('agent_completed c'));
    expect(order.indexOf('agent_started b')).toBeGreaterThan(order.indexOf('agent_completed a'));
    const d = end.agents.find(({ agentId }) => agentId === 'd');
    const task = await c.client.call('tasks.get', { taskId: d?.taskId ?? '' });
    expect(task.prompt).toContain('built');
    expect(task.prompt).toContain('wrote');
  });

  it('skips what depends on a failed agent, and goes on with the rest', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'planner', task: '@report failed no plan' },
        { agentId: 'b', role: 'engineer', task: done('built'), dependencies: ['a'] },
        { agentId: 'x', role: 'engineer', task: done('independent') },
      ],
      { strategy: 'adaptive', start: true },
    );
    const end = await ended(id);
    expect(states(end)).toEqual({ a: 'failed', b: 'skipped', x: 'completed' });
    expect(end).toMatchObject({ state: 'failed', failedAgents: 1, completedAgents: 1 });
    expect(end.errorMessage).toContain('a');
    expect(end.agents[1]).toMatchObject({ reason: 'upstream_failed' });
  });

  it('refuses to start twice, to resume what is not paused, and to end what has ended', async () => {
    const { id } = await create([{ role: 'engineer', task: done('one') }], { start: true });
    expect(await refusal(c.client.call('orchestrations.start', { orchestrationId: id }))).toMatchObject({
      code: 'CONFLICT',
    });
    await ended(id);
    for (const command of ['start', 'pause', 'resume', 'cancel'] as const) {
      const refused = await refusal(c.client.call(`orchestrations.${command}`, { orchestrationId: id }));
      expect(refused).toMatchObject({ code: 'CONFLICT', details: { state: 'completed' } });
    }
  });
});
