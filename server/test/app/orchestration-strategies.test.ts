import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { busy, done, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { create, status, agentsReached, ended, eventsOf, reportAs } = orchestrationsIn(() => c);
const cancel = (orchestrationId: string) => c.client.call('orchestrations.cancel', { orchestrationId });

describe('the strategies', () => {
  it('sequential runs one agent at a time, in the order of the list', async () => {
    const { id } = await create(
      ['a', 'b', 'c'].map((agentId) => ({ agentId, role: 'engineer', task: done() })),
      { strategy: 'sequential', start: true },
    );
    await ended(id);
    const order = (await eventsOf(id)).flatMap(({ eventType, agentId }) =>
      eventType === 'agent_started' || eventType === 'agent_completed' ? [`${agentId} ${eventType}`] : [],
    );
    expect(order).toEqual(
      ['a', 'b', 'c'].flatMap((agentId) => [`${agentId} agent_started`, `${agentId} agent_completed`]),
    );
  });

  it('parallel starts all agents at once, and not more than maxConcurrent', async () => {
    const agents = ['a', 'b', 'c', 'd', 'e'].map((agentId) => ({ agentId, role: 'engineer', task: busy }));
    const all = await create(agents.slice(0, 2), { start: true });
    expect(statesOf(await status(all.id))).toEqual({ a: 'running', b: 'running' });
    await cancel(all.id);
    const some = await create(agents, { maxConcurrent: 2, start: true });
    const now = await status(some.id);
    expect(statesOf(now)).toEqual({ a: 'running', b: 'running', c: 'pending', d: 'pending', e: 'pending' });
    expect(now.agents[2]?.reason).toContain('maxConcurrent');
    await reportAs(some.id, 'b');
    await agentsReached(some.id, ['c'], 'running');
    expect(statesOf(await status(some.id))).toMatchObject({ a: 'running', d: 'pending', e: 'pending' });
    await cancel(some.id);
  });

  it('runs only as many agents of a role as allowed, and the others say why they wait', async () => {
    const agents = [
      { role: 'engineer', task: busy },
      { role: 'engineer', suffix: 'api', task: busy },
      { role: 'engineer', task: busy },
      { role: 'tester', task: busy },
    ];
    const { id } = await create(agents, { roleLimits: { engineer: 1 }, start: true });
    const now = await status(id);
    expect(statesOf(now)).toEqual({
      'engineer-1': 'running',
      'engineer-api': 'pending',
      'engineer-2': 'pending',
      'tester-1': 'running',
    });
    expect(now.agents[1]).toMatchObject({ role: 'engineer', suffix: 'api' });
    expect(now.agents[1]?.reason).toContain('roleLimits');
    expect(now.roleDistribution.engineer).toMatchObject({ total: 3, running: 1, pending: 2 });
    await reportAs(id, 'engineer-1');
    await agentsReached(id, ['engineer-api'], 'running');
    expect(statesOf(await status(id))).toMatchObject({ 'engineer-2': 'pending' });
    await cancel(id);
    const without = { role: 'engineer', task: busy };
    const refused = await refusal(create([without], { roleLimits: { engineer: 0 } }));
    expect(refused).toMatchObject({ code: 'VALIDATION', details: { issues: [{ path: 'roleLimits.engineer' }] } });
  });

  it('pipeline starts a stage once the previous stage has ended, and passes results on', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'planner', task: done('the plan of a') },
        { agentId: 'b', role: 'planner', task: busy },
        { agentId: 'c', role: 'engineer', task: done(), stage: 1 },
        { agentId: 'd', role: 'reviewer', task: done(), stage: 2 },
      ],
      { strategy: 'pipeline', start: true },
    );
    await agentsReached(id, ['a'], 'completed');
    expect(statesOf(await status(id))).toMatchObject({ c: 'pending', d: 'pending' });
    await reportAs(id, 'b', 'succeeded', 'the plan of b');
    const { agents } = await ended(id);
    const [c1] = agents.filter(({ agentId }) => agentId === 'c');
    const { prompt } = await c.client.call('tasks.get', { taskId: c1?.taskId ?? '' });
    expect(prompt).toContain('the plan of a');
    expect(prompt).toContain('the plan of b');
  });
});
