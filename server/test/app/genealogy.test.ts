import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, tokenOf } from '../support/calling.ts';
import type { TestApp } from '../support/test-app.ts';

let c: TestApp;
let root: { sessionId: string; workerId: string; taskId: string };
const made: Record<string, string> = {};

const spawn = async (name: string, sessionId: string) => {
  const { sessionId: id, taskId } = await c.client.call('sessions.spawn', { sessionId, prompt: '@say x', title: name });
  made[name] = id;
  await c.until('its end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
  return id;
};

/** Creates the tree of sessions: root → a, b and the fork f; a → a1, a2; a1 → a11; a11 → a111. */
beforeAll(async () => {
  c = await startTestApp();
  root = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: 'root',
    prompt: '@say root',
  });
  await c.until('its end', async () => (await c.client.call('tasks.get', { taskId: root.taskId })).endedAt !== null);
  const a = await spawn('a', root.sessionId);
  await spawn('b', root.sessionId);
  const fork = await c.client.call('sessions.fork', { sessionId: root.sessionId, prompt: '@say f', title: 'f' });
  made.f = fork.sessionId;
  const a1 = await spawn('a1', a);
  await spawn('a2', a);
  await spawn('a111', await spawn('a11', a1));
});
afterAll(() => c.close());

const genealogy = (sessionId: string | undefined, depth?: number) =>
  c.client.call('sessions.genealogy', { sessionId: sessionId ?? '', ...(depth === undefined ? {} : { depth }) });
const titles = (rows: readonly { title: string }[]) => rows.map(({ title }) => title);

describe('the genealogy of a session', () => {
  it('contains the descendants by level, down to the requested depth', async () => {
    expect(titles((await genealogy(root.sessionId, 1)).children)).toEqual(['a', 'b', 'f']);
    const two = await genealogy(root.sessionId);
    expect(titles(two.children)).toEqual(['a', 'b', 'f', 'a1', 'a2']);
    expect(two.children.map(({ level, relation, parentId }) => [level, relation, parentId])).toEqual([
      [1, 'spawn', root.sessionId],
      [1, 'spawn', root.sessionId],
      [1, 'fork', root.sessionId],
      [2, 'spawn', made.a],
      [2, 'spawn', made.a],
    ]);
    expect(titles((await genealogy(root.sessionId, 4)).children)).toEqual(['a', 'b', 'f', 'a1', 'a2', 'a11', 'a111']);
    expect(two).toMatchObject({ parent: null, siblings: [], truncated: false });
  });

  it('contains the parent and the siblings, including forks', async () => {
    const ofA = await genealogy(made.a);
    expect(ofA.parent).toMatchObject({ id: root.sessionId, relation: 'spawn' });
    expect(titles(ofA.siblings)).toEqual(['b', 'f']);
    const ofFork = await genealogy(made.f);
    expect(ofFork.parent).toMatchObject({ id: root.sessionId, relation: 'fork' });
    expect(titles(ofFork.siblings)).toEqual(['a', 'b']);
    expect(titles((await genealogy(made.a111)).siblings)).toEqual([]);
  });

  it('goes no deeper than the maximum', async () => {
    expect(await refusal(genealogy(root.sessionId, 11))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^depth: .*10/),
    });
  });

  it('has the field names of other tools in its tool', async () => {
    const tools = await openTools(c, tokenOf(c, root.workerId));
    const answer = await tools.call('agor_sessions_genealogy', { sessionId: made.a, depth: 1 });
    expect(answer).toMatchObject({
      session_id: made.a,
      parent: { session_id: root.sessionId, agentic_tool: 'scripted', relation: 'spawn' },
      children: [
        { session_id: made.a1, parent_id: made.a, level: 1 },
        { session_id: made.a2, parent_id: made.a, level: 1 },
      ],
    });
    await tools.close();
  });

  it('omits a removed session, and a child of a removed session is a root', async () => {
    for (const name of ['f', 'a1']) {
      await c.client.call('sessions.stop', { sessionId: made[name] ?? '' });
      await c.client.call('sessions.remove', { sessionId: made[name] ?? '' });
    }
    expect(titles((await genealogy(root.sessionId, 4)).children)).toEqual(['a', 'b', 'a2']);
    const orphan = await genealogy(made.a11);
    expect(orphan).toMatchObject({ parent: null, siblings: [] });
    expect(titles(orphan.children)).toEqual(['a111']);
  });

  it('of a removed session and its tasks is also absent from its children', async () => {
    const shown = async (name: string) =>
      (await c.client.call('sessions.get', { sessionId: made[name] ?? '' })).genealogy;
    const place = { worktreeId: (await c.client.call('sessions.get', { sessionId: root.sessionId })).worktreeId ?? '' };
    const { id } = await c.client.call('sessions.create', { ...place, agentId: 'scripted', title: 'other root' });
    const child = await spawn('child', id);
    const taskId = (await c.client.call('sessions.prompt', { sessionId: id, prompt: '@say x' })).taskId;
    await c.until('its end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
    const fork = await c.client.call('sessions.fork', { sessionId: id, prompt: '@say fork' });
    made.otherFork = fork.sessionId;
    expect(await shown('child')).toMatchObject({ parentSessionId: id });
    expect(await shown('otherFork')).toMatchObject({ forkedFromSessionId: id, forkPointTaskId: taskId });
    await c.client.call('sessions.stop', { sessionId: id });
    await c.client.call('sessions.remove', { sessionId: id });
    const nowhere = { parentSessionId: null, forkedFromSessionId: null, spawnPointTaskId: null, forkPointTaskId: null };
    for (const name of ['child', 'otherFork']) expect(await shown(name)).toMatchObject(nowhere);
    const listed = (await c.client.call('sessions.list', { limit: 500 })).data.find((session) => session.id === child);
    expect(listed?.genealogy).toMatchObject(nowhere);
  });

  it('of a removed session is also absent from the tasks of the sessions that it prompted', async () => {
    const delegate = (branch: string, client = c.client) => {
      const place = { repositoryId: c.repository.id, agentId: 'scripted', branch };
      return client.call('delegations.create', { ...place, prompt: '@report succeeded Done.' });
    };
    const grandparent = await delegate('grandparent');
    const asGrandparent = asWorker(c, grandparent.workerId);
    const parent = await delegate('parent', asGrandparent);
    const { sessionId } = await delegate('prompted', asWorker(c, parent.workerId));
    const prompted = await asGrandparent.call('sessions.prompt', { sessionId, prompt: '@report succeeded Again.' });
    const taskId = prompted.taskId ?? '';
    const shown = async () => {
      const { task, tasks } = await c.client.call('sessions.get', { sessionId });
      const { source } = await c.client.call('tasks.get', { taskId });
      return [task?.source, tasks.at(-1)?.source, source];
    };
    await c.until('its end', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);
    for (const id of [sessionId, parent.sessionId, grandparent.sessionId]) {
      await c.client.call('sessions.stop', { sessionId: id });
    }
    expect(await shown()).toEqual(Array(3).fill({ kind: 'session', id: grandparent.sessionId }));
    await c.client.call('sessions.remove', { sessionId: grandparent.sessionId });
    expect(await shown()).toEqual(Array(3).fill({ kind: 'session', id: null }));
  });
});
