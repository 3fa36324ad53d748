import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS } from '../e2e/support/mcp.ts';
import { sessionOf } from '../e2e/support/people.ts';
import type { AgentHandle } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, tokenOf } from '../support/calling.ts';

let c: InProcessApp;
let root: AgentHandle;
beforeAll(async () => {
  c = await startTestApp();
  root = await sessionOf(c, c.client, '@say hello');
});
afterAll(() => c.close());

const update = (sessionId: string, fields: object, by = c.client) =>
  by.call('sessions.update', { sessionId, ...fields });
const taskOf = (taskId: string) => c.client.call('tasks.get', { taskId });

/** Creates a child of the root session whose agent works longer than any test takes. */
async function atWork() {
  const { worktreeId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
  const given = { worktreeId: worktreeId ?? '', agentId: 'scripted', initialPrompt: '@sleep 600000' };
  const { id: sessionId, taskId = '' } = await root.client.call('sessions.create', given);
  const workerId = await c.until('work', async () => {
    const { data } = await c.client.call('sessions.workers', { sessionId });
    return data.find(({ activityState }) => activityState === 'active')?.id;
  });
  return { sessionId, taskId, workerId };
}

describe('the progress of a task', () => {
  it('is returned wherever the task is, sent as an event, and kept when the task ends', async () => {
    const { sessionId, taskId } = await atWork();
    expect((await taskOf(taskId)).progress).toBeNull();
    const { lastEventSeq } = await c.client.call('system.status', {});
    expect((await update(sessionId, { progress: 0.3 })).task).toMatchObject({ id: taskId, progress: 0.3 });
    await update(sessionId, { progress: 0.7, title: 'Two thirds' });
    expect((await taskOf(taskId)).progress).toBe(0.7);
    expect((await c.client.call('tasks.list', { sessionId })).data).toMatchObject([{ id: taskId, progress: 0.7 }]);
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({
      title: 'Two thirds',
      task: { progress: 0.7 },
      tasks: [{ id: taskId, progress: 0.7 }],
    });
    const { data } = await c.client.call('events.list', { after: lastEventSeq, limit: 500 });
    const told = data.filter(({ type }) => type === 'task.progressed');
    expect(told.map(({ subject, data: facts }) => [subject.id, facts.progress])).toEqual([
      [taskId, 0.3],
      [taskId, 0.7],
    ]);
    expect(data.filter(({ type }) => type === 'session.updated').map(({ data: facts }) => facts.progress)).toEqual([
      0.3, 0.7,
    ]);
    await c.client.call('tasks.cancel', { taskId });
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled', progress: 0.7 });
  });

  it('is reported by the agent itself, and readable through tools and resources', async () => {
    const { sessionId } = root;
    const said = `@tool agor_sessions_update {"sessionId":"${sessionId}","progress":0.5}`;
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: said });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });
    expect(await taskOf(taskId)).toMatchObject({ status: 'completed', progress: 0.5 });
    const tools = await openTools(c, root.token, '?toolsets=all');
    expect(await tools.call('agor_tasks_get', { taskId })).toMatchObject({ progress: 0.5 });
    expect(await tools.call('agor_sessions_get', { sessionId })).toMatchObject({ task: { progress: 0.5 } });
    expect(await tools.call('get_session_status', { sessionId })).toMatchObject({ task: { progress: 0.5 } });
    await tools.close();
    const client = await ERAS.modern(`${c.baseUrl}/mcp`, root.token);
    const { contents } = await client.readResource({ uri: `agor://session/${sessionId}` });
    await client.close();
    expect(JSON.stringify(contents)).toContain('\\"progress\\":0.5');
  });

  it('can be set by a session for its descendants, but not for its ancestors', async () => {
    const below = await atWork();
    await update(below.sessionId, { progress: 1 }, root.client);
    expect((await taskOf(below.taskId)).progress).toBe(1);
    const child = await openTools(c, tokenOf(c, below.workerId), '?toolsets=all');
    const upwards = child.call('agor_sessions_update', { sessionId: root.sessionId, progress: 0.1 });
    expect((await refusal(upwards)).code).toBe('PERMISSION_DENIED');
    await child.close();
    await c.client.call('tasks.cancel', { taskId: below.taskId });
  });

  it('is rejected when no task runs, and nothing else changes', async () => {
    const { id, title } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'Idle' });
    expect(await refusal(update(id, { progress: 0.5, title: 'Other' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/is not working on a task.*send a prompt first/),
    });
    expect((await c.client.call('sessions.get', { sessionId: id })).title).toBe(title);
  });

  it.each([1.01, -0.1, '0.5', null])('is a number from 0 to 1, so %s is rejected', async (progress) => {
    expect(await refusal(update(root.sessionId, { progress }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('progress'),
    });
  });
});
