import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal } from '../support/calling.ts';
import { busy, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { agentOf, reached, workerOf, reportAs, ended } = orchestrationsIn(() => c);

const tool = (name: string, args: object) => `@tool ${name} ${JSON.stringify(args)}`;
const reports = (agentId: string, agenticTool: string, summary: string, dependencies: string[] = []) => ({
  agentId,
  role: 'worker',
  agenticTool,
  task: `@report succeeded ${summary}`,
  dependencies,
});

const saidIn = (sessionId: string) =>
  transcriptOf(c, sessionId).flatMap(({ role, text }) => (role === 'agent' ? [text ?? ''] : []));

describe('an agent in a session', () => {
  it('creates and follows an orchestration by tools, with agents of both drivers, and gets one notice', async () => {
    const prompt = [
      tool('orchestrations_create', {
        objective: 'Two steps',
        strategy: 'adaptive',
        agents: [reports('first', 'scripted', 'one'), reports('second', 'scripted-acp', 'two', ['first'])],
      }),
      tool('orchestrations_start', { orchestrationId: '{{1.id}}' }),
      '@after 1',
      tool('orchestrations_get', { orchestrationId: '{{1.id}}' }),
      '@say it is over',
    ].join('\n');
    const root = await startRoot(c, { prompt, title: 'Orchestrator' });
    await c.until('the end', () => saidIn(root.sessionId).some((text) => /^(it is over|error)/.test(text)));
    expect(saidIn(root.sessionId).filter((text) => text.startsWith('error'))).toEqual([]);

    const { data } = await c.client.call('orchestrations.list', { createdBySessionId: root.sessionId });
    expect(data).toMatchObject([{ state: 'completed', completedAgents: 2 }]);
    const { data: notices } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
    expect(notices).toMatchObject([{ kind: 'ended', status: 'completed', state: 'delivered' }]);
    expect(notices[0]?.about.orchestrationId).toBe(data[0]?.id);
    expect(notices[0]?.summary).toContain('2 of 2 agents completed');
    const { agents } = await c.client.call('orchestrations.get', { orchestrationId: data[0]?.id ?? '' });
    for (const { sessionId } of agents) {
      const session = await c.client.call('sessions.get', { sessionId: sessionId ?? '' });
      expect(session).toMatchObject({
        genealogy: { parentSessionId: root.sessionId },
        depth: 1,
        orchestrationId: data[0]?.id,
      });
    }
  });

  it('creates, follows and cancels orchestrations with the tools of the toolset, and is told of each end once', async () => {
    const root = await startRoot(c, { prompt: '@say ready', title: 'By tools' });
    const usual = await openTools(c, root.token);
    const names = (await usual.listTools()).tools.map(({ name }) => name);
    await usual.close();
    expect(names.filter((name) => name.startsWith('orchestrations_'))).toEqual([]);
    const tools = await openTools(c, root.token, '?toolsets=orchestrations');
    const agents = [
      reports('first', 'scripted', 'one'),
      { agentId: 'second', role: 'worker', agenticTool: 'scripted', task: '@sleep 86400000' },
    ];
    const start = (objective: string, count: number) =>
      tools.call('orchestrations_create', { objective, agents: agents.slice(0, count), start: true });
    const [finishes, lasts] = [await start('It finishes', 1), await start('It lasts', 2)];
    await c.until('the end by itself', async () => {
      const { state } = await tools.call('orchestrations_get', { orchestrationId: finishes.id });
      return state === 'completed';
    });
    await c.until('one agent to have ended', async () => {
      const { completedAgents } = await tools.call('orchestrations_get', { orchestrationId: lasts.id });
      return completedAgents === 1;
    });
    expect(await tools.call('orchestrations_cancel', { orchestrationId: lasts.id })).toMatchObject({
      state: 'cancelled',
    });
    await tools.close();
    const delivered = () =>
      transcriptOf(c, root.sessionId).filter(({ text }) => text?.includes('1 of 1 agents completed')).length;
    await c.until('the notice', () => delivered() > 0);
    await c.restart();
    await c.client.call('sessions.wait', { sessionId: root.sessionId, until: 'idle', timeoutSeconds: 45 });
    expect(delivered()).toBe(1);
    // The agent cancelled the other orchestration itself, so the console sends the agent no notice about the end of
    // that orchestration.
    const { data } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
    // Compares only notices about ends. A notice about a conflict is possible too: both agents "first" name their file
    // after the time in milliseconds, so they may write the same file.
    const ends = data.filter(({ kind }) => kind === 'ended');
    expect(ends).toMatchObject([{ status: 'completed', state: 'delivered' }]);
    expect(ends[0]?.about.orchestrationId).toBe(finishes.id);
  });

  it('cancels its own orchestration, but not that of a person', async () => {
    const root = await startRoot(c, { prompt: '@say ready', title: 'Canceller' });
    const agent = asWorker(c, root.workerId);
    const asks = [{ role: 'worker', task: '@ask Go on?', agenticTool: 'scripted' }];
    const mine = await agent.call('orchestrations.create', { objective: 'Mine', agents: asks, start: true });
    const fields = { objective: 'Theirs', agents: asks, repositoryId: c.repository.id };
    const theirs = await c.client.call('orchestrations.create', fields);
    const refused = await refusal(agent.call('orchestrations.start', { orchestrationId: theirs.id }));
    expect(refused).toMatchObject({ code: 'PERMISSION_DENIED' });
    const cancelled = await agent.call('orchestrations.cancel', { orchestrationId: mine.id });
    expect(cancelled).toMatchObject({ state: 'cancelled', agents: [{ state: 'cancelled' }] });
  });

  it('has agents only within its own limits, and agents beyond them wait with the reason', async () => {
    const root = await startRoot(c, { prompt: '@say ready', title: 'Limited' });
    const agent = asWorker(c, root.workerId);
    const asks = { role: 'worker', task: '@ask Go on?', agenticTool: 'scripted' };
    const six = Array.from({ length: 6 }, () => asks);
    const { id } = await agent.call('orchestrations.create', { objective: 'Many', agents: six, start: true });
    const status = await c.until('five run and one waits', async () => {
      const current = await c.client.call('orchestrations.get', { orchestrationId: id });
      const isFull = current.agents.filter(({ state }) => state === 'running').length === 5;
      return isFull && current.agents.some(({ reason }) => reason !== null) ? current : undefined;
    });
    // All agents are started together, so any of them can be the one that would exceed the limit of child sessions.
    const [waits] = status.agents.filter(({ reason }) => reason !== null);
    expect(waits).toMatchObject({ state: 'pending', reason: expect.stringContaining('child sessions') });
    const [runs] = status.agents.filter(({ state }) => state === 'running');
    const { depth } = await c.client.call('sessions.get', { sessionId: runs?.sessionId ?? '' });
    expect(depth).toBe(1);
    await agent.call('orchestrations.cancel', { orchestrationId: id });
  });

  it('has agents that continue only within its own limits', async () => {
    const root = await startRoot(c, { prompt: '@say ready', title: 'Limited again' });
    const agent = asWorker(c, root.workerId);
    const agents = [{ agentId: 'rests', role: 'worker', agenticTool: 'scripted', task: busy }];
    const { id } = await agent.call('orchestrations.create', { objective: 'Rests', agents, start: true });
    const { sessionId } = await workerOf(id, 'rests');
    await agent.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    await c.until('the interruption', async () => {
      const { status } = await c.client.call('sessions.get', { sessionId });
      return status === 'paused' || undefined;
    });
    const child = await agent.call('delegations.create', { agentId: 'scripted', prompt: busy });
    await c.client.call('settings.update', { delegationChildren: 1 });
    await agent.call('orchestrations.resume', { orchestrationId: id });
    expect(await agentOf(id, 'rests')).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('child session'),
    });
    await c.client.call('sessions.stop', { sessionId: child.sessionId });
    await reached(id, 'the agent to continue', (status) => status.agents[0]?.state === 'running');
    await c.client.call('settings.update', { delegationChildren: 5 });
    await agent.call('orchestrations.cancel', { orchestrationId: id });
  });

  it.each(['own', 'shared'] as const)(
    'can be removed while its orchestration goes on with isolation %s',
    async (isolation) => {
      const root = await startRoot(c, { prompt: '@report succeeded created', title: 'Creator' });
      const agents = ['first', 'second'].map((agentId) => ({
        agentId,
        role: 'worker',
        agenticTool: 'scripted',
        task: '@sleep 86400000',
      }));
      const plan = { objective: 'Goes on', strategy: 'sequential', isolation, agents, start: true } as const;
      const { id } = await asWorker(c, root.workerId).call('orchestrations.create', plan);
      await workerOf(id, 'first');
      const { sessionId } = root;
      await c.client.call('sessions.stop', { sessionId });
      await c.client.call('sessions.remove', { sessionId });
      await reportAs(id, 'first');
      await reportAs(id, 'second');
      expect(await ended(id)).toMatchObject({ state: 'completed', errorMessage: null });
      const second = await agentOf(id, 'second');
      const made = await c.client.call('sessions.get', { sessionId: second.sessionId ?? '' });
      expect(made).toMatchObject({ depth: 1 });
    },
  );
});
