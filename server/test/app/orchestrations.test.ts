import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrchestrationEvent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal, send } from '../support/calling.ts';
import { replayed, storedStates } from '../support/orchestration-replay.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

type Agents = RequestOf<'orchestrations.create'>['agents'];
type Options = Partial<RequestOf<'orchestrations.create'>>;

/** Returns a task whose success the scripted agent reports immediately. */
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

/** Waits until an orchestration is in a final state, which must also follow from its events. Returns its status. */
async function ended(id: string): Promise<OrchestrationStatus> {
  const end = await c.until('the orchestration has ended', async () => {
    const status = await c.client.call('orchestrations.get', { orchestrationId: id });
    return ['completed', 'failed', 'cancelled'].includes(status.state) ? status : undefined;
  });
  expect(replayed(await eventsOf(id))).toEqual(storedStates(end));
  return end;
}

async function eventsOf(orchestrationId: string) {
  const { data } = await c.client.call('orchestrations.events', { orchestrationId, limit: 500 });
  return data;
}

const states = ({ agents }: OrchestrationStatus) =>
  Object.fromEntries(agents.map((each) => [each.agentId, each.state]));

describe('an orchestration', () => {
  it('is created with its agents and folders, and starts nothing', async () => {
    const metadata = { ticket: { id: 7, labels: ['a', null, { deep: [true, 1.5, 'ü'] }] }, empty: {} };
    const made = await create(
      [
        { role: 'engineer', task: done('one') },
        { role: 'engineer', task: done('two') },
      ],
      { metadata },
    );
    expect(made).toMatchObject({
      metadata,
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
    const listed = await c.client.call('orchestrations.list', { limit: 500 });
    const { agents: _, roleDistribution, budgetUsed, estimatedCompletion, ...row } = made;
    expect(listed.data.find(({ id }) => id === made.id)).toEqual(row);
    const [first] = await eventsOf(made.id);
    expect(first).toMatchObject({
      eventType: 'session_created',
      data: { session_id: made.id, objective: 'Build the shop', strategy: 'parallel', agent_count: 2 },
    });
  });

  it('is listed if all words of a query occur in its objective, definition, strategy or repository', async () => {
    const blog = await c.addRepository('blog');
    const agents = [{ role: 'writer', task: 'x' }];
    const one = await create(agents, { objective: 'Übersetze the checkout', repositoryId: blog.id });
    const two = await create(agents, { objective: 'Write the handbook', repositoryId: blog.id, strategy: 'pipeline' });
    const list = async (query: string, page: { limit?: number; skip?: number } = {}) => {
      const { data, total } = await c.client.call('orchestrations.list', { query, ...page });
      return { ids: data.map(({ id }) => id), total };
    };
    expect(await list('übersetze CHECK')).toEqual({ ids: [one.id], total: 1 });
    expect(await list('pipeline blog')).toEqual({ ids: [two.id], total: 1 });
    expect(await list('blog')).toEqual({ ids: [two.id, one.id], total: 2 });
    expect(await list('blog', { limit: 1, skip: 1 })).toEqual({ ids: [one.id], total: 2 });
    expect(await list('blog nothing')).toEqual({ ids: [], total: 0 });
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

  it('skips agents that depend on a failed agent, and continues with the others', async () => {
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

  it('runs a failed agent again on request, with the agents skipped because of it', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'planner', task: '@report failed no plan' },
        { agentId: 'b', role: 'engineer', task: done('built'), dependencies: ['a'] },
        { agentId: 'x', role: 'engineer', task: done('independent') },
      ],
      { strategy: 'adaptive', start: true },
    );
    await ended(id);
    for (const agentId of ['b', 'x']) {
      const refused = await refusal(c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId }));
      expect(refused).toMatchObject({ code: 'CONFLICT', details: { agentId } });
    }
    const again = await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' });
    expect(again.errorMessage).toBeNull();
    expect(again.progress).toBeCloseTo(1 / 3);
    const end = await ended(id);
    expect(end).toMatchObject({ state: 'failed', failedAgents: 1, completedAgents: 1 });
    expect(end.agents.map(({ attempt, state }) => `${state} ${attempt}`)).toEqual([
      'failed 2',
      'skipped 0',
      'completed 1',
    ]);
    const events = await eventsOf(id);
    const retried = events.filter(({ eventType }) => eventType === 'agent_retried');
    expect(retried.map(({ agentId }) => agentId)).toEqual(['a', 'b']);
  });

  it('refuses a second start, a resume unless paused, and a cancellation after its end', async () => {
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

const NONE = { sessionId: '', workerId: '' };

describe('agents of an orchestration', () => {
  it('share a folder, and message each other as a file and a notice, never as a prompt', async () => {
    const { id, sharedDirectory } = await create(
      [
        { agentId: 'writer', role: 'writer', task: '@ask Go on?' },
        { agentId: 'reader', role: 'reader', task: '@ask Go on?' },
      ],
      { start: true },
    );
    const [writer = NONE, reader = NONE] = await workersOf(id);
    const before = (await c.client.call('tasks.list', { sessionId: reader.sessionId })).total;
    const message = { sessionId: reader.sessionId, workerId: reader.workerId, message: 'The names have changed.' };
    const sent = await asWorker(c, writer.workerId).call('sessions.message', message);
    expect(sent).toMatchObject({ success: true, noticeId: expect.any(String) });
    const inbox = join(sharedDirectory, 'messages', 'inbox', 'reader');
    const [file = ''] = readdirSync(inbox);
    expect(readFileSync(join(inbox, file), 'utf8')).toMatch(/^From: writer\n[\s\S]*The names have changed\.\n$/);
    const { data: notices } = await c.client.call('sessions.notices', { sessionId: reader.sessionId });
    expect(notices).toMatchObject([{ kind: 'message', summary: 'The names have changed.' }]);
    expect((await c.client.call('tasks.list', { sessionId: reader.sessionId })).total).toBe(before);
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      eventType: 'message',
      agentId: 'writer',
      data: { to: 'reader' },
    });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });

  it('cannot message or control the agents of another orchestration', async () => {
    const asks = [{ role: 'worker', task: '@ask Go on?' }];
    const [one, other] = [await create(asks, { start: true }), await create(asks, { start: true })];
    const [[mine = NONE], [theirs = NONE]] = [await workersOf(one.id), await workersOf(other.id)];
    const me = asWorker(c, mine.workerId);
    const target = theirs;
    const denied = { code: 'PERMISSION_DENIED' };
    expect(await refusal(me.call('sessions.message', { ...target, message: 'x' }))).toMatchObject(denied);
    for (const { id: orchestrationId } of [one, other]) {
      expect(await refusal(me.call('orchestrations.cancel', { orchestrationId }))).toMatchObject(denied);
    }
    for (const { id: orchestrationId } of [one, other]) {
      await c.client.call('orchestrations.cancel', { orchestrationId });
    }
  });

  it('report progress, which the orchestration shows', async () => {
    const { id: orchestrationId } = await create([{ role: 'worker', task: '@ask Go on?' }], { start: true });
    const [worker = NONE] = await workersOf(orchestrationId);
    const me = asWorker(c, worker.workerId);
    const report = { progress: 0.5, status: 'half done', artifacts: ['a.txt'] };
    await me.call('orchestrations.report', report);
    expect(await c.client.call('orchestrations.get', { orchestrationId })).toMatchObject({
      progress: 0.5,
      agents: [report],
    });
    await c.client.call('orchestrations.cancel', { orchestrationId });
    expect(await refusal(me.call('orchestrations.report', report))).toMatchObject({
      code: expect.stringMatching(/CONFLICT|UNAUTHENTICATED/),
    });
  });
});

describe('an invalid plan', () => {
  it('is refused for its own errors first, and creates nothing', async () => {
    const before = (await c.client.call('orchestrations.list', {})).total;
    const circle = [
      { agentId: 'a', role: 'writer', task: 'x', dependencies: ['b'], agenticTool: 'not-installed' },
      { agentId: 'b', role: 'writer', task: 'x', dependencies: ['a'] },
    ];
    const refused = await refusal(create(circle, { strategy: 'adaptive' }));
    expect(refused).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/a → b → a|b → a → b/) });
    expect((await c.client.call('orchestrations.list', {})).total).toBe(before);
  });

  it('with an unknown strategy is refused with the known ones', async () => {
    const plan = { objective: 'x', repositoryId: c.repository.id, agents: [{ role: 'writer', task: 'x' }] };
    const { status, body } = await send(c, 'POST', '/orchestrations', { ...plan, strategy: 'fastest' });
    expect(status).toBe(400);
    const message = 'strategy: expected "parallel" or "sequential" or "adaptive" or "pipeline"';
    expect(body.error).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(message) });
  });
});

