import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boardsOf } from '../e2e/support/boards.ts';
import { startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient } from '../support/calling.ts';

let c: InProcessApp;
let tools: ToolClient;
let ownerId: string;

beforeAll(async () => {
  c = await startTestApp();
  const root = await startRoot(c);
  tools = await openTools(c, root.token, '?toolsets=all');
  ownerId = (await c.client.call('sessions.get', { sessionId: root.sessionId })).createdByUserId ?? '';
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

const { newBoard, newWorktree, place } = boardsOf(() => c);

/**
 * Returns everything that copying a board can create: branches with their commits, folders known to git, worktrees and
 * boards.
 */
async function traces() {
  const { data: worktrees } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
  const { data: boards } = await c.client.call('boards.list', { limit: 500 });
  return {
    branches: c.git(['branch', '--format=%(refname:short) %(objectname)']).split('\n').sort(),
    folders: c.git(['worktree', 'list', '--porcelain']).match(/^worktree .*$/gm)?.length,
    worktrees: worktrees.map(({ id }) => id),
    boards: boards.map(({ id }) => id),
  };
}

describe('a copy of a board', () => {
  it('has its zones with new ids and, by default, no worktrees', async () => {
    const board = await newBoard();
    const zone = await c.client.call('zones.create', { boardId: board.id, name: 'Doing', x: 7 });
    const worktree = await newWorktree();
    await place(worktree.id, board.id, { zoneId: zone.id });
    const made = await tools.call('agor_boards_duplicate', { boardId: board.id, newName: 'Copy' });
    expect(made).toMatchObject({ created: true, entity: { name: 'Copy', owner_id: ownerId, worktrees: [] } });
    const copy = await c.client.call('boards.get', { boardId: String(made.entity_id) });
    expect(copy.zones).toEqual([{ ...zone, id: expect.any(String), boardId: copy.id, createdAt: expect.any(String) }]);
    expect(copy.zones[0]?.id).not.toBe(zone.id);
    expect((await c.client.call('boards.get', { boardId: board.id })).worktrees).toEqual([worktree.id]);
  });

  it('has its worktrees on new branches at the same commits on request, each in the copy of its zone', async () => {
    const { board, zone, worktrees } = await boardWithWorktrees();
    const copy = await c.client.call('boards.duplicate', { boardId: board.id, newName: 'All', includeWorktrees: true });
    expect(copy.worktrees).toHaveLength(2);
    for (const [at, worktreeId] of copy.worktrees.entries()) {
      const source = worktrees[at];
      const shown = await c.client.call('worktrees.get', { worktreeId });
      expect(shown).toMatchObject({
        kind: 'managed',
        state: 'ready',
        branch: `${source?.branch}-copy`,
        boardId: copy.id,
        zoneId: copy.zones[0]?.id,
        x: at,
      });
      expect(shown.zoneId).not.toBe(zone.id);
      expect(c.git(['rev-parse', 'HEAD'], shown.path)).toBe(c.git(['rev-parse', 'HEAD'], source?.path));
      expect(readFileSync(join(shown.path, 'work.txt'), 'utf8')).toBe(`work ${at}`);
      expect(await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' })).toMatchObject({ worktreeId });
    }
  });

  it('is not started when one of its worktrees cannot be copied, and names that worktree', async () => {
    const { board, worktrees } = await boardWithWorktrees();
    const before = await traces();
    const second = `${worktrees[1]?.branch}-copy`;
    const setupCommand = `test "$(git branch --show-current)" != "${second}" || kill -9 $$`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    const call = c.client.call('boards.duplicate', { boardId: board.id, newName: 'Half', includeWorktrees: true });
    expect(await refusal(call)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(worktrees[1]?.name ?? '?'),
      details: { worktreeId: worktrees[1]?.id },
    });
    expect(await traces()).toEqual(before);
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    const copy = await c.client.call('boards.duplicate', {
      boardId: board.id,
      newName: 'Whole',
      includeWorktrees: true,
    });
    expect(copy.worktrees).toHaveLength(2);
  });
});

/** Creates a board with a zone, and with worktrees in the zone that have one commit each. */
async function boardWithWorktrees(count = 2) {
  const board = await newBoard();
  const zone = await c.client.call('zones.create', { boardId: board.id, name: 'Doing' });
  const worktrees: Awaited<ReturnType<typeof newWorktree>>[] = [];
  while (worktrees.length < count) worktrees.push(await newWorktree());
  for (const [at, { id, path }] of worktrees.entries()) {
    writeFileSync(join(path, 'work.txt'), `work ${at}`);
    c.git(['add', 'work.txt'], path);
    c.git(['commit', '--quiet', '-m', 'Work'], path);
    await place(id, board.id, { zoneId: zone.id, x: at });
  }
  return { board, zone, worktrees };
}
