import { join } from 'node:path';
import { shortId } from '@agent-console/shared/ids';
import type { OrchestrationEvent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stored } from '../e2e/support/people.ts';
import { transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, resultOf, runCommand, send } from '../support/calling.ts';
import { replayed, storedStates } from '../support/orchestration-replay.ts';
import { busy, done, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { create, status, reached, agentOf, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(() => c);

const command = (name: 'start' | 'pause' | 'resume' | 'cancel', orchestrationId: string) =>
  c.client.call(`orchestrations.${name}`, { orchestrationId });
const waiting = (id: string, agentId: string, state: string) =>
  reached(id, `${agentId} to be ${state}`, ({ agents }) =>
    agents.some((agent) => agent.agentId === agentId && agent.state === state),
  );
const countOf = async (id: string, type: string) =>
  (await eventsOf(id)).filter(({ eventType }) => eventType === type).length;
const worker = (agentId: string, task = busy) => ({ agentId, role: 'engineer', task });

describe('an orchestration', () => {
  it('has an id that is a UUIDv7, later ones have greater ids, and a short id is enough', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await create([worker('a')])).id);
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...made].sort()).toEqual(made);
    for (const id of made) expect((await status(shortId(id))).id).toBe(id);
  });

  it('has the workspace hash of its repository, by which lists are filtered', async () => {
    const other = await c.addRepository('other');
    const [one, two] = [await create([worker('a')]), await create([worker('a')])];
    const elsewhere = await create([worker('a')], { repositoryId: other.id });
    expect(one.workspaceHash).toMatch(/^[0-9a-f]{16}$/);
    expect(two.workspaceHash).toBe(one.workspaceHash);
    expect(elsewhere.workspaceHash).not.toBe(one.workspaceHash);
    const listed = async (workspaceHash: string) => {
      const { data } = await c.client.call('orchestrations.list', { workspaceHash, limit: 500 });
      return data.map(({ id }) => id);
    };
    expect(await listed(elsewhere.workspaceHash)).toEqual([elsewhere.id]);
    expect(await listed(one.workspaceHash)).toEqual(expect.arrayContaining([one.id, two.id]));
    expect(await listed(one.workspaceHash)).not.toContain(elsewhere.id);
  });

  it('is refused without an objective, with a blank one, and with more than 1 000 agents', async () => {
    const { total } = await c.client.call('orchestrations.list', {});
    const agents = [{ role: 'engineer', task: 'x', agenticTool: 'scripted' }];
    const many = Array.from({ length: 1_001 }, () => agents[0]);
    for (const [field, body] of [
      ['objective', { agents }],
      ['objective', { objective: '', agents }],
      ['objective', { objective: ' \n\t', agents }],
      ['agents', { objective: 'Too many', agents: many }],
    ] as const) {
      const answer = await send(c, 'POST', '/orchestrations', { repositoryId: c.repository.id, ...body });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION' } } });
      expect(JSON.stringify(answer.body)).toContain(`"path":"${field}"`);
    }
    expect((await c.client.call('orchestrations.list', {})).total).toBe(total);
  });

  it('has times that are set once, in order, and not by refused commands', async () => {
    const made = await create([worker('a')]);
    expect(made).toMatchObject({ startedAt: null, completedAt: null });
    const { startedAt } = await command('start', made.id);
    expect(startedAt).not.toBeNull();
    expect(await refusal(command('start', made.id))).toMatchObject({ code: 'CONFLICT', details: { state: 'running' } });
    await command('pause', made.id);
    await command('resume', made.id);
    const begun = await agentOf(made.id, 'a');
    await reportAs(made.id, 'a');
    const end = await ended(made.id);
    expect(end.startedAt).toBe(startedAt);
    expect(end.agents[0]?.startedAt).toBe(begun.startedAt);
    for (const name of ['start', 'resume', 'cancel'] as const)
      expect((await refusal(command(name, made.id))).code).toBe('CONFLICT');
    expect(await status(made.id)).toMatchObject({ startedAt, completedAt: end.completedAt });
    for (const times of [end, end.agents[0]]) {
      const list = [times?.createdAt, times?.startedAt, times?.completedAt];
      for (const time of list) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect([...list].sort()).toEqual(list);
    }
  });
});