describe('an orchestration that integrates', () => {
  const writes = (file: string, text: string) =>
    ['@write', `${file} ${text}\\n`].join(' ').concat(`\n@commit Write ${file}\n${done(`wrote ${file}`)}`);

  it('merges the branches into its own branch, checks the result, and does not change the base', async () => {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'test -f a.txt' });
    const base = c.git(['rev-parse', 'main'], c.repository.path);
    const { id } = await create(
      [
        { agentId: 'a', role: 'writer', task: writes('a.txt', 'one') },
        { agentId: 'b', role: 'writer', task: writes('b.txt', 'two') },
      ],
      { integrate: { into: 'together', check: true }, start: true },
    );
    const end = await ended(id);
    expect(end).toMatchObject({
      state: 'completed',
      integration: { state: 'integrated', integrated: ['a', 'b'], conflicts: [], checkPassed: true },
    });
    expect(c.git(['ls-tree', '--name-only', 'together'], c.repository.path)).toMatch(/a\.txt\nb\.txt/);
    expect(c.git(['rev-parse', 'main'], c.repository.path)).toBe(base);
    expect(c.git(['rev-parse', 'together'], c.repository.path)).toBe(end.integration?.commit);
  });

  it('names the files in conflict, and fails without changing the branch', async () => {
    const { id } = await create(
      [
        { agentId: 'a', role: 'writer', task: writes('same.txt', 'one') },
        { agentId: 'b', role: 'writer', task: writes('same.txt', 'two') },
      ],
      { integrate: { into: 'conflicted' }, start: true },
    );
    const end = await ended(id);
    expect(end).toMatchObject({
      state: 'failed',
      completedAgents: 2,
      integration: { state: 'conflicts', integrated: ['a'], conflicts: [{ agentId: 'b', path: 'same.txt' }] },
    });
    expect(end.errorMessage).toContain('same.txt');
  });

  it('refuses the base branch, and for agents every branch that exists and is not their own', async () => {
    const refused = await refusal(create([{ role: 'writer', task: done('x') }], { integrate: { into: 'main' } }));
    expect(refused).toMatchObject({ code: 'VALIDATION', details: { field: 'integrate.into' } });

    const work = { repositoryId: c.repository.id, agentId: 'scripted', prompt: '@say ready' };
    const { workerId, sessionId } = await c.client.call('delegations.create', { ...work, branch: 'of-the-agent' });
    const other = await c.client.call('delegations.create', { ...work, branch: 'of-another-agent' });
    c.git(['branch', 'of-nobody'], c.repository.path);
    const into = (branch: string) =>
      asWorker(c, workerId).call('orchestrations.create', {
        objective: 'Build the shop',
        agents: [{ role: 'writer', task: done('x'), agenticTool: 'scripted' }],
        integrate: { into: branch },
      });
    for (const branch of ['of-another-agent', 'of-nobody']) {
      const denied = { code: 'PERMISSION_DENIED', details: { field: 'integrate.into', into: branch } };
      expect(await refusal(into(branch)), branch).toMatchObject(denied);
    }
    expect(await refusal(into('main'))).toMatchObject({ code: 'VALIDATION' });
    for (const branch of ['of-the-agent', 'new']) {
      expect(await into(branch)).toMatchObject({ state: 'created', integration: { into: branch } });
    }
    for (const id of [sessionId, other.sessionId]) await c.client.call('sessions.stop', { sessionId: id });
  });
});

