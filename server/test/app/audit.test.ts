import type { RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS } from '../e2e/support/mcp.ts';
import { addPerson, bearer, type Person, sessionOf, stored } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, send, type ToolClient } from '../support/calling.ts';

const CANARY = 'canary-in-the-arguments';

let c: InProcessApp;
let ann: Person;
let anns: Awaited<ReturnType<typeof sessionOf>>;
let tools: ToolClient;
beforeAll(async () => {
  c = await startTestApp();
  ann = await addPerson(c, 'Ann');
  anns = await sessionOf(c, ann.client, '@say of ann');
  tools = await openTools(c, anns.token, '?toolsets=all');
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

/** Returns the audit rows added by `work`, oldest first. */
async function rowsOf(work: () => Promise<unknown>) {
  const count = stored(c, 'select 1 from audit').length;
  await work();
  return c.until('a row', async () => {
    const rows = stored(c, 'select * from audit order by id').slice(count);
    return rows.length > 0 && rows;
  });
}

const call = (tool: string, args: object) => () => tools.call(tool, { ...args }).catch(() => undefined);

describe('a call', () => {
  it.each([
    ['that succeeds', 'agor_sessions_list', {}, 'sessions.list', 'ok'],
    ['that changes something', 'agor_sessions_update', { title: 'anew' }, 'sessions.update', 'ok'],
    ['of a tool with its own arguments that are invalid', 'agor_boards_get', { x: CANARY }, 'boards.get', 'VALIDATION'],
    ['of a tool with an argument of the wrong type', 'list_sessions', { limit: CANARY }, 'sessions.list', 'VALIDATION'],
    ['of a tool with an unknown field', 'report_result', { [CANARY]: 1 }, 'sessions.report', 'VALIDATION'],
    [
      'about an id that does not exist',
      'agor_tasks_get',
      { taskId: '00000000-0000-7000-8000-000000000000' },
      'tasks.get',
      'NOT_FOUND',
    ],
    ['that agents may not make', 'agor_users_create', { username: CANARY }, 'users.create', 'PERMISSION_DENIED'],
    ['of an unknown tool', CANARY, {}, 'tools/call', 'NOT_FOUND'],
  ])('%s is audited with operation, session, person, result and time', async (_, tool, args, operation, result) => {
    const own = tool === 'agor_sessions_update' ? { ...args, sessionId: anns.sessionId } : args;
    const rows = await rowsOf(call(tool, own));
    expect(rows).toEqual([
      {
        id: expect.any(String),
        at: expect.any(String),
        actor: `session:${anns.sessionId}`,
        sessionId: anns.sessionId,
        userId: ann.id,
        surface: 'mcp',
        operation,
        result,
        milliseconds: expect.any(Number),
      },
    ]);
    expect(Number(rows[0]?.milliseconds)).toBeGreaterThanOrEqual(0);
  });

  it('of a resource is audited too, readable or not', async () => {
    const client = await ERAS.modern(`${c.baseUrl}/mcp`, anns.token);
    const read = await rowsOf(() => client.readResource({ uri: `agor://session/${anns.sessionId}` }));
    const nothing = await rowsOf(() => client.readResource({ uri: `agor://${CANARY}` }).catch(() => undefined));
    await client.close();
    expect(read).toMatchObject([{ operation: 'sessions.get', result: 'ok', userId: ann.id }]);
    expect(nothing).toMatchObject([{ operation: 'resources/read', result: 'NOT_FOUND', userId: ann.id }]);
  });

  it('over REST is audited when it writes, comes from an agent, or is rejected', async () => {
    const session = { sessionId: anns.sessionId };
    const headers = bearer(ann.token);
    const path = `/sessions/${anns.sessionId}`;
    const person = { sessionId: null, userId: ann.id, surface: 'rest' };
    expect(await rowsOf(() => ann.client.call('sessions.update', { ...session, title: 'by ann' }))).toMatchObject([
      { ...person, operation: 'sessions.update', result: 'ok' },
    ]);
    expect(await rowsOf(() => anns.client.call('sessions.get', session))).toMatchObject([
      { ...session, userId: ann.id, operation: 'sessions.get', result: 'ok' },
    ]);
    const refused = { ...person, result: 'VALIDATION' };
    expect(await rowsOf(() => send(c, 'PATCH', path, `{"${CANARY}`, headers))).toMatchObject([
      { ...refused, operation: 'sessions.update' },
    ]);
    expect(await rowsOf(() => send(c, 'GET', `${path}?${CANARY}=1`, undefined, headers))).toMatchObject([
      { ...refused, operation: 'sessions.get' },
    ]);
    expect(
      await rowsOf(async () => {
        await ann.client.call('sessions.get', session);
        await refusal(ann.client.call('settings.update', { liveSessions: 9 }));
      }),
    ).toMatchObject([{ ...person, operation: 'settings.update', result: 'PERMISSION_DENIED' }]);
  });

  it("is audited without its input, and a stranger's call is not audited at all", async () => {
    const strange = { Authorization: `Bearer ${CANARY}` };
    expect((await send(c, 'GET', '/sessions', undefined, strange)).status).toBe(401);
    await ann.client.call('sessions.get', { sessionId: anns.sessionId });
    const rows = stored(c, 'select * from audit');
    expect(rows.length).toBeGreaterThan(10);
    for (const secret of [CANARY, ann.token, anns.token]) expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows.filter(({ actor }) => actor === 'nobody')).toEqual([]);
  });
});

describe('the audit list', () => {
  const list = async (filter: RequestOf<'audit.list'> = {}) =>
    (await c.client.call('audit.list', { limit: 500, ...filter })).data;

  it('contains every stored row, newest first, in pages', async () => {
    await refusal(anns.client.call('settings.update', { liveSessions: 9 }));
    const rows = stored(c, 'select * from audit order by id desc');
    const all = await c.client.call('audit.list', { limit: 500 });
    expect(all.total).toBe(rows.length);
    expect(all.data).toEqual(rows.map(({ result, ...row }) => ({ ...row, outcome: result })));
    expect(await list({ limit: 2, skip: 1 })).toEqual(all.data.slice(1, 3));
  });

  it('can be filtered by session, operation, outcome and time, alone and combined', async () => {
    const all = await list();
    const same = async (filter: RequestOf<'audit.list'>, keeps: (row: (typeof all)[number]) => boolean) => {
      const kept = all.filter(keeps);
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.length).toBeLessThan(all.length);
      expect(await list(filter)).toEqual(kept);
    };
    const middle = all[Math.floor(all.length / 2)]?.at ?? '';
    await same({ sessionId: anns.sessionId.slice(0, 30) }, (row) => row.sessionId === anns.sessionId);
    await same({ operation: 'sessions.get' }, (row) => row.operation === 'sessions.get');
    await same({ outcome: 'ok' }, (row) => row.outcome === 'ok');
    await same({ outcome: 'error' }, (row) => row.outcome !== 'ok');
    await same({ outcome: 'VALIDATION' }, (row) => row.outcome === 'VALIDATION');
    await same({ after: middle }, (row) => row.at > middle);
    await same({ before: middle }, (row) => row.at < middle);
    const [until = '', from = ''] = [all[2]?.at, all.at(-3)?.at];
    await same({ after: from, before: until }, (row) => row.at > from && row.at < until);
    // The same moment as `middle`, written in a time zone that is two hours ahead of UTC.
    const ahead = `${new Date(Date.parse(middle) + 7_200_000).toISOString().slice(0, -1)}+02:00`;
    await same({ after: ahead }, (row) => row.at > middle);
    const both = { sessionId: anns.sessionId, outcome: 'PERMISSION_DENIED' } as const;
    await same(both, (row) => row.sessionId === anns.sessionId && row.outcome === 'PERMISSION_DENIED');
  });

  it('is only for the owner, and rejects an invalid filter', async () => {
    for (const { client } of [ann, anns]) {
      expect((await refusal(client.call('audit.list', {}))).code).toBe('PERMISSION_DENIED');
    }
    expect((await refusal(c.client.call('audit.list', { outcome: 'fine' } as never))).message).toMatch(
      /outcome.*error/,
    );
    expect((await refusal(c.client.call('audit.list', { after: 'yesterday' }))).code).toBe('VALIDATION');
  });
});

