import { existsSync } from 'node:fs';
import { BOARDS_PER_SESSION_MAX } from '@agent-console/shared/limits/boards';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { boardsOf } from '../e2e/support/boards.ts';
import { WAYS_IN_PROCESS as WAYS } from '../e2e/support/mcp.ts';
import { sessionOf } from '../e2e/support/people.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, send, type ToolClient } from '../support/calling.ts';

let c: InProcessApp;
let root: AgentHandle;
let tools: ToolClient;
let ownerId: string;
let ownWorktree: string;

beforeAll(async () => {
  c = await startTestApp();
  root = await startRoot(c);
  tools = await openTools(c, root.token, '?toolsets=all');
  const session = await c.client.call('sessions.get', { sessionId: root.sessionId });
  ownerId = session.createdByUserId ?? '';
  ownWorktree = session.worktreeId ?? '';
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

const { newBoard, newWorktree, place, unique } = boardsOf(() => c);

async function person(name: string) {
  const { id } = await c.client.call('users.create', { username: name });
  const { token } = await c.client.call('tokens.create', { name, userId: id, scopes: ['read', 'write'] });
  return { id, client: createClient({ baseUrl: c.baseUrl, token, insideWorker: true }) };
}

describe('boards', () => {
  it('belong to their creator or the person named, are listed by owner, and cannot be changed by others', async () => {
    const ann = await person('Ann');
    const hers = await ann.client.call('boards.create', { name: 'Hers', description: 'Her work' });
    expect(hers).toEqual({
      id: hers.id,
      name: 'Hers',
      description: 'Her work',
      ownerId: ann.id,
      zones: [],
      worktrees: [],
      createdAt: expect.any(String),
    });
    const given = await c.client.call('boards.create', { name: 'Given', ownerId: ann.id });
    const mine = await newBoard();
    expect(mine.ownerId).toBe(ownerId);
    const { data, total } = await c.client.call('boards.list', { ownerId: ann.id });
    expect([total, data.map(({ id }) => id)]).toEqual([2, [given.id, hers.id]]);
    expect((await ann.client.call('boards.list', { limit: 500 })).data.map(({ id }) => id)).toContain(mine.id);

    for (const call of [
      ann.client.call('boards.update', { boardId: mine.id, name: 'Taken' }),
      ann.client.call('boards.remove', { boardId: mine.id }),
      ann.client.call('zones.create', { boardId: mine.id, name: 'Hers' }),
      ann.client.call('boards.create', { name: 'Not hers', ownerId }),
      tools.call('agor_boards_create', { name: 'For Ann', ownerId: ann.id }),
    ]) {
      expect(await refusal(call)).toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    const renamed = await c.client.call('boards.update', { boardId: hers.id, name: 'Ours' });
    expect(renamed).toMatchObject({ name: 'Ours', description: 'Her work' });
    await ann.client.call('boards.remove', { boardId: hers.id });
    expect(await send(c, 'GET', `/boards/${hers.id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: `Board ${hers.id} not found` } },
    });
  });

  it('are created, returned and listed for agents with the names of their tools', async () => {
    const made = await tools.call('agor_boards_create', { name: 'Auth redesign', description: 'All of it' });
    const { entity_id: boardId } = made;
    const entity = {
      board_id: boardId,
      name: 'Auth redesign',
      description: 'All of it',
      owner_id: ownerId,
      zones: [],
      worktrees: [],
      created_at: expect.any(String),
    };
    expect(made).toEqual({ created: true, entity_id: boardId, entity });
    const zone = await c.client.call('zones.create', { boardId: String(boardId), name: 'Doing', color: '#10B981' });
    await place(ownWorktree, String(boardId), { zoneId: zone.id });
    const got = await tools.call('agor_boards_get', { boardId });
    expect(got).toMatchObject({
      ...entity,
      zones: [{ id: zone.id, name: 'Doing', color: '#10b981' }],
      worktrees: [ownWorktree],
    });
    const page = await tools.call('agor_boards_list', { limit: 1 });
    expect(page).toMatchObject({ limit: 1, skip: 0, data: [{ board_id: boardId, owner_id: ownerId }] });
    expect(page.total).toBeGreaterThan(1);
    await place(ownWorktree, null);
  });

  it('need a name that is not blank', async () => {
    for (const name of ['', '   ']) {
      const { code, message } = await refusal(c.client.call('boards.create', { name }));
      expect({ code, message }).toEqual({ code: 'VALIDATION', message: 'name: must not be blank' });
    }
  });

  it('are created once when the same key is sent twice', async () => {
    const make = () => send(c, 'POST', '/boards', { name: 'Once' }, { 'Idempotency-Key': 'board-once' });
    const [first, second] = [await make(), await make()];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    const { data } = await c.client.call('boards.list', { limit: 500 });
    expect(data.filter(({ name }) => name === 'Once')).toHaveLength(1);
  });

  it('are limited per agent, however it creates them; people and other agents can create more', async () => {
    const agent = await sessionOf(c, c.client, '@say many');
    const source = await newBoard();
    const calls = Array.from({ length: BOARDS_PER_SESSION_MAX + 4 }, (_, at) =>
      at % 2 === 0
        ? agent.client.call('boards.create', { name: unique('many') })
        : agent.client.call('boards.duplicate', { boardId: source.id, newName: unique('many') }),
    );
    const ends = await Promise.allSettled(calls);
    const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(made).toHaveLength(BOARDS_PER_SESSION_MAX);
    const refused = {
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(/limit of 20 boards.*Use one of them, or ask/),
      details: { limit: BOARDS_PER_SESSION_MAX, sessionId: agent.sessionId },
    };
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(refused);
    const copying = { boardId: source.id, newName: 'One more', includeWorktrees: true };
    expect(await refusal(agent.client.call('boards.duplicate', copying))).toMatchObject(refused);

    await newBoard();
    await tools.call('agor_boards_create', { name: 'Of another agent' });
    await c.client.call('boards.remove', { boardId: made[0]?.id ?? '' });
    await agent.client.call('boards.create', { name: 'In its place' });
    expect(await refusal(agent.client.call('boards.create', { name: 'One more' }))).toMatchObject(refused);
  });

  it('report changes as events', async () => {
    const { lastEventSeq } = await c.client.call('system.status', {});
    const board = await newBoard();
    const zone = await c.client.call('zones.create', { boardId: board.id, name: 'Later' });
    await c.client.call('zones.update', { zoneId: zone.id, name: 'Now' });
    const copy = await c.client.call('boards.duplicate', { boardId: board.id, newName: 'Copy' });
    await place(ownWorktree, board.id);
    await c.client.call('zones.remove', { zoneId: zone.id });
    await c.client.call('boards.remove', { boardId: board.id });
    const events = await c.events(lastEventSeq, ({ type }) => type === 'board.removed');
    const about = events.filter(({ subject }) => ['board', 'zone'].includes(subject.kind));
    expect(about.map(({ type, subject }) => [type, subject.id])).toEqual([
      ['board.created', board.id],
      ['zone.created', zone.id],
      ['zone.updated', zone.id],
      ['board.duplicated', copy.id],
      ['board.updated', board.id],
      ['zone.removed', zone.id],
      ['board.removed', board.id],
    ]);
  });
});

describe('worktrees on boards', () => {
  it('stay at their position, within the zones of their board, until they are removed from it', async () => {
    const [one, other] = [await newBoard(), await newBoard()];
    const zone = await c.client.call('zones.create', { boardId: one.id, name: 'Doing' });
    const { id } = await newWorktree();
    expect(await place(id, one.id, { zoneId: zone.id, x: 12.5, y: -3 })).toMatchObject({
      boardId: one.id,
      zoneId: zone.id,
      x: 12.5,
      y: -3,
    });
    expect(await c.client.call('worktrees.update', { worktreeId: id, name: 'Named' })).toMatchObject({
      name: 'Named',
      boardId: one.id,
      x: 12.5,
    });
    const { error } = (await send(c, 'PATCH', `/worktrees/${id}`, { boardId: other.id, zoneId: zone.id })).body;
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('zoneId') });
    expect(await place(id, other.id)).toMatchObject({ boardId: other.id, zoneId: null, x: null, y: null });
    expect((await c.client.call('boards.get', { boardId: one.id })).worktrees).toEqual([]);
    expect(await place(id, null)).toMatchObject({ boardId: null, zoneId: null, x: null, y: null });
    expect(await refusal(c.client.call('worktrees.update', { worktreeId: id, x: 1 }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('pass the id of a board as `boardId`'),
    });
  });

  it('remain when their zone and then their board are removed', async () => {
    const board = await newBoard();
    const zone = await c.client.call('zones.create', { boardId: board.id, name: 'Doing' });
    const { id, path } = await newWorktree();
    await place(id, board.id, { zoneId: zone.id, x: 1, y: 2 });
    await c.client.call('zones.remove', { zoneId: zone.id });
    expect(await c.client.call('worktrees.get', { worktreeId: id })).toMatchObject({
      boardId: board.id,
      zoneId: null,
      x: 1,
    });
    expect((await c.client.call('boards.remove', { boardId: board.id })).worktrees).toEqual([id]);
    expect(await c.client.call('worktrees.get', { worktreeId: id })).toMatchObject({ boardId: null, x: null });
    expect(existsSync(path)).toBe(true);
  });

  it('can be placed by agents that own them, with the names of their tools', async () => {
    const board = await newBoard();
    const own = await tools.call('agor_worktrees_update', { worktreeId: ownWorktree, boardId: board.id, x: 3, y: 4 });
    expect(own).toMatchObject({ worktree_id: ownWorktree, board_id: board.id, zone_id: null, x: 3, y: 4 });
    const made = await tools.call('agor_worktrees_create', { repoId: c.repository.id, branch: unique('agents') });
    const placed = { worktreeId: made.entity_id, boardId: board.id };
    expect(await tools.call('agor_worktrees_update', placed)).toMatchObject({ board_id: board.id });
    const foreign = await newWorktree();
    expect(
      await refusal(tools.call('agor_worktrees_update', { worktreeId: foreign.id, boardId: board.id })),
    ).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await tools.call('agor_worktrees_update', { worktreeId: ownWorktree, boardId: null })).toMatchObject({
      board_id: null,
    });
  });

  it('include their sessions: over REST, in the filter of all sessions, and as a resource', async () => {
    const board = await newBoard();
    await place(ownWorktree, board.id);
    const worktree = await newWorktree();
    await place(worktree.id, board.id);
    const beside = await c.client.call('sessions.create', {
      worktreeId: worktree.id,
      agentId: 'scripted',
      title: 'Beside',
    });
    await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'Elsewhere' });
    const wanted = [
      { id: beside.id, agentId: 'scripted', status: 'idle' },
      { id: root.sessionId, agentId: 'scripted' },
    ];
    expect((await c.client.call('boards.sessions', { boardId: board.id })).data).toMatchObject(wanted);
    expect((await c.client.call('sessions.list', { boardId: board.id })).data).toMatchObject(wanted);
    const live = await c.client.call('sessions.list', { boardId: board.id, live: true });
    expect(live.data.map(({ id }) => id)).toEqual([root.sessionId]);
    const inOne = await c.client.call('sessions.list', { boardId: board.id, worktreeId: worktree.id });
    expect(inOne.data.map(({ id }) => id)).toEqual([beside.id]);
    const empty = await c.client.call('sessions.list', { boardId: (await newBoard()).id });
    expect(empty).toMatchObject({ total: 0, data: [] });

    const mcp = await WAYS['HTTP, 2026'](`${c.baseUrl}/mcp`, root.token);
    const { contents } = await mcp.readResource({ uri: `agor://board/${board.id}/sessions` });
    const read = JSON.parse((contents[0] as { text: string }).text) as { total: number; data: unknown[] };
    expect(read).toMatchObject({ total: 2, data: wanted });
    await mcp.close();
    await place(ownWorktree, null);
  });
});
