import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '@agent-console/shared/models/approval';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, stored } from '../e2e/support/people.ts';
import { refuseWrite } from '../e2e/support/planted.ts';
import { type AgentHandle, actAs } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { busy, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
let ahead = 0;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(Date.now() + ahead) });
});
afterAll(() => c.close());

type Options = Partial<RequestOf<'orchestrations.create'>>;

/** Returns a prompt for which the agent uses about this many tokens, and then reports a result. */
const using = (tokens: number, report = '@report succeeded done') => `@say ${'word'.repeat(tokens)}\n${report}`;

function run(tasks: readonly string[], options: Options): Promise<OrchestrationStatus> {
  return c.client.call('orchestrations.create', {
    objective: 'Build the shop',
    repositoryId: c.repository.id,
    strategy: 'sequential',
    start: true,
    agents: tasks.map((task) => ({ role: 'engineer', agenticTool: 'scripted', task, timeoutSeconds: 86_400 })),
    ...options,
  });
}

const status = (orchestrationId: string) => c.client.call('orchestrations.get', { orchestrationId });

function inState(id: string, state: OrchestrationStatus['state']): Promise<OrchestrationStatus> {
  return c.until(`the orchestration is ${state}`, async () => {
    const current = await status(id);
    return current.state === state ? current : undefined;
  });
}

function question(test: (approval: Approval) => boolean): Promise<Approval> {
  return c.until('the question whether to go on', async () => {
    const { data } = await c.client.call('approvals.list', { limit: 100 });
    return data.find((approval) => approval.kind === 'budget' && test(approval));
  });
}

const states = ({ agents }: OrchestrationStatus) => agents.map(({ state }) => state);

function delegate(prompt: string) {
  return c.client.call('delegations.create', { repositoryId: c.repository.id, agentId: 'scripted', prompt });
}

describe('an orchestration whose tokens are used up', () => {
  it('is paused after the turn, asks a person once, and continues with the raised budget', async () => {
    const { id } = await run([using(2_000), using(10)], { budget: { tokens: 1_000 } });
    const paused = await inState(id, 'paused');
    expect(paused.pausedBy).toBe('budget');
    const asked = await question(({ orchestrationId }) => orchestrationId === id);
    expect(asked).toMatchObject({ workerId: null, options: [{ id: 'accept' }, { id: 'decline' }] });
    expect(asked.fields).toMatchObject([{ id: 'tokens', type: 'integer', default: 1_000 }]);
    const first = await c.until('the first agent has ended', async () => {
      const now = await status(id);
      return now.agents[0]?.state === 'completed' ? now : undefined;
    });
    expect(states(first)).toEqual(['completed', 'pending']);
    expect(first.budgetUsed.tokens).toBeGreaterThan(1_000);
    expect(first.budgetUsed).toMatchObject({ agents: 1, money: null });
    const { inputTokens = 0, outputTokens = 0 } = first.agents[0]?.usage ?? {};
    expect(inputTokens + outputTokens).toBe(first.budgetUsed.tokens);
    expect(first.agents[1]?.usage).toBeNull();
    const held = await c.client.call('orchestrations.list', { pausedBy: 'budget' });
    expect(held.data.map((row) => [row.id, row.progress])).toEqual([[id, 0.5]]);

    const values = { tokens: 50_000 };
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values });
    const end = await inState(id, 'completed');
    expect(states(end)).toEqual(['completed', 'completed']);
    expect(end.budget?.tokens).toBeGreaterThan(51_000);
    const { data } = await c.client.call('orchestrations.events', { orchestrationId: id, limit: 500 });
    const told = data.filter(({ eventType }) => eventType === 'budget').map((event) => event.data.exhausted);
    expect(told).toEqual([false, true]);
  });

  it('ends without a question if nothing is left to do', async () => {
    const { id } = await run([using(2_000)], { budget: { tokens: 100 } });
    const end = await inState(id, 'completed');
    expect(end.pausedBy).toBeNull();
    const { data } = await c.client.call('approvals.list', {});
    expect(data.filter(({ orchestrationId }) => orchestrationId === id)).toEqual([]);
  });

  it('continues an agent that has not reported', async () => {
    const { id } = await run([using(2_000, '@say not done')], { budget: { tokens: 1_000 } });
    const paused = await c.until('the agent is paused', async () => {
      const now = await status(id);
      return now.agents[0]?.state === 'paused' ? now : undefined;
    });
    expect(paused.agents[0]).toMatchObject({ state: 'paused', reason: 'budget' });
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    const going = await c.until('the agent runs again', async () => {
      const now = await status(id);
      return now.agents[0]?.state === 'running' && now.state === 'running' ? now : undefined;
    });
    expect(going.agents[0]?.taskId).not.toBe(paused.agents[0]?.taskId);
    expect(going.budget?.tokens).toBeGreaterThan(3_000);
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });
});

