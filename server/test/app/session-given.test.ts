import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient, tokenOf } from '../support/calling.ts';

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
let worktreeId: string;
let cwd: string;

const FILES = ['docs/a.md', 'docs/b c.md'];

const ended = (taskId: unknown) =>
  c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId: String(taskId) });
    return task.endedAt !== null && task;
  });
const said = async (sessionId: unknown) =>
  (await c.client.call('sessions.messages', { sessionId: String(sessionId) })).data
    .filter(({ role }) => role === 'agent')
    .map(({ parts }) => (parts as { text: string }[])[0]?.text);

beforeAll(async () => {
  c = await startTestApp();
  own = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: 'own',
    prompt: '@say ready',
  });
  await ended(own.taskId);
  tools = await openTools(c, tokenOf(c, own.workerId));
  const session = await c.client.call('sessions.get', { sessionId: own.sessionId });
  worktreeId = session.worktreeId ?? '';
  cwd = session.cwd;
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/a.md'), 'first');
  writeFileSync(join(cwd, 'docs/b c.md'), 'the second');
  writeFileSync(join(c.folder, 'outside.md'), 'not for agents');
  symlinkSync(join(c.folder, 'outside.md'), join(cwd, 'docs/away.md'));
  symlinkSync('a.md', join(cwd, 'docs/near.md'));
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

describe('context files of a session', () => {
  it('are named above its first prompt, and above no later one', async () => {
    const made = await c.client.call('sessions.create', {
      worktreeId,
      agentId: 'scripted',
      contextFiles: ['docs/a.md', './docs//b c.md', 'docs/a.md'],
    });
    expect(made.contextFiles).toEqual(FILES);
    const first = await c.client.call('sessions.prompt', { sessionId: made.id, prompt: '@say one' });
    await ended(first.taskId);
    await ended((await c.client.call('sessions.prompt', { sessionId: made.id, prompt: '@recall 1\n@say two' })).taskId);
    const words = await said(made.id);
    expect(words.slice(0, 3)).toEqual([
      'context file docs/a.md (5 bytes)',
      'context file docs/b c.md (10 bytes)',
      'one',
    ]);
    expect(words[3]).toContain('Context files: "docs/a.md", "docs/b c.md"');
    expect(words.slice(4)).toEqual(['two']);
    expect(await c.client.call('tasks.get', { taskId: first.taskId })).toMatchObject({ prompt: '@say one' });
  });

  it('can be set by an agent for a session it creates, and are returned with the session', async () => {
    const made = await tools.call('agor_sessions_create', {
      worktreeId,
      agenticTool: 'scripted',
      contextFiles: FILES,
      initialPrompt: '@report succeeded begun',
    });
    await ended(made.taskId);
    // The console may store the report before the lines that the agent printed earlier.
    const words = await c.until('both lines', async () => {
      const found = (await said(made.entity_id)).filter((text) => text?.startsWith('context file'));
      return found.length === 2 && found;
    });
    expect(words).toEqual(['context file docs/a.md (5 bytes)', 'context file docs/b c.md (10 bytes)']);
    expect(made.entity).toMatchObject({ context_files: FILES });
    const sessionId = String(made.entity_id);
    expect(await tools.call('agor_sessions_get', { sessionId })).toMatchObject({ context_files: FILES });
  });

  it('are inherited by a fork, whose conversation has them, and not by a subsession', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', {
      worktreeId,
      agentId: 'scripted',
      contextFiles: ['docs/near.md'],
    });
    await ended((await c.client.call('sessions.prompt', { sessionId, prompt: '@say one' })).taskId);
    const fork = await c.client.call('sessions.fork', { sessionId, prompt: '@say fork' });
    await ended(fork.taskId);
    expect(await said(fork.sessionId)).toEqual(['context file docs/near.md (5 bytes)', 'one', 'fork']);
    const given = async (id: string) => (await c.client.call('sessions.get', { sessionId: id })).contextFiles;
    expect(await given(fork.sessionId)).toEqual(['docs/near.md']);
    const child = await c.client.call('sessions.spawn', { sessionId, prompt: '@say child' });
    expect(await given(child.sessionId)).toEqual([]);
  });

  it.each([
    ['/etc/hostname', 'outside'],
    ['../outside.md', 'outside'],
    ['docs/../../x', 'outside'],
    ['docs/away.md', 'outside'],
    ['docs/none.md', 'does not exist'],
    ['docs', 'is a folder'],
    ['.', 'is a folder'],
    ['a\nb', 'one line'],
    ['a\u2028b', 'one line'],
    ['a\u202eb', 'change the text direction'],
    ['', 'at least 1 character'],
  ])('are rejected by field and path if one is %j, and nothing is created', async (path, why) => {
    const before = (await c.client.call('sessions.list', { worktreeId })).total;
    const contextFiles = ['docs/a.md', path];
    const error = await refusal(c.client.call('sessions.create', { worktreeId, agentId: 'scripted', contextFiles }));
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/^contextFiles/) });
    expect(error.message).toContain(why);
    if (/^[ -~]+$/.test(path)) expect(error.details).toMatchObject({ field: 'contextFiles', path });
    const tool = tools.call('agor_sessions_create', { worktreeId, agenticTool: 'scripted', contextFiles });
    expect(await refusal(tool)).toMatchObject({ code: 'VALIDATION', message: error.message });
    expect((await c.client.call('sessions.list', { worktreeId })).total).toBe(before);
  });

  it('are rejected if the folder of the worktree was deleted', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'deleted',
      prompt: '@say ready',
    });
    await ended(made.taskId);
    const session = await c.client.call('sessions.get', { sessionId: made.sessionId });
    rmSync(session.cwd, { recursive: true });
    const fields = { worktreeId: session.worktreeId ?? '', agentId: 'scripted' };
    for (const [path, why] of [
      ['readme.md', 'does not exist'],
      ['../readme.md', 'outside'],
    ] as const) {
      const error = await refusal(c.client.call('sessions.create', { ...fields, contextFiles: [path] }));
      expect(error).toMatchObject({ code: 'VALIDATION', details: { field: 'contextFiles', path } });
      expect(error.message).toContain(why);
    }
  });

  it('are named to an agent that restarts after the server did, even if one is missing', async () => {
    const made = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted', contextFiles: FILES });
    await c.restart();
    const kept = readFileSync(join(cwd, 'docs/b c.md'));
    rmSync(join(cwd, 'docs/b c.md'));
    const sessionId = made.id;
    await ended((await c.client.call('sessions.prompt', { sessionId, prompt: '@say on' })).taskId);
    writeFileSync(join(cwd, 'docs/b c.md'), kept);
    expect(await said(sessionId)).toEqual([
      'context file docs/a.md (5 bytes)',
      'context file docs/b c.md is gone',
      'on',
    ]);
    expect((await c.client.call('sessions.get', { sessionId })).contextFiles).toEqual(FILES);
  });
});