describe('agents', () => {
  it('run all at once in parallel, and side by side between the ends of a diamond', async () => {
    const four = await create(
      ['a', 'b', 'c', 'd'].map((name) => worker(name)),
      { start: true },
    );
    expect(statesOf(await status(four.id))).toEqual({ a: 'running', b: 'running', c: 'running', d: 'running' });
    await command('cancel', four.id);
    const { id } = await create(
      [
        worker('a', done()),
        { ...worker('b'), dependencies: ['a'] },
        { ...worker('c'), dependencies: ['a'] },
        { ...worker('d', done()), dependencies: ['b', 'c'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    for (const name of ['b', 'c']) await waiting(id, name, 'running');
    expect(statesOf(await status(id))).toEqual({ a: 'completed', b: 'running', c: 'running', d: 'pending' });
    await reportAs(id, 'c');
    await waiting(id, 'c', 'completed');
    expect(statesOf(await status(id))).toMatchObject({ b: 'running', d: 'pending' });
    await reportAs(id, 'b');
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });

  it('that report twice are counted once', async () => {
    const { id } = await create([worker('a'), worker('b')], { start: true });
    const { id: workerId, sessionId } = await workerOf(id, 'a');
    await reportAs(id, 'a', 'succeeded', 'the first');
    await waiting(id, 'a', 'completed');
    // `usage` is not compared, because the console reads it a moment after the agents report.
    const agentsOf = async () => (await status(id)).agents.map((agent) => ({ ...agent, usage: null }));
    const [before, events] = [await agentsOf(), await eventsOf(id)];
    for (const outcome of ['succeeded', 'failed'] as const) {
      const again = asWorker(c, workerId).call('sessions.report', { sessionId, outcome, summary: 'the second' });
      expect(await refusal(again)).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await status(id)).toMatchObject({ completedAgents: 1, failedAgents: 0 });
    expect(await agentsOf()).toEqual(before);
    expect(await eventsOf(id)).toEqual(events);
    await command('cancel', id);
  });

  it('are ended with their processes when fail_fast ends the run', async () => {
    const { id } = await create([worker('a'), worker('b'), { ...worker('c'), allowFailure: true }], {
      onFailure: 'fail_fast',
      start: true,
    });
    const { id: cancelled } = await workerOf(id, 'b');
    await reportAs(id, 'c', 'failed');
    await waiting(id, 'c', 'failed');
    expect((await status(id)).state).toBe('running');
    await reportAs(id, 'a', 'failed', 'no way');
    const end = await ended(id);
    expect(statesOf(end)).toEqual({ a: 'failed', b: 'cancelled', c: 'failed' });
    expect(end).toMatchObject({ state: 'failed', agents: [{}, { reason: 'fail_fast' }, {}] });
    await c.until('the end of the process', () => !c.runner.lives(cancelled));
  });

  it('run after one that may fail has failed, and know why', async () => {
    const { id } = await create(
      [
        { ...worker('a', '@report failed no network'), allowFailure: true },
        { ...worker('b', done()), dependencies: ['a'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    const end = await ended(id);
    expect(end).toMatchObject({ state: 'completed', completedAgents: 1, failedAgents: 1, errorMessage: null });
    const { prompt } = await c.client.call('tasks.get', { taskId: end.agents[1]?.taskId ?? '' });
    expect(prompt).toContain('no network');
  });

  it('continue the conversation they had before an interruption', async () => {
    const { id } = await create([worker('a', `@say before the pause\n${busy}`)], { start: true });
    const { sessionId, id: workerId } = await workerOf(id, 'a');
    await c.until('its first words', () => transcriptOf(c, sessionId).some(({ text }) => text === 'before the pause'));
    await c.client.call('orchestrations.pause', { orchestrationId: id, interrupt: true });
    await c.until('the end of the process', () => !c.runner.lives(workerId));
    await command('resume', id);
    await waiting(id, 'a', 'running');
    expect((await workerOf(id, 'a')).sessionId).toBe(sessionId);
    const continued = await c.until('the prompt to continue', () => {
      const texts = transcriptOf(c, sessionId).map(({ text = '' }) => text);
      return texts.some((text) => text.includes('paused and continues now')) ? texts : undefined;
    });
    expect(continued.indexOf('before the pause')).toBeGreaterThanOrEqual(0);
    await command('cancel', id);
  });

  it("pass on their changed files and the console's own check of their commit", async () => {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'test -f made.txt' });
    const { id } = await create(
      [
        worker('maker', `@write made.txt made\\n\n@commit Make it\n${busy}`),
        worker('idler', done('nothing to do')),
        { ...worker('judge', done()), dependencies: ['maker', 'idler'] },
      ],
      { strategy: 'adaptive', start: true },
    );
    const maker = await workerOf(id, 'maker');
    const { worktreeId, branch } = await agentOf(id, 'maker');
    await c.until('the commit', () => c.git(['log', '--format=%s', branch ?? '']).includes('Make it'));
    const checking = asWorker(c, maker.id).call('worktrees.check', { worktreeId: worktreeId ?? '', wait: true });
    expect(await resultOf(checking)).toMatchObject({ check: { passed: true, clean: true } });
    await reportAs(id, 'maker', 'succeeded', 'made it');
    const end = await ended(id);
    const { prompt } = await c.client.call('tasks.get', { taskId: end.agents[2]?.taskId ?? '' });
    const [commit, base] = [branch ?? '', 'main'].map((name) => c.git(['rev-parse', name]).trim());
    const where = `at commit ${commit} (branch created from ${base})`;
    expect(prompt).toContain(`${where}, check passed\n> Changed files: "made.txt", `);
    expect(prompt).toMatch(/^idler .* at commit \w+ \(branch created from \w+\)\n> Changed files: "notes\//m);
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: null });
  });
});

describe('a restart', () => {
  it('that ends agents is recorded once for each orchestration that runs or is paused, before the first call is answered', async () => {
    const runs = await create([worker('a')], { start: true });
    await workerOf(runs.id, 'a');
    const rests = await create([worker('a')], { start: true });
    await workerOf(rests.id, 'a');
    await command('pause', rests.id);
    const over = await create([worker('a', done())], { start: true });
    await ended(over.id);
    const waits = await create([worker('a')]);
    const all = [runs, rests, over, waits];
    await c.reboot();
    const counts = await Promise.all(all.map(({ id }) => countOf(id, 'recovery')));
    expect(counts).toEqual([1, 1, 0, 0]);
    for (const { id } of [runs, rests]) await command('cancel', id);
  });

  it.each([
    ['succeeded', 'completed'],
    ['failed', 'failed'],
  ] as const)('ends an orchestration whose last agent %s before the server died', async (outcome, state) => {
    const { id } = await create([worker('a')], { start: true });
    await command('pause', id);
    await reportAs(id, 'a', outcome);
    await waiting(id, 'a', state);
    // Restores the state in which the end of the last agent is stored, but not yet the end of the orchestration.
    const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
    database
      .prepare("update orchestrations set state = 'running', paused_by = null, paused_at = null where id = ?")
      .run(id);
    database.close();
    await c.restart();
    expect(await ended(id)).toMatchObject({ state });
    await c.restart();
    expect(await countOf(id, `session_${state}`)).toBe(1);
  });
});

describe('the events', () => {
  it('reach a follower once and in order, also if it reconnects while a hundred of them arrive', async () => {
    const { id } = await create([worker('a')], { start: true });
    const me = asWorker(c, (await workerOf(id, 'a')).id);
    const reporting = (async () => {
      for (let n = 1; n <= 100; n += 1)
        await me.call('orchestrations.report', { progress: n / 100, status: `step ${n}` });
    })();
    const first = await follow(id, 0, (events) => events.length >= 40);
    const second = follow(id, first.at(-1)?.id ?? 0, () => false);
    await reporting;
    await command('cancel', id);
    const seen = [...first, ...(await second)];
    expect(seen).toEqual(await eventsOf(id));
    expect(seen.filter(({ eventType }) => eventType === 'progress')).toHaveLength(100);
    expect(seen.at(-1)?.eventType).toBe('session_cancelled');
  });

  it('name artifacts and integrations, and give the exact final state', async () => {
    const { id } = await create(
      [worker('a', `@write a.txt a\\n\n@commit Write\n${busy}`), worker('b', '@report failed no way'), worker('c')],
      { onFailure: 'continue', integrate: { into: 'with-artifacts' }, start: true },
    );
    const { id: workerId } = await workerOf(id, 'a');
    const { branch } = await agentOf(id, 'a');
    await c.until('the commit', () => c.git(['log', '--format=%s', branch ?? '']).includes('Write'));
    await waiting(id, 'b', 'failed');
    await asWorker(c, workerId).call('orchestrations.report', { artifacts: ['a.txt'] });
    await c.client.call('orchestrations.addAgents', {
      orchestrationId: id,
      agents: [{ role: 'late', task: done(), agenticTool: 'scripted' }],
    });
    await reportAs(id, 'a');
    await reportAs(id, 'c');
    await ended(id);
    await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'b' });
    const end = await ended(id);
    const events = await eventsOf(id);
    expect(events.find(({ eventType }) => eventType === 'artifact')).toMatchObject({
      agentId: 'a',
      data: { artifacts: ['a.txt'] },
    });
    expect(replayed(events)).toEqual(storedStates(end));
    expect(replayed(events)).toMatchObject({ agentCount: 4, completedAgents: 3, failedAgents: 1 });

    const good = await create([worker('a', `@write b.txt b\\n\n@commit Write\n${done()}`)], {
      integrate: { into: 'with-events' },
      start: true,
    });
    const { integration } = await ended(good.id);
    const integrations = (await eventsOf(good.id)).filter(({ eventType }) => eventType === 'integration');
    expect(integrations.map(({ agentId, data }) => [agentId, data.state])).toEqual([
      [null, 'running'],
      ['a', 'running'],
      [null, 'integrated'],
    ]);
    expect(integrations.at(-1)).toMatchObject({ data: { commit: integration?.commit } });
  });
});

it('agents that resolve conflicts work for the orchestration, which fails when three of them did not merge', async () => {
  await c.client.call('settings.update', { reminderSeconds: 0 });
  const writes = (text: string) => `@write same.txt ${text}\\n\n@commit Write ${text}\n${done()}`;
  const { id } = await create([worker('a', writes('one')), worker('b', writes('two'))], {
    integrate: { into: 'unresolved', resolve: true },
    start: true,
  });
  const end = await ended(id);
  expect(end).toMatchObject({ state: 'failed', integration: { state: 'conflicts', integrated: ['a'] } });
  const { data } = await c.client.call('sessions.list', { limit: 500 });
  const resolving = data.filter(({ orchestrationId, title }) => orchestrationId === id && title.startsWith('Resolve'));
  expect(end.budgetUsed.agents).toBe(2 + resolving.length);
  expect(resolving.map(({ depth }) => depth)).toEqual(resolving.map(() => 1));
  expect(resolving.length).toBeGreaterThan(0);
});

it('a removed orchestration leaves no session and no question that names it', async () => {
  const using = (tokens: number) => `@say ${'word'.repeat(tokens)}\n${done()}`;
  const { id } = await create([worker('a', using(2_000)), worker('b', done())], {
    strategy: 'sequential',
    budget: { tokens: 1_000 },
    start: true,
  });
  await reached(id, 'the question', ({ pausedBy }) => pausedBy === 'budget');
  await command('resume', id);
  await ended(id);
  const naming = () =>
    ['sessions', 'approvals'].map(
      (table) => stored(c, `select 1 from ${table} where "orchestrationId" = '${id}'`).length,
    );
  expect(naming()).toEqual([2, 1]);
  await c.client.call('orchestrations.cleanup', { olderThanDays: 0, archive: false });
  expect(naming()).toEqual([0, 0]);
});

it('MCP, REST and the command line lead to the same states', async () => {
  const { token } = await c.client.call('tokens.create', { name: 'states' });
  const tools = await openTools(c, token, '?toolsets=orchestrations');
  type Caller = (name: OperationName, input: Record<string, unknown>) => Promise<unknown>;
  const callers: Record<string, Caller> = {
    rest: (name, input) => c.client.run(contractOf(name), input),
    cli: (name, input) => runCommand(c, contractOf(name), input),
    mcp: (name, input) => tools.call(name.replace('.', '_'), input),
  };
  const seen: Record<string, unknown[]> = {};
  for (const [surface, call] of Object.entries(callers)) {
    const { id: orchestrationId } = (await call('orchestrations.create', {
      objective: 'Same everywhere',
      strategy: 'sequential',
      repositoryId: c.repository.id,
      agents: ['a', 'b'].map((name) => ({ ...worker(name), agenticTool: 'scripted' })),
    })) as OrchestrationStatus;
    const steps: unknown[] = [];
    for (const name of [null, 'start', 'pause', 'resume', 'cancel'] as const) {
      if (name !== null) await call(`orchestrations.${name}`, { orchestrationId });
      steps.push(factsOf((await call('orchestrations.get', { orchestrationId })) as OrchestrationStatus));
    }
    seen[surface] = [...steps, (await eventsOf(orchestrationId)).map(({ eventType, agentId }) => [eventType, agentId])];
  }
  await tools.close();
  expect(seen.cli).toEqual(seen.rest);
  expect(seen.mcp).toEqual(seen.rest);
  expect(seen.rest?.map((each) => (each as { state?: string }).state)).toEqual([
    'created',
    'running',
    'paused',
    'running',
    'cancelled',
    undefined,
  ]);
});

const factsOf = ({ state, progress, agentCount, completedAgents, failedAgents, agents }: OrchestrationStatus) => ({
  state,
  progress,
  agentCount,
  completedAgents,
  failedAgents,
  agents: agents.map((agent) => [agent.agentId, agent.state]),
});

/** Follows the stream of an orchestration until it ends or `isEnough` returns true, and returns its events. */
async function follow(
  id: string,
  after: number,
  isEnough: (events: readonly OrchestrationEvent[]) => boolean,
): Promise<OrchestrationEvent[]> {
  const leaving = new AbortController();
  const answer = await fetch(`${c.baseUrl}/api/orchestrations/${id}/events/stream`, {
    headers: { 'last-event-id': String(after) },
    signal: leaving.signal,
  });
  let text = '';
  let events: OrchestrationEvent[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 1);
    events = [...whole.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as OrchestrationEvent);
    if (isEnough(events)) break;
  }
  leaving.abort();
  return events;
}