describe('the branches of an orchestration whose budget is used up', () => {
  const writes = (file: string, text: string, tokens = 1) =>
    `@say ${'word'.repeat(tokens)}\n@write ${file} ${text}\\n\n@commit Write ${file}\n@report succeeded wrote ${file}`;
  const integrated = ({ integration }: OrchestrationStatus) => integration?.integrated;

  it('are integrated without a question, because that uses nothing', async () => {
    const tasks = [writes('one.txt', 'one'), writes('two.txt', 'two', 2_000)];
    const { id } = await run(tasks, { budget: { tokens: 1_000 }, integrate: { into: 'within-budget' } });
    const end = await inState(id, 'completed');
    expect(integrated(end)).toEqual(['engineer-1', 'engineer-2']);
    expect(end.budgetUsed.tokens).toBeGreaterThan(1_000);
    const { data } = await c.client.call('approvals.list', {});
    expect(data.filter(({ orchestrationId }) => orchestrationId === id)).toEqual([]);
  });

  it('may need an agent that resolves conflicts, which counts and is ended with the orchestration', async () => {
    const tasks = [writes('same.txt', 'one'), writes('same.txt', 'two')];
    const { id } = await run(tasks, { budget: { agents: 3 }, integrate: { into: 'resolved', resolve: true } });
    const resolving = await c.until('the session that resolves the conflicts', async () => {
      const { data } = await c.client.call('sessions.list', { limit: 500 });
      return data.find(({ title, orchestrationId }) => orchestrationId === id && title.startsWith('Resolve conflicts'));
    });
    expect((await status(id)).budgetUsed.agents).toBe(3);
    expect(resolving.depth).toBe(1);
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    await c.until('the end of its work', () => {
      const where = `where "sessionId" = '${resolving.id}'`;
      const open = stored(c, `select 1 from tasks ${where} and status not in ('cancelled', 'failed')`);
      const live = stored(c, `select 1 from workers ${where} and state not in ('exited', 'lost')`);
      return open.length + live.length === 0;
    });
  });
});

describe('the conflicts of an orchestration whose budget is used up', () => {
  it('wait until a person allows an agent that resolves them', async () => {
    const tasks = ['one', 'two'].map((text) => `@write same.txt ${text}\\n\n@commit Write\n@report succeeded wrote`);
    const integrate = { into: 'allowed', resolve: true };
    const { id } = await run(tasks, { budget: { agents: 2 }, integrate });
    const asked = await question(({ orchestrationId }) => orchestrationId === id);
    expect(asked.fields).toMatchObject([{ id: 'agents', default: 2 }]);
    expect(await status(id)).toMatchObject({ state: 'paused', pausedBy: 'budget', completedAgents: 2 });
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { agents: 1 } });
    await c.until('the session that resolves the conflicts', async () => (await status(id)).budgetUsed.agents === 3);
    expect(await status(id)).toMatchObject({ state: 'running', budget: { agents: 3 } });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });
});

