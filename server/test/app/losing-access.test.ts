import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { type Update, WAYS_IN_PROCESS as WAYS } from '../e2e/support/mcp.ts';
import { addPerson, bearer, type Person, sessionOf } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

const CANARY = 'canary-of-ann';

let c: InProcessApp;
let ann: Person;
let mine: Awaited<ReturnType<typeof sessionOf>>;
let shared: Awaited<ReturnType<typeof sessionOf>>;
/** A token that expires soon, its owner, and the connections opened with the token. */
let short: { token: string; expiresAt: string; owner: Person; connections: Follower[]; firstEnd: Promise<string> };
beforeAll(async () => {
  c = await startTestApp();
  ann = await addPerson(c, 'Ann');
  mine = await sessionOf(c, ann.client, '@say of ann');
  shared = await sessionOf(c, ann.client, '@say shared');
  // The token expires while the first tests run, so that the last test does not have to wait until it expires.
  const owner = await addPerson(c, 'Bob expired');
  const expiresAt = new Date(Date.now() + 8_000).toISOString();
  const { token } = await c.client.call('tokens.create', { name: 'short', userId: owner.id, expiresAt });
  const connections = await openAll(token);
  const firstEnd = Promise.race(connections.map(({ ended }) => ended)).then(() => new Date().toISOString());
  short = { token, expiresAt, owner, connections, firstEnd };
});
afterAll(() => c.close());

interface Follower {
  /** Returns everything received so far, as text: events and terminal output. */
  told(): string;
  /** Resolves to the reason of the disconnection. */
  ended: Promise<string>;
  close(): void;
}

function socket(path: string, token: string): Follower {
  const opened = new WebSocket(`${c.baseUrl.replace('http', 'ws')}${path}`, { headers: bearer(token) });
  let text = '';
  opened.on('message', (data, binary) => {
    text += binary ? (data as Buffer).subarray(8).toString() : data.toString();
  });
  opened.on('error', () => {});
  const ended = new Promise<string>((resolve) => opened.on('close', (code) => resolve(String(code))));
  return { told: () => text, ended, close: () => opened.terminate() };
}

function stream(path: string, headers: Record<string, string>): Follower {
  const hangUp = new AbortController();
  let text = '';
  const ended = (async () => {
    const answer = await fetch(`${c.baseUrl}${path}`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: hangUp.signal,
    });
    text += ' ';
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    return 'ended';
  })();
  ended.catch(() => undefined);
  return { told: () => text, ended, close: () => hangUp.abort() };
}

