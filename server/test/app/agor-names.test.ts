import { shortId } from '@agent-console/shared/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient, tokenOf } from '../support/calling.ts';
import type { TestApp } from '../support/test-app.ts';

let c: TestApp;
let own: { sessionId: string; workerId: string; worktreeId: string };
let tools: ToolClient;
beforeAll(async () => {
  c = await startTestApp();
  const { sessionId, workerId } = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    prompt: '@say ready',
  });
  const { worktreeId } = await c.client.call('sessions.get', { sessionId });
  own = { sessionId, workerId, worktreeId: worktreeId ?? '' };
  tools = await openTools(c, tokenOf(c, workerId));
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

describe('the arguments of a tool', () => {
  it('of a spawn include those of its first design: a parent by short id, and an agent', async () => {
    const first = await tools.call('agor_sessions_spawn', { prompt: '@say one', notifyOnCompletion: false });
    const parentId = String(first.sessionId);
    const prompt = '@say two';
    const named = { parentId: shortId(parentId), agent: 'scripted', prompt, notifyOnCompletion: false };
    const second = await tools.call('agor_sessions_spawn', named);
    expect(await tools.call('agor_sessions_get', { sessionId: second.sessionId })).toMatchObject({
      agentic_tool: 'scripted',
      genealogy: { parent_session_id: parentId },
    });
    expect(await tools.call('agor_sessions_get', { sessionId: parentId })).toMatchObject({
      genealogy: { parent_session_id: own.sessionId },
    });
  });

  it('name each field once', async () => {
    const twice = { parentId: own.sessionId, sessionId: own.sessionId, prompt: 'x' };
    const error = await refusal(tools.call('agor_sessions_spawn', twice));
    expect(error).toMatchObject({
      code: 'VALIDATION',
      details: { field: expect.stringMatching(/^(parent|session)Id$/) },
    });
    expect(error.message).toMatch(/is an alias of (parent|session)Id/);
  });

  it('that moved to another tool are rejected with the name of that tool', async () => {
    const session = { worktreeId: own.worktreeId, agenticTool: 'scripted' };
    for (const field of ['boardId', 'zoneId']) {
      const error = await refusal(tools.call('agor_sessions_create', { ...session, [field]: 'x' }));
      expect(error.message).toContain(`${field}: a session appears on the board of its worktree`);
    }
  });
});

describe('an error of a tool', () => {
  it('names its arguments as the tool does, not as the operation behind it', async () => {
    const { sessionId, worktreeId } = own;
    const prompt = 'x';
    const mode = 'continue';
    const cases: [tool: string, args: Record<string, unknown>, says: string][] = [
      ['agor_sessions_create', { worktreeId, agenticTool: 'nope' }, 'agenticTool: no agent "nope" is defined'],
      [
        'agor_sessions_prompt',
        { sessionId, prompt, mode, agenticTool: 'codex' },
        'agenticTool: a session cannot change its agent',
      ],
      ['agor_sessions_spawn', { prompt, agent: 'nope' }, 'agent: no agent "nope"'],
      ['agor_sessions_spawn', { prompt, agenticTool: 'nope' }, 'agenticTool: no agent "nope"'],
      // The error message quotes the caller's value unchanged, even if the value equals the name of a field that the
      // tool renames.
      ['agor_sessions_spawn', { prompt, agenticTool: 'agentId' }, 'agenticTool: an agent id may only contain'],
    ];
    for (const [tool, args, says] of cases) {
      const { message, details } = await refusal(tools.call(tool, args));
      expect(message, tool).toContain(says);
      expect(message.replaceAll('"agentId"', ''), tool).not.toContain('agentId');
      if (details.field !== undefined) expect(Object.keys(args), tool).toContain(details.field);
    }
  });

  it('of a tool with the names of the operation is unchanged', async () => {
    const error = await refusal(tools.call('delegate_to_worktree', { prompt: 'x', agentId: 'nope' }));
    expect(error.message).toContain('agentId');
  });

  it('names a tool where the operation names a path', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    const quick = await openTools(c, tokenOf(c, workerId));
    const error = await refusal(quick.call('delegate_to_worktree', { prompt: 'x' }));
    await quick.close();
    expect(error).toMatchObject({ details: { field: 'repositoryId' } });
    expect(error.message).toContain('agor_repos_list lists the repositories');
  });
});
