import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { startTestApp } from '../support/app.ts';
import { openTools, refusal, send } from '../support/calling.ts';
import type { TestApp } from '../support/test-app.ts';

/** Properties that every plain object inherits. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'];

let c: TestApp;
let root: AgentHandle;
beforeAll(async () => {
  c = await startTestApp();
  root = await startRoot(c);
});
afterAll(() => c.close());

describe('an agent id that is the name of an inherited property', () => {
  it.each(INHERITED)('%s does not resolve to a definition', async (id) => {
    const answer = await send(c, 'GET', `/agents/${id}`);
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
  });

  it.each(INHERITED)('%s is rejected wherever an agent is chosen', async (agentId) => {
    const session = { sessionId: root.sessionId };
    const refused = await Promise.all([
      refusal(c.client.call('sessions.create', { cwd: c.folder, agentId })),
      refusal(c.client.call('delegations.create', { repositoryId: c.repository.id, prompt: 'x', agentId })),
      refusal(
        c.client.call('worktrees.create', {
          repositoryId: c.repository.id,
          mode: 'custom',
          branch: 'x',
          autoStartSession: true,
          agentId,
        }),
      ),
      refusal(c.client.call('sessions.prompt', { ...session, prompt: 'x', mode: 'subsession', agentId })),
      refusal(c.client.call('sessions.spawn', { ...session, prompt: 'x', agentId })),
    ]);
    for (const { code } of refused) expect(['VALIDATION', 'AGENT_UNAVAILABLE']).toContain(code);
  });

  it('is rejected over MCP, also as an argument name', async () => {
    const tools = await openTools(c, root.token);
    const delegate = (args: string) => refusal(tools.call('delegate_to_worktree', JSON.parse(args)));
    expect(await delegate('{"prompt":"x","branch":"b","agentId":"__proto__"}')).toMatchObject({ code: 'VALIDATION' });
    // Leaves out `__proto__`, because the MCP packages drop an argument of this name.
    for (const name of INHERITED.slice(1)) {
      expect(
        await delegate(`{"prompt":"x","branch":"b-${name.length}","${name}":{"title":"inherited"}}`),
      ).toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining(name),
      });
    }
    await tools.close();
  });
});

describe('the id of a definition that an earlier version stored', () => {
  const id = 'My Agent_2';
  const encoded = encodeURIComponent(id);

  beforeAll(async () => {
    const path = join(c.home, 'console.db');
    await c.client.call('agents.create', { id: 'old', name: 'Old', command: ['sh'] });
    const session = await c.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'old',
      title: 'Of the old agent',
    });
    await c.client.call('settings.update', { defaultAgentId: 'old' });
    const database = new LibSql(path, { timeout: 5_000 });
    database.prepare(`update agents set id = '${id}' where id = 'old'`).run();
    database.prepare(`update sessions set agentId = '${id}' where id = '${session.id}'`).run();
    database.prepare(`update settings set value = '"${id}"' where key = 'defaultAgentId'`).run();
    database.close();
  });

  it('can be read', async () => {
    expect((await send(c, 'GET', `/agents/${encoded}`)).body).toMatchObject({ id, name: 'Old' });
  });

  it('cannot be changed to an id that is taken or not allowed', async () => {
    expect(await refusal(c.client.call('agents.update', { id, newId: 'codex' }))).toMatchObject({ code: 'CONFLICT' });
    expect(await refusal(c.client.call('agents.update', { id, newId: 'claude-code-builtin' }))).toMatchObject({
      code: 'CONFLICT',
    });
    expect(await refusal(c.client.call('agents.update', { id, newId: 'My Agent' }))).toMatchObject({
      code: 'VALIDATION',
    });
  });

  it('can be changed, which updates its sessions and the default agent', async () => {
    expect(await c.client.call('agents.update', { id, newId: 'my-agent', name: 'New' })).toMatchObject({
      id: 'my-agent',
      name: 'New',
    });
    expect(await refusal(c.client.call('agents.get', { id }))).toMatchObject({ code: 'NOT_FOUND' });
    expect((await c.client.call('settings.get', {})).defaultAgentId).toBe('my-agent');
    const { data } = await c.client.call('sessions.list', {});
    expect(data.find(({ title }) => title === 'Of the old agent')).toMatchObject({ agentId: 'my-agent' });
    await c.client.call('settings.update', { defaultAgentId: 'scripted' });
    await c.client.call('agents.remove', { id: 'my-agent' });
  });
});

describe('the default agent', () => {
  const byDefault = async () => (await c.client.call('settings.get', {})).defaultAgentId;

  it.each(['no-such-agent', 'constructor'])('cannot be set to %s, which is not defined', async (defaultAgentId) => {
    const before = await byDefault();
    expect(await refusal(c.client.call('settings.update', { defaultAgentId, liveSessions: 7 }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(
        /^defaultAgentId: no agent ".*" is defined; choose one of claude-code, .*scripted/,
      ),
      details: { field: 'defaultAgentId' },
    });
    expect(await byDefault()).toBe(before);
    expect((await c.client.call('settings.get', {})).liveSessions).not.toBe(7);
  });

  it("is stored by the agent's own id, and its definition cannot be removed", async () => {
    await c.client.call('agents.create', { id: 'mine', name: 'Mine', command: ['sh'] });
    await c.client.call('settings.update', { defaultAgentId: 'mine' });
    expect(await refusal(c.client.call('agents.remove', { id: 'mine' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Choose another default agent'),
    });
    await c.client.call('settings.update', { defaultAgentId: 'claude-code-builtin' });
    expect(await byDefault()).toBe('claude-code');
    await c.client.call('agents.remove', { id: 'mine' });
  });
});