describe('the end of an orchestration whose budget is used up', () => {
  const { workerOf, reportAs } = orchestrationsIn(() => c);

  /** Starts an orchestration, lets its agent start work, and waits until another session has used up the budget. */
  async function overBudget<Work>(start: (agent: AgentHandle) => Promise<Work>): Promise<{ id: string; work: Work }> {
    const { id } = await run([busy], { budget: { tokens: 1_000 } });
    const worker = await workerOf(id, 'engineer-1');
    const agent = actAs(c, worker.sessionId, worker.id);
    const work = await start(agent);
    await agent.client.call('delegations.create', { prompt: using(2_000), agentId: 'scripted' });
    await inState(id, 'paused');
    return { id, work };
  }

  it('does not cut off the turn of a session that its agent started', async () => {
    const { id, work } = await overBudget((agent) =>
      agent.client.call('delegations.create', { prompt: busy, agentId: 'scripted' }),
    );
    const { sessionId, taskId, workerId } = work;
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ pausedBy: 'budget' });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    const released = await c.client.call('sessions.get', { sessionId });
    expect(released.status).toBe('running');
    expect(released).not.toHaveProperty('pausedBy');
    await asWorker(c, workerId).call('sessions.report', { sessionId, outcome: 'succeeded', summary: 'finished' });
    expect(await c.client.call('tasks.get', { taskId })).toMatchObject({ status: 'completed', summary: 'finished' });
  });

  it('resumes an orchestration that its agent created', async () => {
    const { id, work } = await overBudget((agent) =>
      agent.client.call('orchestrations.create', {
        objective: 'Build the cellar',
        repositoryId: c.repository.id,
        agents: [{ role: 'engineer', agenticTool: 'scripted', task: busy }],
        start: true,
      }),
    );
    await workerOf(work.id, 'engineer-1');
    expect(await status(work.id)).toMatchObject({ state: 'paused', pausedBy: 'budget' });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    expect(await status(work.id)).toMatchObject({ state: 'running', pausedBy: null });
    await reportAs(work.id, 'engineer-1');
    await inState(work.id, 'completed');
  });
});

describe('the events of an orchestration that a private session created', () => {
  it('about its budget do not reach other users', async () => {
    const bob = await addPerson(c, 'Bob');
    const { id: sessionId } = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      visibility: 'private',
      initialPrompt: '@say ready',
    });
    await c.client.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: 45 });
    const { data: workers } = await c.client.call('sessions.workers', { sessionId });
    const agent = actAs(c, sessionId, workers[0]?.id ?? '');
    const { id } = await agent.client.call('orchestrations.create', {
      objective: 'Secret',
      repositoryId: c.repository.id,
      agents: [using(2_000), using(10)].map((task) => ({ role: 'engineer', agenticTool: 'scripted', task })),
      strategy: 'sequential',
      budget: { tokens: 1_000 },
      start: true,
    });
    await inState(id, 'paused');
    await c.client.call('orchestrations.resume', { orchestrationId: id });
    await c.until('the resumed orchestration', async () => (await status(id)).pausedBy === null);
    const seenBy = async (client: typeof c.client) => {
      const { data } = await client.call('events.list', { order: 'newest', limit: 500 });
      return new Set(data.flatMap(({ type, subject }) => (subject.id === id ? [type] : [])));
    };
    const types = ['orchestration.budget_used', 'orchestration.paused', 'orchestration.resumed'] as const;
    const all = await seenBy(c.client);
    for (const type of types) expect(all).toContain(type);
    expect(await seenBy(bob.client)).toEqual(new Set());
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
  });
});

it('an orchestration whose time is used up before an agent could start is in the inbox, and can be resumed', async () => {
  await c.client.call('settings.update', { liveSessions: 0 });
  const { id } = await run([using(1)], { budget: { wallSeconds: 3_600 } });
  ahead += 3_700_000;
  await c.client.call('settings.update', { liveSessions: 0 });
  await inState(id, 'paused');
  const { data } = await c.client.call('inbox.list', { limit: 500 });
  const [item] = data.filter(({ orchestrationId }) => orchestrationId === id);
  expect(item).toMatchObject({ group: 'answer', kind: 'budget', approvalId: null });
  await c.client.call('settings.update', { liveSessions: 100 });
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect(await inState(id, 'completed')).toMatchObject({ budget: { wallSeconds: expect.any(Number) } });
});

