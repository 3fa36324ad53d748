import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { stored } from '../e2e/support/people.ts';
import { putInto } from '../e2e/support/planted.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

const DAY_MS = 86_400_000;

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const withToken = (token: string) => createClient({ baseUrl: c.baseUrl, token, insideWorker: true });
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

async function listed(client = c.client) {
  return (await client.call('tokens.list', { limit: 500 })).data;
}

/** Logs a browser in. Returns a client that sends the token, and the token's entry in the list of tokens. */
async function logIn() {
  const { code } = await c.client.call('login.open', {});
  const { token, expiresAt } = await c.client.call('login.redeem', { code });
  const client = withToken(token);
  const own = (await listed(client)).find(({ current }) => current);
  if (own === undefined) throw new Error("the list does not say which token is the caller's own");
  return { client, id: own.id, expiresAt, own };
}

const tokenRow = (id: string) => stored(c, `select * from tokens where id = '${id}'`)[0];
const put = (id: string, column: 'lastUsedAt' | 'expiresAt', value: string | null) =>
  putInto(c, [`update tokens set "${column}" = ? where id = ?`, value, id]);
const used = (id: string) =>
  c.until('the use', () => (tokenRow(id)?.lastUsedAt as string | null | undefined) ?? undefined);

describe('the token of a dashboard login', () => {
  it('expires 30 days after its last use, and is listed with the expiry', async () => {
    const before = Date.now();
    const { client, id, own, expiresAt } = await logIn();
    expect(own).toMatchObject({ name: 'dashboard', login: true, current: true, expiresAt: expect.any(String) });
    expect(Date.parse(String(expiresAt))).toBeGreaterThanOrEqual(before + 30 * DAY_MS);
    expect(Date.parse(String(expiresAt))).toBeLessThanOrEqual(Date.now() + 30 * DAY_MS);
    expect(Date.parse(await used(id))).toBeGreaterThanOrEqual(before);
    put(id, 'lastUsedAt', inMs(-DAY_MS));
    put(id, 'expiresAt', inMs(DAY_MS));
    await client.call('users.current', {});
    await c.until('the later end', () => Date.parse(String(tokenRow(id)?.expiresAt)) >= before + 30 * DAY_MS);
    expect((await listed()).find((token) => token.id === id)).toMatchObject({
      current: false,
      lastUsedAt: tokenRow(id)?.lastUsedAt,
    });
  });

  it('is rejected after its expiry with that reason', async () => {
    const { client, id } = await logIn();
    await used(id);
    put(id, 'expiresAt', inMs(-1_000));
    expect(await refusal(client.call('users.current', {}))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/expired at .*agent-console open|expired at/),
    });
  });

  it('has its use recorded at most once a minute', async () => {
    const [one, other] = [await logIn(), await logIn()];
    await used(one.id);
    await used(other.id);
    const lately = inMs(-20_000);
    put(one.id, 'lastUsedAt', lately);
    put(other.id, 'lastUsedAt', null);
    await one.client.call('users.current', {});
    await other.client.call('users.current', {});
    // The server records the uses of tokens in the order of the calls. It has recorded the use of `other`, so it would
    // also have recorded a second use of `one`.
    await used(other.id);
    expect(tokenRow(one.id)?.lastUsedAt).toBe(lately);
  });

  it("is revoked with all other logins, except the caller's and tokens that people created", async () => {
    const [mine, other, third] = [await logIn(), await logIn(), await logIn()];
    const made = await c.client.call('tokens.create', { name: 'dashboard', scopes: ['read', 'write', 'owner'] });
    const living = stored(c, 'select 1 from tokens where login and "revokedAt" is null').length;
    const { revoked } = await mine.client.call('tokens.revokeLogins', {});
    expect(revoked).toBe(living - 1);
    for (const { client } of [other, third]) {
      expect((await refusal(client.call('users.current', {}))).message).toMatch(/was revoked at/);
    }
    await mine.client.call('users.current', {});
    await withToken(made.token).call('users.current', {});
    const { data } = await c.client.call('events.list', { after: 0, limit: 500 });
    const told = data.filter(({ type, subject }) => type === 'token.revoked' && subject.id === other.id);
    expect(told.length).toBe(1);
    // `tokens.revokeLogins` spares only the token of its caller. A person at a terminal calls it without a token, so
    // all browsers are logged out.
    expect(await c.client.call('tokens.revokeLogins', {})).toEqual({ revoked: 1 });
    expect((await refusal(mine.client.call('users.current', {}))).code).toBe('UNAUTHENTICATED');
  });
});

describe('a token created by a person', () => {
  it('has the time of its last use, and keeps its expiry', async () => {
    const endless = await c.client.call('tokens.create', { name: 'endless', scopes: ['read', 'write', 'owner'] });
    const ending = await c.client.call('tokens.create', { name: 'ending', expiresAt: inMs(DAY_MS) });
    expect([endless.login, endless.lastUsedAt, endless.current, endless.expiresAt]).toEqual([false, null, false, null]);
    const own = (await listed(withToken(endless.token))).filter(({ current }) => current);
    expect(own.map(({ id }) => id)).toEqual([endless.id]);
    await withToken(ending.token).call('users.current', {});
    for (const { id, expiresAt } of [endless, ending]) {
      await used(id);
      expect(tokenRow(id)?.expiresAt).toBe(expiresAt);
    }
  });
});