/** Opens the event stream of an MCP session with the 2025 protocol. */
async function sessionStream(token: string): Promise<Follower> {
  const answer = await fetch(`${c.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  return stream('/mcp', { ...bearer(token), 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' });
}

/** Opens every kind of long-lived connection with one token, and waits for the first response of each. */
async function openAll(token: string): Promise<Follower[]> {
  const { sessionId, workerId } = shared;
  const all = [
    socket('/ws/app', token),
    socket(`/ws/session/${sessionId}/worker/${workerId}`, token),
    stream('/api/events/stream', bearer(token)),
    stream('/sse', bearer(token)),
    await sessionStream(token),
  ];
  await c.until('all to be open', async () => all.every(({ told }) => told() !== ''));
  return all;
}

const CUT = ['4401', '4401', 'ended', 'ended', 'ended'];
const ends = (followers: Follower[]) => Promise.all(followers.map(({ ended }) => ended));

describe('a follower of a session that becomes private', () => {
  it('learns only that it is private, is disconnected from its terminal, and stops waiting for it', async () => {
    const bob = await addPerson(c, 'Bob');
    const { sessionId, workerId } = mine;
    const path = `/ws/session/${sessionId}/worker/${workerId}`;
    const [app, terminal, events] = [
      socket('/ws/app', bob.token),
      socket(path, bob.token),
      stream('/api/events/stream', bearer(bob.token)),
    ];
    const anns = socket(path, ann.token);
    await c.until('all to be open', async () => [app, terminal, events, anns].every(({ told }) => told() !== ''));
    const { taskId } = await ann.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    const waiting = refusal(bob.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 }));
    await c.until('work', async () => app.told().includes(taskId) && events.told().includes(taskId));

    const { total: before } = await c.client.call('events.list', { limit: 1 });
    await ann.client.call('sessions.update', { sessionId, visibility: 'private', title: CANARY });
    expect(await terminal.ended).toBe('4404');
    expect((await waiting).code).toBe('NOT_FOUND');
    await ann.client.call('sessions.update', { sessionId, title: CANARY });
    await ann.client.call('tasks.cancel', { taskId });
    await ann.client.call('sessions.update', { sessionId: shared.sessionId, title: 'the end' });
    // A dashboard that reconnects also learns that the session is private, because it may still show the session.
    const again = [
      socket(`/ws/app?after=${before}`, bob.token),
      stream(`/api/events/stream?after=${before}`, bearer(bob.token)),
    ];
    const followers = [app, events, ...again];
    await c.until('the last event', async () => followers.every(({ told }) => told().includes('the end')));
    const hidden = JSON.stringify({ sessionId, visibility: 'private' });
    for (const { told } of followers) {
      expect(told()).not.toContain(CANARY);
      const [, after = ''] = told().split(`"data":${hidden}`);
      expect(after).toContain('the end');
      expect(after).not.toContain(sessionId);
    }
    for (const { told } of again) expect(told().split(`"id":"${sessionId}"`)).toHaveLength(2);
    await ann.client.call('sessions.prompt', { sessionId, prompt: `@say ${CANARY}` });
    await c.until('the words to be on the terminal', async () => anns.told().includes(CANARY));
    for (const each of [...followers, anns]) each.close();
    await ann.client.call('sessions.update', { sessionId, visibility: 'workspace' });
  });

  it.each(['HTTP, 2025', 'HTTP, 2026', 'HTTP+SSE'] as const)(
    'with a subscription over %s learns only that it is private until the session is shared again',
    async (way) => {
      const bob = await addPerson(c, way);
      const { sessionId } = mine;
      const client = await WAYS[way](`${c.baseUrl}/mcp`, bob.token);
      const updates: Update[] = [];
      for (const id of [sessionId, shared.sessionId]) {
        await client.watch(`agor://session/${id}`, (update) => updates.push(update));
      }
      const titled = (title: string) => async () =>
        updates.some(({ events }) => JSON.stringify(events).includes(title));
      await ann.client.call('sessions.update', { sessionId, title: 'seen' });
      await c.until('an update', titled('seen'));
      await ann.client.call('sessions.update', { sessionId, visibility: 'private', title: CANARY });
      await c.until('the update to private', titled('"visibility":"private"'));
      await ann.client.call('sessions.update', { sessionId, title: CANARY });
      await ann.client.call('sessions.update', { sessionId: shared.sessionId, title: `marker ${way}` });
      await c.until("the other one's update", titled(`marker ${way}`));
      expect(JSON.stringify(updates)).not.toContain(CANARY);
      // This call makes the session readable for the user again, so updates that arrive from now on may contain
      // `CANARY`.
      await ann.client.call('sessions.update', { sessionId, visibility: 'workspace', title: `again ${way}` });
      await c.until('an update', titled(`again ${way}`));
      await client.close();
    },
  );
});

describe('an open connection', () => {
  it('is closed when its token is revoked, while connections with another token stay open', async () => {
    const bob = await addPerson(c, 'Bob revoked');
    const { id, token } = await c.client.call('tokens.create', { name: 'other', userId: bob.id });
    const [first, other] = [await openAll(bob.token), await openAll(token)];
    const { data } = await c.client.call('tokens.list', { limit: 500 });
    const own = data.find((row) => row.userId === bob.id && row.id !== id)?.id ?? '';
    await c.client.call('tokens.revoke', { tokenId: own });
    expect(await ends(first)).toEqual(CUT);
    await ann.client.call('sessions.update', { sessionId: shared.sessionId, title: 'for the other' });
    await c.until('the other', async () => other[0]?.told().includes('for the other') === true);
    await c.client.call('tokens.revoke', { tokenId: id });
    expect(await ends(other)).toEqual(CUT);
  });

  it('is closed when its user is removed', async () => {
    const bob = await addPerson(c, 'Bob removed');
    const all = await openAll(bob.token);
    await c.client.call('users.remove', { userId: bob.id });
    expect(await ends(all)).toEqual(CUT);
    expect(await refusal(bob.client.call('sessions.list', {}))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('revoked'),
    });
  });

  it('is closed when its worker ends', async () => {
    const agent = await sessionOf(c, ann.client, '@say of a worker');
    const all = await openAll(agent.token);
    await ann.client.call('sessions.stop', { sessionId: agent.sessionId });
    expect(await ends(all)).toEqual(CUT);
    expect(await refusal(agent.client.call('sessions.list', {}))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('worker that has ended'),
    });
  });

  it('is closed when its token expires, and later calls with the token say so', async () => {
    const { token, expiresAt, owner, connections } = short;
    expect(await ends(connections)).toEqual(CUT);
    expect((await short.firstEnd) >= expiresAt).toBe(true);
    const late = createClient({ baseUrl: c.baseUrl, token, insideWorker: true });
    expect(await refusal(late.call('sessions.list', {}))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining(`expired at ${expiresAt}`),
    });
    await owner.client.call('sessions.list', {});
  });
});