it('starts no more agents than the budget allows, and then asks', async () => {
  const { id } = await run([using(1), using(1)], { budget: { agents: 1 }, strategy: 'parallel' });
  const asked = await question(({ orchestrationId }) => orchestrationId === id);
  expect(asked.fields).toMatchObject([{ id: 'agents', default: 1 }]);
  const held = await c.until('the first agent has ended', async () => {
    const now = await status(id);
    return now.completedAgents === 1 ? now : undefined;
  });
  expect(held).toMatchObject({ state: 'paused', pausedBy: 'budget', budgetUsed: { agents: 1 } });
  await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'decline' });
  expect(await status(id)).toMatchObject({ state: 'paused', pausedBy: 'budget' });
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect(await inState(id, 'completed')).toMatchObject({ budget: { agents: 2 }, budgetUsed: { agents: 2 } });
});

it('stays paused after its budget was raised, if a person also paused it', async () => {
  const { id } = await run([using(1), using(1)], { budget: { agents: 1 }, strategy: 'parallel' });
  const asked = await question(({ orchestrationId }) => orchestrationId === id);
  await inState(id, 'paused');
  await c.client.call('orchestrations.pause', { orchestrationId: id });
  await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { agents: 1 } });
  expect(await status(id)).toMatchObject({ state: 'paused', pausedBy: 'person', budget: { agents: 2 } });
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect(await inState(id, 'completed')).toMatchObject({ budgetUsed: { agents: 2 } });
});

it('is raised when a person resumes what that person paused after the budget did', async () => {
  const { id } = await run([using(1), using(1)], { budget: { agents: 1 }, strategy: 'parallel' });
  const asked = await question(({ orchestrationId }) => orchestrationId === id);
  await inState(id, 'paused');
  await c.client.call('orchestrations.pause', { orchestrationId: id });
  const resumed = await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect(resumed).toMatchObject({ state: 'running', budget: { agents: 2 } });
  expect(await c.client.call('approvals.get', { approvalId: asked.id })).toMatchObject({ state: 'withdrawn' });
  expect(await inState(id, 'completed')).toMatchObject({ budgetUsed: { agents: 2 } });
});

it('counts the time without pauses', async () => {
  const { id } = await run([using(1, '@sleep 600000')], { budget: { wallSeconds: 3_600 } });
  await c.client.call('orchestrations.pause', { orchestrationId: id });
  ahead += 7_200_000;
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect((await status(id)).budgetUsed.wallSeconds).toBeLessThan(3_600);
  ahead += 3_000_000;
  await c.client.call('orchestrations.pause', { orchestrationId: id });
  await c.client.call('orchestrations.resume', { orchestrationId: id });
  expect((await status(id)).state).toBe('running');
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
});

it('does not count the time between the end of an orchestration and a retry', async () => {
  const { id } = await run(['@report failed no'], { budget: { wallSeconds: 3_600 } });
  await inState(id, 'failed');
  ahead += 7_200_000;
  await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'engineer-1' });
  const again = await c.until('the end of the second attempt', async () => {
    const now = await status(id);
    return now.agents[0]?.attempt === 2 && now.state !== 'running' ? now : undefined;
  });
  expect(again.state).toBe('failed');
  expect(again.budgetUsed.wallSeconds).toBeLessThan(3_600);
});

it('refuses a budget of money for agents that do not report their cost', async () => {
  expect(await refusal(run([using(1)], { budget: { money: 5 } }))).toMatchObject({
    code: 'UNSUPPORTED',
    details: { agentId: 'scripted' },
  });
});

const paid = (amount: number) =>
  `@update ${JSON.stringify({ sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount, currency: 'USD' } })}`;

it('counts the money that agents report over their protocol', async () => {
  const agents = [paid(0.5), paid(0.25)].map((task) => ({
    role: 'engineer',
    agenticTool: 'scripted-acp',
    task: `${task}\n@report succeeded done`,
  }));
  const { id } = await run([], { agents, budget: { money: 0.4 } });
  const asked = await question(({ orchestrationId }) => orchestrationId === id);
  expect(asked.text).toContain('0.50 of 0.40 US dollars');
  await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { money: 5 } });
  expect(await inState(id, 'completed')).toMatchObject({ budget: { money: 5.5 }, budgetUsed: { money: 0.75 } });
});