describe('a created row', () => {
  const madeBy = (table: string, id: string) =>
    stored(c, `select "createdBy", "viaSessionId" from ${table} where id = '${id}'`)[0];

  it('names the session of the agent that created it', async () => {
    const by = { createdBy: `session:${anns.sessionId}`, viaSessionId: anns.sessionId };
    const board = await tools.call('agor_boards_create', { name: 'of an agent' });
    expect(madeBy('boards', String(board.entity_id))).toEqual(by);
    const spawned = await tools.call('agor_sessions_spawn', { prompt: '@say x' });
    expect(madeBy('tasks', String(spawned.taskId))).toEqual(by);
    expect(
      stored(
        c,
        `select "createdByUserId", "createdBySessionId", "viaSessionId" from sessions where id = '${spawned.sessionId}'`,
      ),
    ).toEqual([{ createdByUserId: ann.id, createdBySessionId: anns.sessionId, viaSessionId: anns.sessionId }]);
    const made = await anns.client.call('delegations.create', { prompt: '@report succeeded done' });
    const { worktreeId } = await ann.client.call('sessions.get', { sessionId: made.sessionId });
    expect(madeBy('worktrees', String(worktreeId))).toEqual(by);
    expect(await ann.client.call('sessions.get', { sessionId: made.sessionId })).toMatchObject({
      createdByUserId: ann.id,
      createdBySessionId: anns.sessionId,
      viaSessionId: anns.sessionId,
    });
  });

  it('names the person who created it, also for copies', async () => {
    const by = { createdBy: `user:${ann.id}`, viaSessionId: null };
    const board = await ann.client.call('boards.create', { name: 'of ann' });
    const area = { boardId: board.id, name: 'z', color: '#ffffff', x: 0, y: 0, width: 10, height: 10 };
    const zone = await ann.client.call('zones.create', area);
    const [copied] = (await c.client.call('boards.duplicate', { boardId: board.id, newName: 'copy' })).zones;
    expect([madeBy('boards', board.id), madeBy('zones', zone.id)]).toEqual([by, by]);
    const owner = await c.client.call('users.current', {});
    const byOwner = { createdBy: `user:${owner.id}`, viaSessionId: null };
    expect(madeBy('zones', copied?.id ?? '')).toEqual(byOwner);
    expect(madeBy('users', ann.id)).toEqual(byOwner);
    const { id: tokenId } = await c.client.call('tokens.create', { name: 'one more', userId: ann.id });
    expect(madeBy('tokens', tokenId)).toEqual(byOwner);
    expect(madeBy('tasks', anns.taskId)).toEqual(by);
    for (const seen of [zone, board, owner]) expect(Object.keys(seen)).not.toContain('createdBy');
  });
});
