import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, bearer, type Person, sessionOf } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, refusalsOf } from '../support/calling.ts';

let c: InProcessApp;
let ann: Person;
let bob: Person;
let bobs: Awaited<ReturnType<typeof sessionOf>>;
/** Sessions that the local owner created from Bob's session: a fork with a higher permission mode, and a child. */
let fork: { sessionId: string; taskId: string };
let child: { sessionId: string; taskId: string };

const ended = (taskId: string) =>
  c.until('the end of a task', async () => (await c.client.call('tasks.get', { taskId })).endedAt !== null);

beforeAll(async () => {
  c = await startTestApp();
  [ann, bob] = [await addPerson(c, 'Ann'), await addPerson(c, 'Bob')];
  bobs = await sessionOf(c, bob.client, '@say of bob');
  const { sessionId } = bobs;
  await ended(bobs.taskId);
  const prompt = '@say by the local owner';
  fork = await c.client.call('sessions.fork', { sessionId, prompt, permissionMode: 'bypassPermissions' });
  child = await c.client.call('sessions.spawn', { sessionId, prompt });
  await ended(fork.taskId);
  await ended(child.taskId);
});
afterAll(() => c.close());

it('every user gets the same start time of the server', async () => {
  const statuses = [];
  for (const { client } of [c, ann, bob]) statuses.push(await client.call('system.status', {}));
  expect(new Set(statuses.map(({ startedAt }) => startedAt)).size).toBe(1);
  const { at } = (await c.events(0, ({ type }) => type === 'server.started')).at(-1) ?? { at: '' };
  expect(Date.parse(statuses[0]?.startedAt ?? '')).toBeLessThan(Date.parse(at));
});

describe('a session that somebody else created from a visible one', () => {
  it('cannot be used by the agent of that session', async () => {
    for (const { sessionId } of [fork, child]) {
      const refused = await refusalsOf([
        bobs.client.call('sessions.prompt', { sessionId, prompt: 'x' }),
        bobs.client.call('sessions.update', { sessionId, permissionMode: 'default' }),
        bobs.client.call('sessions.fork', { sessionId, prompt: 'x' }),
        bobs.client.call('sessions.spawn', { sessionId, prompt: 'x' }),
      ]);
      for (const { code, message } of refused) {
        expect(code).toBe('PERMISSION_DENIED');
        expect(message).toContain('belongs to the local owner');
      }
    }
  });

  it('can be used by that agent if the agent created it', async () => {
    const own = await bobs.client.call('sessions.fork', {
      sessionId: bobs.sessionId,
      prompt: '@report succeeded first',
    });
    await ended(own.taskId);
    const { sessionId } = own;
    const { taskId } = await bobs.client.call('sessions.prompt', { sessionId, prompt: '@report succeeded more' });
    await ended(taskId);
    expect(await bobs.client.call('sessions.update', { sessionId, title: 'mine' })).toMatchObject({ title: 'mine' });
  });

  it('is not named to callers who cannot see it, in reads or writes', async () => {
    const children = async (reader: Person['client']) => [
      (await reader.call('sessions.get', { sessionId: bobs.sessionId })).genealogy.children,
      (await reader.call('sessions.update', { sessionId: bobs.sessionId, title: 'of Bob' })).genealogy.children,
    ];
    for (const ids of await children(bob.client)) expect(ids).toContain(fork.sessionId);
    await c.client.call('sessions.update', { sessionId: fork.sessionId, visibility: 'private' });
    for (const ids of [...(await children(bob.client)), ...(await children(bobs.client))]) {
      expect(ids).not.toContain(fork.sessionId);
      expect(ids).toContain(child.sessionId);
    }
    for (const ids of await children(c.client)) expect(ids).toContain(fork.sessionId);
  });

  it('counts towards the limit of live sessions of callers who cannot see it', async () => {
    const session = await bob.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { counts } = await c.client.call('system.status', {});
    await c.client.call('settings.update', { liveSessions: counts.liveSessions });
    const refused = await refusal(bob.client.call('workers.create', { sessionId: session.id, type: 'terminal' }));
    expect(refused).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'liveSessions' } });
    await c.client.call('settings.update', { liveSessions: counts.liveSessions + 10 });
  });
});

describe('a visible session', () => {
  it('does not name the private session that created it, in no view and no event', async () => {
    const hidden = await sessionOf(c, ann.client, '@say of ann');
    await ann.client.call('sessions.update', { sessionId: hidden.sessionId, visibility: 'private' });
    const made = await hidden.client.call('sessions.spawn', {
      sessionId: hidden.sessionId,
      prompt: '@report succeeded done',
    });
    const { sessionId } = made;
    await ended(made.taskId);
    await ann.client.call('sessions.update', { sessionId, visibility: 'workspace' });

    const everyEvent = async (reader: Person['client']) => {
      const first = await reader.call('events.list', { after: 0, limit: 500 });
      return [...first.data, ...(await reader.call('sessions.events', { sessionId, after: 0, limit: 500 })).data];
    };
    const told = async (reader: Person['client']) => ({
      session: await reader.call('sessions.get', { sessionId }),
      tasks: [
        (await reader.call('tasks.list', { sessionId })).data,
        await reader.call('tasks.get', { taskId: made.taskId }),
      ],
      list: (await reader.call('sessions.list', { limit: 500 })).data,
      events: await everyEvent(reader),
    });
    const toAnn = await told(ann.client);
    for (const [part, value] of Object.entries(toAnn)) expect(JSON.stringify(value), part).toContain(hidden.sessionId);
    expect(toAnn.session).toMatchObject({ createdBySessionId: hidden.sessionId, viaSessionId: hidden.sessionId });
    for (const reader of [bob.client, bobs.client]) {
      const toBob = await told(reader);
      for (const [part, value] of Object.entries(toBob)) {
        expect(JSON.stringify(value), part).not.toContain(hidden.sessionId);
      }
      expect(toBob.session).toMatchObject({
        createdBySessionId: null,
        viaSessionId: null,
        genealogy: { parentSessionId: null },
        tasks: [{ source: { kind: 'session', id: null } }],
      });
      const created = toBob.events.find(({ type, subject }) => type === 'session.created' && subject.id === sessionId);
      expect(created?.actor).toBe('session');
      expect(created).not.toHaveProperty('viaSessionId');
    }

    const stream = new AbortController();
    const url = `${c.baseUrl}/api/events/stream?after=0`;
    const answer = await fetch(url, { headers: bearer(bob.token), signal: stream.signal });
    let sent = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) sent += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await ann.client.call('sessions.update', { sessionId, title: 'the end' });
    await c.until('the stream to follow', async () => sent.includes('the end'));
    stream.abort();
    await reading;
    expect(sent).toContain(sessionId);
    // The only event with the id of the hidden session is the one that says that the session became private. Until
    // then, Bob could see the session.
    const fact = JSON.stringify({ sessionId: hidden.sessionId, visibility: 'private' });
    const naming = sent.split('\n').filter((line) => line.includes(hidden.sessionId));
    expect(naming).toEqual([expect.stringContaining(`"data":${fact}`)]);
    expect(sent).toContain('"actor":"session"');
    expect(sent).not.toContain('"viaSessionId":null');
  });
});