it('counts the money of a turn that fails, and of one during which the agent exits', async () => {
  const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted-acp' });
  const costOf = async (prompt: string) => {
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt });
    const { status, usage } = await c.until('its end', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.endedAt === null ? undefined : task;
    });
    return [status, usage?.costUsd];
  };
  expect(await costOf(`${paid(0.5)}\n@fail the model is on fire`)).toEqual(['failed', 0.5]);
  expect(await costOf(`${paid(0.75)}\n@exit 1`)).toEqual(['failed', 0.25]);
});

describe('the budget of a session', () => {
  /** Returns which of the given sessions are in the list of sessions with this status. */
  async function listed(status: 'running' | 'paused', sessionIds: readonly string[]): Promise<string[]> {
    const { data } = await c.client.call('sessions.list', { status, limit: 500 });
    return sessionIds.filter((sessionId) => data.some(({ id }) => id === sessionId));
  }

  it('covers what the session starts, and nothing new starts until a person allows more', async () => {
    const root = await delegate('@sleep 600000');
    const agent = actAs(c, root.sessionId, root.workerId);
    expect(
      await refusal(agent.client.call('sessions.update', { sessionId: root.sessionId, budget: null })),
    ).toMatchObject({ code: 'PERMISSION_DENIED' });
    await c.client.call('sessions.update', { sessionId: root.sessionId, budget: { tokens: 1_000 } });
    const child = await agent.client.call('delegations.create', {
      prompt: using(2_000, '@say not done'),
      agentId: 'scripted',
    });
    const asked = await question(({ sessionId }) => sessionId === root.sessionId);
    const own = { approvalId: asked.id, optionId: 'accept', values: { tokens: 9 } };
    expect(await refusal(agent.client.call('approvals.answer', own))).toMatchObject({ code: 'PERMISSION_DENIED' });
    const held = await c.until('the child is paused after its turn', async () => {
      const row = await c.client.call('sessions.get', { sessionId: child.sessionId });
      return row.status === 'paused' ? row : undefined;
    });
    expect(held).toMatchObject({ pausedBy: 'budget', task: { waitingFor: 'report' } });
    expect(await c.client.call('sessions.get', { sessionId: root.sessionId })).toMatchObject({ status: 'running' });
    const both = [root.sessionId, child.sessionId];
    expect(await listed('running', both)).toEqual([root.sessionId]);
    expect(await listed('paused', both)).toEqual([child.sessionId]);
    for (const call of [
      () => agent.client.call('delegations.create', { prompt: '@say more', agentId: 'scripted' }),
      () => agent.client.call('sessions.message', { sessionId: child.sessionId, message: '@say more' }),
      () => c.client.call('sessions.prompt', { sessionId: root.sessionId, prompt: '@say more' }),
      () => c.client.call('sessions.resume', { sessionId: child.sessionId }),
    ]) {
      const refused = await refusal(call());
      expect(refused).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'budget.tokens' } });
      expect(refused.message).toContain('tokens');
    }
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { tokens: 9_000 } });
    await c.until('the child goes on', async () => {
      const row = await c.client.call('sessions.get', { sessionId: child.sessionId });
      return row.status === 'awaiting_input' ? row : undefined;
    });
    const now = await c.client.call('sessions.get', { sessionId: root.sessionId });
    expect(now.budget?.tokens).toBeGreaterThan(10_000);
    expect(now.budgetUsed).toMatchObject({ agents: 1 });
    expect(await agent.client.call('delegations.create', { prompt: '@say more', agentId: 'scripted' })).toMatchObject({
      branch: expect.any(String),
    });
  });

  it('is not asked about again after a person declined, until the budget changes', async () => {
    const root = await delegate('@sleep 600000');
    const agent = actAs(c, root.sessionId, root.workerId);
    const sessionId = root.sessionId;
    await c.client.call('sessions.update', { sessionId, budget: { agents: 1 } });
    const child = await agent.client.call('delegations.create', { prompt: '@say one', agentId: 'scripted' });
    const asked = await question((approval) => approval.sessionId === sessionId);
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'decline' });
    const tokens = async () => (await c.client.call('sessions.get', { sessionId })).budgetUsed?.tokens ?? 0;
    const before = await tokens();
    await c.client.call('sessions.prompt', { sessionId: child.sessionId, prompt: using(50) });
    await c.until('more use', async () => (await tokens()) > before);
    expect((await c.client.call('approvals.list', { sessionId })).data).toEqual([]);
    await c.client.call('sessions.update', { sessionId, budget: { agents: 1, tokens: 1 } });
    expect((await question((approval) => approval.sessionId === sessionId)).fields).toMatchObject([
      { id: 'agents' },
      { id: 'tokens' },
    ]);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('does not count the time for which a budget paused a task that waits for a report', async () => {
    const root = await delegate('@sleep 600000');
    const agent = actAs(c, root.sessionId, root.workerId);
    const prompt = using(2_000, '@say not done');
    const { sessionId } = await agent.client.call('delegations.create', { prompt, agentId: 'scripted' });
    await c.client.call('sessions.update', { sessionId, budget: { tokens: 1_000, wallSeconds: 3_600 } });
    const asked = await question((approval) => approval.sessionId === sessionId);
    const session = () => c.client.call('sessions.get', { sessionId });
    await c.until('the child is paused after its turn', async () => (await session()).status === 'paused');
    ahead += 7_200_000;
    await c.client.call('sessions.update', { sessionId, title: 'Another title' });
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { tokens: 9_000 } });
    expect(await session()).toMatchObject({ status: 'awaiting_input', task: { waitingFor: 'report' } });
    expect((await session()).budgetUsed?.wallSeconds).toBeLessThan(3_600);
    await c.client.call('sessions.stop', { sessionId: root.sessionId });
  });

  it('ends with the time for which tasks have run', async () => {
    const { sessionId } = await delegate('@sleep 600000');
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_600 } });
    ahead += 3_700_000;
    // Changing the budget makes the console check the budget at once, instead of in an hour.
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 3_601 } });
    const asked = await question((approval) => approval.sessionId === sessionId);
    expect(asked.fields).toMatchObject([{ id: 'wallSeconds', default: 3_601 }]);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('warns and then asks as time passes, without any other event', async () => {
    const { sessionId } = await delegate('@sleep 600000');
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 1 } });
    const asked = await question((approval) => approval.sessionId === sessionId);
    const { data } = await c.client.call('sessions.events', { sessionId, limit: 500 });
    const told = data.filter(({ type }) => type === 'session.budget_used').map((event) => event.data.exhausted);
    expect(told).toEqual([false, true]);
    await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { wallSeconds: 1 } });
    await question((approval) => approval.sessionId === sessionId && approval.id !== asked.id);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('is checked again if the result of a check could not be stored', async () => {
    const { sessionId } = await delegate('@sleep 600000');
    const allow = refuseWrite(c, { event: 'insert', table: 'approvals' });
    await c.client.call('sessions.update', { sessionId, budget: { wallSeconds: 1 } });
    const log = () => readFileSync(join(c.home, 'server.log'), 'utf8');
    await c.until('the failed check', () => log().includes('planted failure'));
    allow();
    await question((approval) => approval.sessionId === sessionId);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('can be removed by a person, after which the session continues', async () => {
    const { sessionId } = await delegate('@say ready');
    await c.client.call('sessions.update', { sessionId, budget: { tokens: 1 } });
    await c.until('the session is paused', async () => {
      const row = await c.client.call('sessions.get', { sessionId });
      return row.status === 'paused' ? row : undefined;
    });
    await c.client.call('sessions.update', { sessionId, budget: null });
    const { data } = await c.client.call('approvals.list', { sessionId });
    expect(data).toEqual([]);
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say again' });
  });
});