describe('the stream of events', () => {
  it('replays from any event and ends with the orchestration', async () => {
    const { id } = await create([{ role: 'worker', task: done('one') }], { start: true });
    const all = await streamed(id, 0);
    expect(all.map(({ eventType }) => eventType)).toEqual([
      'session_created',
      'session_started',
      'agent_started',
      'agent_completed',
      'session_completed',
    ]);
    expect(all).toEqual(await eventsOf(id));
    expect(await streamed(id, all[2]?.id ?? 0)).toEqual(all.slice(3));
  });
});

/** Reads the stream of an orchestration until the server ends it. */
async function streamed(orchestrationId: string, after: number): Promise<OrchestrationEvent[]> {
  const answer = await fetch(`${c.baseUrl}/api/orchestrations/${orchestrationId}/events/stream?after=${after}`);
  const text = await answer.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as OrchestrationEvent);
}

/** Waits until every agent of an orchestration is running. Returns their sessions and workers. */
async function workersOf(orchestrationId: string): Promise<{ sessionId: string; workerId: string }[]> {
  return c.until('all agents are live', async () => {
    const { agents } = await c.client.call('orchestrations.get', { orchestrationId });
    const live = await Promise.all(
      agents.map(async ({ sessionId }) => {
        if (sessionId === null) return [];
        const { workers } = await c.client.call('sessions.get', { sessionId });
        return workers.flatMap(({ id, type, pid }) =>
          type === 'agent' && pid !== null ? [{ sessionId, workerId: id }] : [],
        );
      }),
    );
    return live.every((each) => each.length === 1) ? live.flat() : undefined;
  });
}
