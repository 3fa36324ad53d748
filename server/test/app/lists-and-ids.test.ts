import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AMBIGUOUS_MAX } from '@agent-console/shared/limits/answers';
import { CONTRACTS, contractOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputSchema } from '../../src/surfaces/json-schema.ts';
import { openWorld, type World } from '../e2e/support/table-world.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal, runCommand, send } from '../support/calling.ts';

let world: World;
let c: InProcessApp;
let root: World['root'];
let rootClient: World['rootClient'];
let rootTools: World['rootTools'];

beforeAll(async () => {
  c = await startTestApp();
  world = await openWorld(c);
  ({ root, rootClient, rootTools } = world);
});
afterAll(async () => {
  await rootTools.close();
  await c.close();
});

describe('lists', () => {
  const ids: Record<string, unknown> = {};

  beforeAll(async () => {
    const { sessionId } = root;
    const { worktreeId, cwd } = await c.client.call('sessions.get', { sessionId });
    Object.assign(ids, { sessionId, worktreeId, repositoryId: c.repository.id, boardId: await world.board() });
    await c.client.call('worktrees.update', { worktreeId: worktreeId ?? '', boardId: String(ids.boardId) });
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(join(cwd, `${name}.txt`), name);
      c.git(['add', `${name}.txt`], cwd);
      await c.client.call('tokens.create', { name });
      await c.client.call('users.create', { username: name });
      await c.client.call('agents.create', { id: `agent-${name}`, name, command: ['sh'] });
      const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: name });
      await c.client.call('sessions.pin', { sessionIds: [id] });
      await c.addRepository(`list-${name}`);
      await world.board();
      await world.server();
      await world.child();
      const byHand = join(c.folder, `by-hand-${name}`);
      c.git(['worktree', 'add', '--quiet', '-b', `by-hand-${name}`, byHand]);
      writeFileSync(join(byHand, 'same.txt'), name);
      c.git(['add', 'same.txt'], byHand);
      c.git(['commit', '--quiet', '-m', 'Same file'], byHand);
      c.git(['branch', `target-${name}`]);
      const unused = { repositoryId: c.repository.id, mode: 'custom', branch: `unused-${name}`, wait: true } as const;
      const { worktree } = await c.client.call('worktrees.create', unused);
      await c.client.call('worktrees.update', { worktreeId: worktree?.id ?? '', boardId: String(ids.boardId) });
      await c.client.call('workers.create', { sessionId, type: 'git-diff' });
      await world.question();
      const agents = [{ role: 'worker', task: 'x', agenticTool: 'scripted' }];
      const fields = { objective: name, repositoryId: c.repository.id, agents };
      ids.orchestrationId = (await c.client.call('orchestrations.create', fields)).id;
    }
    const orchestrationId = String(ids.orchestrationId);
    await c.client.call('orchestrations.addAgents', {
      orchestrationId,
      agents: [
        { role: 'worker', task: 'y', agenticTool: 'scripted' },
        { role: 'worker', task: 'z', agenticTool: 'scripted' },
      ],
    });
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    for (const { id, branch } of data.filter((worktree) => worktree.branch?.startsWith('by-hand-'))) {
      const into = String(branch).replace('by-hand', 'target');
      await c.client.call('worktrees.integrate', { worktreeId: id, into, wait: true });
    }
    await world.delegate('@say hello');
    const made = await world.delegate('@report succeeded done', rootClient);
    const sender = asWorker(c, made.workerId);
    for (const message of ['one', 'two']) await sender.call('sessions.message', { sessionId, message });
    await c.until('delivered notices', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId });
      return data.length === 3 && data.every((notice) => notice.state === 'delivered');
    });
    await c.client.call('sessions.wait', { sessionId, until: 'idle' });
  });

  // Leaves out `workers.resources`, because each call measures the resources again; another test compares its pages.
  // Other tests cover searches and the inbox.
  const lists = CONTRACTS.filter(
    ({ name, output }) =>
      !['workers.resources', 'sessions.search', 'inbox.list'].includes(name) &&
      'total' in ((outputSchema(output).properties ?? {}) as object),
  );

  it.each(lists)('$name pages by limit and skip without gaps or duplicates', async (contract) => {
    const needed = Object.fromEntries(
      Object.entries(ids).filter(([field]) => contract.rest.path.includes(`:${field}`)),
    );
    type List = { total: number; limit: number; skip: number; data: unknown[] };
    const page = (fields: object) => c.client.run(contract, { ...needed, ...fields }) as Promise<List>;
    const whole = await page({ limit: 500 });
    expect(Object.keys(whole).sort()).toEqual(['data', 'limit', 'skip', 'total']);
    expect(whole.total).toBeGreaterThan(2);
    expect(whole).toMatchObject({ limit: 500, skip: 0 });
    expect(whole.data).toHaveLength(whole.total);
    expect(await page({})).toEqual({ ...whole, limit: 50, data: whole.data.slice(0, 50) });
    for (const limit of [1, 2]) {
      const rows: unknown[] = [];
      for (let skip = 0; skip < Math.min(whole.total, 12); skip += limit) {
        const part = await page({ limit, skip });
        expect(part).toMatchObject({ total: whole.total, limit, skip });
        rows.push(...part.data);
      }
      expect(rows).toEqual(whole.data.slice(0, rows.length));
    }
    expect(await page({ limit: 2, skip: whole.total })).toEqual({
      total: whole.total,
      limit: 2,
      skip: whole.total,
      data: [],
    });
  });

  it('workers.resources pages by limit and skip without gaps or duplicates within one measurement', async () => {
    const page = (limit: number, skip = 0) => c.client.call('workers.resources', { limit, skip });
    const looked = await c.until('pages of one look', async () => {
      const whole = await page(500);
      const parts = [await page(2), await page(2, 2), await page(2, whole.total)];
      const rows = [whole, ...parts].flatMap(({ data }) => data);
      return new Set(rows.map(({ resources }) => resources?.at)).size === 1 && { whole, parts };
    });
    const { whole, parts } = looked;
    expect(whole.total).toBeGreaterThan(2);
    expect(whole.data).toHaveLength(whole.total);
    expect(parts.map(({ total }) => total)).toEqual([whole.total, whole.total, whole.total]);
    expect(parts.map(({ data }) => data)).toEqual([whole.data.slice(0, 2), whole.data.slice(2, 4), []]);
  });

  it.each(['limit=0', 'limit=501', 'limit=1.5', 'limit=x', 'skip=-1', 'limit=1&limit=2'])(
    'reject ?%s',
    async (query) => {
      expect(await send(c, 'GET', `/sessions?${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION' } },
      });
    },
  );
});

describe('ids', () => {
  it('that are not found are reported with the noun of the contract', async () => {
    const { status, body } = await send(c, 'GET', '/sessions/0000a1b2');
    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'Session 0000a1b2 not found',
        details: { sessionId: '0000a1b2' },
        retryable: false,
      },
    });
  });

  it('can be cut to any unique prefix, on every surface', async () => {
    const sessionId = root.sessionId;
    const { data } = await c.client.call('sessions.list', { limit: 500 });
    const others = data.map(({ id }) => id).filter((id) => id !== sessionId);
    const length = [...sessionId].findIndex(
      (_, at) => at >= 7 && !others.some((id) => id.startsWith(sessionId.slice(0, at + 1))),
    );
    const prefix = sessionId.slice(0, length + 1);
    const get = contractOf('sessions.get');
    for (const id of [prefix, prefix.toUpperCase(), ` ${prefix} `]) {
      expect(await c.client.call('sessions.get', { sessionId: id })).toMatchObject({ id: sessionId });
    }
    expect(await runCommand(c, get, { sessionId: prefix })).toMatchObject({ id: sessionId });
    expect(await rootTools.call('get_session_status', { sessionId: prefix })).toMatchObject({ sessionId });
  });

  it('that are ambiguous are rejected with the candidates', async () => {
    // The test needs two ids that begin with at least 10 equal characters. Ids start with their creation time, so the
    // test creates sessions at the same time until the ids are similar enough.
    let [one, two, same] = ['', '', 0];
    for (; same < 10; same = [...one].findIndex((letter, at) => letter !== two[at])) {
      const made = await Promise.all(
        ['first', 'second'].map((title) =>
          c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title }),
        ),
      );
      [one = '', two = ''] = made.map(({ id }) => id);
    }
    const sessionId = one.slice(0, same);
    const error = await refusal(c.client.call('sessions.get', { sessionId }));
    expect(error).toMatchObject({
      code: 'AMBIGUOUS_ID',
      message: expect.stringContaining('"first"'),
      retryable: false,
    });
    const candidates = (error.details.candidates ?? []) as { id: string; title: string; ageSeconds: number }[];
    expect(candidates.map(({ id, title }) => [id, title])).toEqual(
      expect.arrayContaining([
        [one, 'first'],
        [two, 'second'],
      ]),
    );
    for (const { ageSeconds } of candidates) expect(ageSeconds).toBeGreaterThanOrEqual(0);
    for (const other of [
      await refusal(runCommand(c, contractOf('sessions.get'), { sessionId })),
      await refusal(rootTools.call('get_session_status', { sessionId })),
    ]) {
      expect(other).toMatchObject({ code: 'AMBIGUOUS_ID' });
      expect(Object.keys(other.details)).toEqual(['candidates']);
    }
  });

  it('are found by a prefix that they share with many removed rows', async () => {
    const { prefix, last } = await c.until('ids that begin alike', async () => {
      const made = [];
      for (let count = 0; count <= AMBIGUOUS_MAX + 1; count += 1) {
        made.push(await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'alike' }));
      }
      const first = made[0]?.id ?? '';
      const last = made.pop()?.id ?? '';
      for (const { id } of made) await c.client.call('sessions.remove', { sessionId: id });
      const prefix = first.slice(
        0,
        [...first].findIndex((letter, at) => letter !== last[at]),
      );
      const alike = (await c.client.call('sessions.list', { limit: 500 })).data.filter(({ id }) =>
        id.startsWith(prefix),
      );
      return prefix.length >= 8 && alike.length === 1 && { prefix, last };
    });
    expect((await c.client.call('sessions.get', { sessionId: prefix })).id).toBe(last);
  });
});
