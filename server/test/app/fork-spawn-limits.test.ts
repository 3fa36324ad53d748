import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, resultOf, tokenOf } from '../support/calling.ts';

let c: InProcessApp;
let counter = 0;
beforeAll(async () => {
  c = await startTestApp();
  await c.client.call('settings.update', { delegationChildren: 20, delegationDepth: 3 });
});
afterAll(() => c.close());

const get = (sessionId: string) => c.client.call('sessions.get', { sessionId });

/** Creates a session in its own worktree. The session's agent has finished its prompt and still runs. */
async function done() {
  counter += 1;
  const given = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: `given-${counter}`,
    prompt: '@say first words',
  });
  const { taskId } = given;
  await c.until('its end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
  return { ...given, tools: await openTools(c, tokenOf(c, given.workerId)) };
}

describe('a session created by an agent', () => {
  it('has no higher permission than the agent, while a person can fork into more', async () => {
    const { sessionId, tools } = await done();
    await c.client.call('sessions.update', { sessionId, permissionMode: 'default', permissionCeiling: 'acceptEdits' });
    const child = await tools.call('agor_sessions_fork', { prompt: '@say x' });
    const { permissionConfig } = await get(String(child.sessionId));
    expect(permissionConfig).toMatchObject({ mode: 'default', ceiling: 'acceptEdits' });
    for (const tool of ['agor_sessions_fork', 'agor_sessions_spawn']) {
      const call = tools.call(tool, { prompt: 'x', permissionMode: 'bypassPermissions' });
      expect(await refusal(call)).toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    const more = { sessionId, prompt: '@say x', permissionMode: 'bypassPermissions' as const };
    const forked = await c.client.call('sessions.fork', more);
    expect((await get(forked.sessionId)).permissionConfig).toMatchObject({
      mode: 'bypassPermissions',
      ceiling: 'bypassPermissions',
    });
    expect(await refusal(c.client.call('sessions.spawn', more))).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('is limited in depth and number, including forks among its children', async () => {
    const { sessionId, tools } = await done();
    const child = await tools.call('agor_sessions_spawn', { prompt: '@sleep 600000' });
    const below = await tools.call('agor_sessions_spawn', { sessionId: child.sessionId, prompt: '@sleep 600000' });
    expect((await get(String(below.sessionId))).depth).toBe(2);
    await c.client.call('settings.update', { delegationDepth: 2 });
    const deeper = tools.call('agor_sessions_spawn', { sessionId: below.sessionId, prompt: 'x' });
    expect(await refusal(deeper)).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'delegationDepth' } });
    await c.client.call('settings.update', { delegationChildren: 2 });
    expect(await refusal(tools.call('agor_sessions_spawn', { prompt: 'x' }))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', holders: expect.arrayContaining([child.sessionId, below.sessionId]) },
    });
    await c.client.call('settings.update', { delegationDepth: 3, delegationChildren: 20 });
    for (const id of [child, below, { sessionId }])
      await c.client.call('sessions.stop', { sessionId: String(id.sessionId) });
  });

  it('counts towards these limits when it gets a prompt of an agent, also if it was created for commands', async () => {
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'true' });
    await c.client.call('settings.update', { delegationDepth: 0 });
    const { sessionId: own, workerId } = await done();
    const agent = asWorker(c, workerId);
    const creation = { repositoryId, mode: 'custom', branch: 'checked', wait: true } as const;
    const { worktree } = await agent.call('worktrees.create', creation);
    const worktreeId = worktree?.id ?? '';
    await resultOf(agent.call('worktrees.check', { worktreeId, wait: true }));
    const { data } = await c.client.call('sessions.list', { worktreeId });
    const sessionId = data[0]?.id ?? '';

    const tooDeep = { code: 'LIMIT_EXCEEDED', details: { limit: 'delegationDepth', value: 0, depth: 1 } };
    expect(await refusal(agent.call('sessions.prompt', { sessionId, prompt: '@say x' }))).toMatchObject(tooDeep);
    expect(await refusal(agent.call('sessions.message', { sessionId, message: '@say x' }))).toMatchObject(tooDeep);
    expect(await refusal(agent.call('sessions.resume', { sessionId }))).toMatchObject(tooDeep);
    await agent.call('sessions.prompt', { sessionId: own, prompt: '@say own' });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    await c.client.call('tasks.cancel', { taskId: taskId ?? '' });
    expect(await refusal(agent.call('tasks.retry', { taskId: taskId ?? '' }))).toMatchObject(tooDeep);

    await c.client.call('settings.update', { delegationDepth: 1, delegationChildren: 1 });
    const child = await agent.call('sessions.spawn', { sessionId: own, prompt: '@sleep 600000' });
    expect(await refusal(agent.call('sessions.prompt', { sessionId, prompt: '@say x' }))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', holders: [child.sessionId] },
    });
    await agent.call('sessions.prompt', { sessionId: child.sessionId, prompt: '@say queued' });
    await c.client.call('settings.update', { delegationChildren: 2 });
    await agent.call('sessions.prompt', { sessionId, prompt: '@say x' });
    await c.client.call('settings.update', { delegationDepth: 3, delegationChildren: 20 });
    for (const id of [child.sessionId, sessionId, own]) await c.client.call('sessions.stop', { sessionId: id });
  });

  it('counts among the children of the session that created it, also if a session above prompts it', async () => {
    const top = await done();
    const agent = asWorker(c, top.workerId);
    const prompt = '@say ready';
    const child = await agent.call('delegations.create', { prompt, agentId: 'scripted' });
    await c.client.call('sessions.wait', { sessionId: child.sessionId, until: 'idle', timeoutSeconds: 45 });
    const childAgent = asWorker(c, child.workerId);
    const below = await Promise.all(
      [1, 2].map(() => childAgent.call('sessions.spawn', { sessionId: child.sessionId, prompt })),
    );
    for (const { taskId } of below)
      await c.until('its end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
    await c.client.call('settings.update', { delegationChildren: 1 });
    const [first = '', second = ''] = below.map(({ sessionId }) => sessionId);
    await agent.call('sessions.prompt', { sessionId: first, prompt: '@sleep 600000' });
    const refused = await refusal(agent.call('sessions.prompt', { sessionId: second, prompt }));
    expect(refused).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', holders: [first] },
    });
    expect(refused.message).toContain(`Session ${child.sessionId} already has`);
    await c.client.call('settings.update', { delegationChildren: 20 });
    for (const sessionId of [first, second, child.sessionId, top.sessionId])
      await c.client.call('sessions.stop', { sessionId });
  });

  it('is created from sessions in its reach, never in the main checkout or a folder', async () => {
    const mine = await done();
    const other = await done();
    const spawn = (sessionId: string) => mine.tools.call('agor_sessions_spawn', { sessionId, prompt: 'x' });
    expect(await refusal(spawn(other.sessionId))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await refusal(spawn('00000000-0000-7000-8000-000000000000'))).toMatchObject({
      code: 'NOT_FOUND',
      details: { sessionId: '00000000-0000-7000-8000-000000000000' },
    });
    expect((await get(other.sessionId)).genealogy.children).toEqual([]);
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const worker = await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    const call = asWorker(c, worker.id).call('sessions.spawn', { sessionId: id, prompt: 'x' });
    expect(await refusal(call)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});
