import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, bearer, sessionOf, stored } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, refusalsOf, send } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

describe('users', () => {
  it('start with the local owner, who is the caller from this machine', async () => {
    const { data } = await c.client.call('users.list', {});
    const { sessionId, ...caller } = await c.client.call('users.current', {});
    expect(data.filter((user) => user.localOwner)).toEqual([caller]);
    expect(sessionId).toBeNull();
    await c.restart();
    expect((await c.client.call('users.list', {})).data).toEqual(data);
  });

  it('cannot set what only the local owner may set', async () => {
    const { client } = await addPerson(c, 'guest');
    const repositoryId = c.repository.id;
    for (const field of ['agentsMayIntegrate', 'runHooks']) {
      const refused = await refusal(client.call('repositories.update', { repositoryId, [field]: true }));
      expect(refused).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining('the local owner') });
      expect(await c.client.call('repositories.update', { repositoryId, [field]: true })).toMatchObject({
        [field]: true,
      });
    }
    expect(await client.call('repositories.update', { repositoryId, name: 'Shop' })).toMatchObject({ name: 'Shop' });
  });

  it('are added by the owner, each with a unique address', async () => {
    const ann = await c.client.call('users.create', { username: 'ann', email: 'Ann@Example.com' });
    expect(ann).toMatchObject({ username: 'ann', email: 'ann@example.com', avatarUrl: null, localOwner: false });
    const again = await refusal(c.client.call('users.create', { email: 'ann@example.com' }));
    expect(again).toMatchObject({ code: 'CONFLICT', details: { userId: ann.id } });
    const other = await c.client.call('users.create', {});
    const taken = c.client.call('users.update', { userId: other.id, email: 'ANN@example.com' });
    expect((await refusal(taken)).code).toBe('CONFLICT');
    await c.client.call('users.update', { userId: ann.id, email: 'ann@example.com', username: 'Ann' });
    expect(await c.client.call('users.get', { userId: ann.id })).toMatchObject({ username: 'Ann' });
    await c.client.call('users.remove', { userId: ann.id });
    expect(await c.client.call('users.update', { userId: other.id, email: 'ann@example.com' })).toMatchObject({
      email: 'ann@example.com',
    });
  });

  it("are created by tool with the owner's token, and by no agent", async () => {
    const { token } = await c.client.call('tokens.create', { name: 'admin', scopes: ['read', 'write', 'owner'] });
    const admin = await openTools(c, token, '?toolsets=users');
    const made = await admin.call('agor_users_create', { username: 'sarah', email: 'sarah@example.com' });
    expect(made).toMatchObject({ created: true, entity_id: expect.any(String), entity: { username: 'sarah' } });
    const got = await admin.call('agor_users_get', { userId: String(made.entity_id) });
    expect(got).toEqual(made.entity);
    expect(JSON.stringify(got)).not.toMatch(/token|sha256|secret/i);
    await admin.close();

    const sarah = await addPerson(c, 'Sarah');
    const agent = await sessionOf(c, sarah.client, '@say hello');
    const tools = await openTools(c, agent.token);
    expect((await refusal(tools.call('agor_users_create', { username: 'mallory' }))).code).toBe('PERMISSION_DENIED');
    expect(await tools.call('agor_users_get_current', {})).toMatchObject({ user_id: sarah.id, username: 'Sarah' });
    const { id, sessionId } = await agent.client.call('users.current', {});
    expect({ id, sessionId }).toEqual({ id: sarah.id, sessionId: agent.sessionId });
    await tools.close();
    const refused = await refusalsOf([
      agent.client.call('users.update', { userId: sarah.id, username: 'x' }),
      sarah.client.call('users.create', { username: 'x' }),
      sarah.client.call('tokens.create', { name: 'x' }),
    ]);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['PERMISSION_DENIED']));
    await c.client.call('sessions.stop', { sessionId: agent.sessionId });
  });

  it('that are removed can no longer call, and their rows remain', async () => {
    const gone = await addPerson(c, 'Gone');
    const { id } = await gone.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      visibility: 'private',
    });
    await c.client.call('users.remove', { userId: gone.id });
    const refused = await refusal(gone.client.call('sessions.list', {}));
    expect(refused).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringMatching(/was revoked at/) });
    expect(await c.client.call('sessions.get', { sessionId: id })).toMatchObject({ createdByUserId: gone.id });
    const late = c.client.call('tokens.create', { name: 'late', userId: gone.id });
    expect((await refusal(late)).code).toBe('NOT_FOUND');
    const own = await c.client.call('users.current', {});
    expect((await refusal(c.client.call('users.remove', { userId: own.id }))).code).toBe('CONFLICT');
  });
});

describe('a token', () => {
  it('that has expired is rejected with the reason, and only the owner has the owner scope', async () => {
    const ann = await addPerson(c, 'Token-Ann');
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const { token } = await c.client.call('tokens.create', { name: 'short', userId: ann.id, expiresAt });
    const refused = await c.until('it to expire', async () => {
      const { status, body } = await send(c, 'GET', '/users/current', undefined, bearer(token));
      return status === 401 && body;
    });
    expect(refused).toMatchObject({ error: { message: expect.stringContaining(`expired at ${expiresAt}`) } });
    const scopes = ['read', 'owner'] as const;
    const more = c.client.call('tokens.create', { name: 'more', userId: ann.id, scopes: [...scopes] });
    expect((await refusal(more)).code).toBe('VALIDATION');
  });

  it('of a worker is unique, outlives the server, ends with the worker, and is stored only as a hash', async () => {
    const [one, two] = [await sessionOf(c, c.client, '@say one'), await sessionOf(c, c.client, '@say two')];
    expect(one.token).not.toBe(two.token);
    await c.restart();
    expect(await one.client.call('sessions.get', { sessionId: one.sessionId })).toMatchObject({ id: one.sessionId });
    const { token } = await c.client.call('tokens.create', { name: 'listed' });
    const shown = JSON.stringify([
      await c.client.call('tokens.list', { limit: 500 }),
      stored(c, 'select * from tokens'),
    ]);
    for (const secret of [one.token, two.token, token]) expect(shown).not.toContain(secret);
    for (const { sessionId } of [one, two]) await c.client.call('sessions.stop', { sessionId });
    const ended = await send(c, 'GET', '/users/current', undefined, bearer(one.token));
    expect(ended).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringMatching(/worker that has ended/) } },
    });
  });
});
