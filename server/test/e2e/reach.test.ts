import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { type AgentHandle, actAs, startRoot } from './support/root.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

async function childOf(
  parent: AgentHandle,
  prompt: string,
  title = 'Child',
): Promise<AgentHandle & { taskId: string }> {
  const made = await parent.client.call('delegations.create', { prompt, title });
  return { ...actAs(c, made.sessionId, made.workerId), taskId: made.taskId };
}

describe('a child', () => {
  it('can send its parent a message, but cannot type into any of its workers, not even a terminal', async () => {
    const parent = await startRoot(c);
    const terminal = await c.client.call('workers.create', { sessionId: parent.sessionId, type: 'terminal' });
    const child = await childOf(parent, '@sleep 60000');
    const owned = join(c.folder, 'owned');
    const message = `touch ${owned}`;
    const said = await child.client.call('sessions.message', {
      sessionId: parent.sessionId,
      workerId: terminal.id,
      message,
    });
    expect(said).toMatchObject({ success: true, noticeId: expect.any(String) });
    const { data } = await c.client.call('sessions.notices', { sessionId: parent.sessionId });
    expect(data).toMatchObject([{ kind: 'message', summary: message }]);
    const shown = await c.client.call('workers.output', { workerId: terminal.id });
    expect(shown.text).not.toContain('touch');
    expect(existsSync(owned)).toBe(false);
    await c.client.call('sessions.stop', { sessionId: child.sessionId });
    await c.client.call('sessions.stop', { sessionId: parent.sessionId });
  });

  it('can send long messages, which are not truncated', async () => {
    const parent = await startRoot(c);
    const child = await childOf(parent, '@sleep 60000');
    const message = 'word '.repeat(2_000).trim();
    await child.client.call('sessions.message', { sessionId: parent.sessionId, message });
    const { data } = await c.client.call('sessions.notices', { sessionId: parent.sessionId });
    expect(data[0]?.summary).toBe(message);
    await c.client.call('sessions.stop', { sessionId: child.sessionId });
    await c.client.call('sessions.stop', { sessionId: parent.sessionId });
  });

  it('counts towards the limits, whichever call created it', async () => {
    const parent = await startRoot(c);
    const { worktreePath, sessionId } = await parent.client.call('delegations.create', { prompt: '@sleep 60000' });
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    if (worktreeId === null) throw new Error(`${worktreePath} is a worktree`);
    const more = { worktreeId, agentId: 'scripted', initialPrompt: '@sleep 60000' };
    for (let n = 0; n < 4; n += 1) await parent.client.call('sessions.create', more);
    expect(await refusal(parent.client.call('sessions.create', more))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', value: 5 },
    });
    const { data } = await c.client.call('sessions.list', { worktreeId });
    for (const session of data) await c.client.call('sessions.stop', { sessionId: session.id });
    await c.client.call('sessions.stop', { sessionId: parent.sessionId });
  });
});

describe('a session without a running agent', () => {
  it("that its parent paused continues with the parent's next prompt", async () => {
    const parent = await startRoot(c);
    const child = await childOf(parent, '@sleep 60000');
    await parent.client.call('sessions.pause', { sessionId: child.sessionId });
    const paused = await c.client.call('tasks.get', { taskId: child.taskId });
    expect(paused).toMatchObject({ status: 'interrupted', outcomeSource: 'system' });
    const { taskId } = await parent.client.call('sessions.prompt', {
      sessionId: child.sessionId,
      prompt: '@report succeeded awake',
    });
    const ended = await c.until('the report', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.status === 'completed' && task;
    });
    expect(ended.summary).toBe('awake');
    await c.client.call('sessions.stop', { sessionId: parent.sessionId });
  });

  it('gets no agent while its worktree is being removed', async () => {
    const { sessionId } = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'going',
      prompt: '@exit 0',
    });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    if (worktreeId === null) throw new Error('a delegation has a worktree');
    const marker = join(c.folder, 'cleaning');
    const cleanupCommand = `touch ${marker}; while [ -e ${marker} ]; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand });
    const removal = c.client.call('worktrees.remove', { worktreeId, force: true });
    await c.until('the cleanup', async () => existsSync(marker));
    const started = refusal(c.client.call('workers.create', { sessionId, type: 'agent' }));
    expect(await started).toMatchObject({ code: 'CONFLICT', details: { state: 'removing' } });
    await c.client.call('repositories.update', { repositoryId: c.repository.id, cleanupCommand: null });
    rmSync(marker);
    expect((await removal).worktree.state).toBe('removed');
  });
});

describe('a cancelled task', () => {
  it('that its agent never acknowledged does not hold the queue', async () => {
    await c.client.call('agents.create', { id: 'mute', name: 'Mute', command: ['/bin/cat'], queueWhenUnknown: 'send' });
    const session = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'mute', initialPrompt: 'first' });
    const running = await c.until('the prompt typed', async () => {
      const { text } = await c.client
        .call('sessions.output', { sessionId: session.id, sinceOffset: 0 })
        .catch(() => ({ text: '' }));
      return text.includes('first') && (await c.client.call('sessions.get', { sessionId: session.id })).tasks[0];
    });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId: session.id, prompt: 'second' });
    await c.client.call('tasks.cancel', { taskId: running.id });
    // The interrupt ends `cat`, whereas a real agent would only stop its turn. The next prompt starts `cat` again.
    await c.until('the interrupt', async () =>
      (await c.client.call('sessions.get', { sessionId: session.id })).workers.every(
        (worker) => worker.state === 'exited',
      ),
    );
    await c.client.call('sessions.prompt', { sessionId: session.id, prompt: 'third' });
    const next = await c.until('the next prompt', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.status === 'running' && task;
    });
    expect(next.prompt).toBe('second');
    await c.client.call('sessions.stop', { sessionId: session.id });
  });
});
