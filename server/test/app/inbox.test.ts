import { contractOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addPerson, type Person, sessionOf } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, runCommand } from '../support/calling.ts';

let c: InProcessApp;
let ann: Person;
beforeAll(async () => {
  c = await startTestApp();
  ann = await addPerson(c, 'Ann');
});
afterAll(() => c.close());

/** Creates a session and waits until its first prompt has ended or waits for an answer. Returns the id. */
async function ran(title: string, prompt: string, client = c.client): Promise<string> {
  const { id: sessionId } = await client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title });
  await client.call('sessions.prompt', { sessionId, prompt });
  await c.until(`the end of ${title}`, async () => {
    const { task } = await client.call('sessions.get', { sessionId });
    return task?.endedAt != null || task?.waitingFor === 'answer';
  });
  return sessionId;
}

async function putAway(sessionId: string): Promise<void> {
  await c.client.call('sessions.stop', { sessionId });
  await c.client.call('sessions.archive', { sessionId });
}

const titles = async (group?: 'answer' | 'failed' | 'finished', client = c.client) =>
  (await client.call('inbox.list', { ...(group === undefined ? {} : { group }) })).data.map(({ title }) => title);

describe('the inbox', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    ids.first = await ran('first question', '@ask One?');
    ids.broken = await ran('broken', '@report failed It broke.');
    ids.done = await ran('done', '@report succeeded Did it.');
    ids.second = await ran('second question', '@ask Two?');
    ids.later = await ran('done later', '@report succeeded Did that too.');
  });
  beforeEach(async () => {
    await c.client.call('inbox.mark', { sessionIds: Object.values(ids), read: false });
  });

  it('groups waiting sessions, oldest first, then failures and other outcomes, newest first', async () => {
    const { data, counts, total } = await c.client.call('inbox.list', {});
    expect(data.map(({ title, group, kind }) => [title, group, kind])).toEqual([
      ['first question', 'answer', 'asks'],
      ['second question', 'answer', 'asks'],
      ['broken', 'failed', 'failed'],
      ['done later', 'finished', 'done'],
      ['done', 'finished', 'done'],
    ]);
    expect(counts).toEqual({ answer: 2, failed: 1, finished: 2 });
    expect(total).toBe(5);
    expect(data[0]).toMatchObject({ text: expect.stringContaining('One?'), approvalId: expect.any(String) });
    expect(data[2]).toMatchObject({ text: 'It broke.', sessionId: ids.broken });
    const pages = await Promise.all([0, 2, 4].map((skip) => c.client.call('inbox.list', { limit: 2, skip })));
    expect(pages.flatMap((page) => page.data)).toEqual(data);
  });

  it('filters by words and group', async () => {
    const found = await c.client.call('inbox.list', { query: 'done that', group: 'finished' });
    expect(found.data.map(({ title }) => title)).toEqual(['done later']);
    expect(found.counts).toEqual({ answer: 0, failed: 0, finished: 1 });
    expect((await c.client.call('inbox.list', { about: 'orchestration' })).data).toEqual([]);
  });

  it('marks outcomes as read by item, group or all, returns them for an undo, and keeps questions', async () => {
    const one = await c.client.call('inbox.mark', { sessionIds: [ids.done ?? ''] });
    expect(one).toMatchObject({ sessionIds: [ids.done], counts: { answer: 2, failed: 1, finished: 1 } });
    const group = await c.client.call('inbox.mark', { group: 'finished' });
    expect(group).toMatchObject({ sessionIds: [ids.later], counts: { answer: 2, failed: 1, finished: 0 } });
    const all = await c.client.call('inbox.mark', { all: true });
    expect(all).toMatchObject({ sessionIds: [ids.broken], counts: { answer: 2, failed: 0, finished: 0 } });
    await c.client.call('inbox.mark', { sessionIds: group.sessionIds, read: false });
    expect(await titles()).toEqual(['first question', 'second question', 'done later']);
  });

  it('does not mark outcomes that are newer than what was shown', async () => {
    const shown = (await c.client.call('inbox.list', { query: 'later' })).data[0]?.since ?? '';
    const before = new Date(Date.parse(shown) - 1).toISOString();
    await c.client.call('inbox.mark', { all: true, until: before });
    expect(await titles('finished')).toEqual(['done later']);
    await c.client.call('inbox.mark', { all: true, until: shown });
    await c.client.call('inbox.mark', { all: true, until: before });
    expect(await titles('finished')).toEqual([]);
  });

  it('shows a later outcome of a session that was read', async () => {
    const sessionId = await ran('again', '@report succeeded One.');
    await c.client.call('inbox.mark', { sessionIds: [sessionId] });
    expect(await titles('finished')).not.toContain('again');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@report failed Two.' });
    await c.until('the second end', async () => (await titles('failed')).includes('again'));
    await putAway(sessionId);
    expect(await titles()).not.toContain('again');
  });

  it('has separate marks for each user, and sends changes to their other devices', async () => {
    await c.client.call('inbox.mark', { all: true });
    expect(await titles('finished', ann.client)).toEqual(['done later', 'done']);
    const after = (await c.client.call('events.list', { limit: 1 })).total;
    await ann.client.call('inbox.mark', { sessionIds: [ids.done ?? ''] });
    const { data } = await c.client.call('events.list', { after, limit: 500 });
    const event = data.find(({ type }) => type === 'user.marked');
    expect(event).toMatchObject({
      subject: { kind: 'user', id: ann.id },
      data: { sessionIds: [ids.done], readUntil: expect.any(String) },
    });
  });

  it("does not contain other users' private sessions, which cannot be marked either", async () => {
    const sessionId = await ran('secret', '@report succeeded Quietly.');
    await c.client.call('sessions.update', { sessionId, visibility: 'private' });
    const bob = await addPerson(c, 'Bob');
    expect(await titles(undefined, bob.client)).not.toContain('secret');
    const all = await bob.client.call('inbox.mark', { all: true });
    expect(all.sessionIds).not.toContain(sessionId);
    const denied = await refusal(bob.client.call('inbox.mark', { sessionIds: [sessionId] }));
    expect(denied).toMatchObject({ code: 'NOT_FOUND' });
    expect(await titles()).toContain('secret');
    await putAway(sessionId);
  });

  it('names what is missing or contradictory in a request', async () => {
    for (const input of [{}, { all: true, group: 'failed' as const }, { all: true, read: false }]) {
      expect(await refusal(c.client.call('inbox.mark', input))).toMatchObject({ code: 'VALIDATION' });
    }
  });

  it('contains orchestrations that ended or used up their budget, instead of the ends of their agents', async () => {
    const agents = [{ agentId: 'one', role: 'worker', task: '@report succeeded x', agenticTool: 'scripted' }];
    const input = { objective: 'Try it all\n\nin every browser', repositoryId: c.repository.id, agents, start: true };
    const { id: orchestrationId } = await c.client.call('orchestrations.create', input);
    const about = { about: 'orchestration' } as const;
    const item = await c.until('its end', async () => (await c.client.call('inbox.list', about)).data[0]);
    expect(item).toMatchObject({ orchestrationId, sessionId: null, group: 'finished', title: 'Try it all' });
    expect((await c.client.call('inbox.list', { about: 'session' })).data.map(({ text }) => text)).not.toContain('x');
    const marked = await c.client.call('inbox.mark', { orchestrationIds: [orchestrationId] });
    expect(marked.orchestrationIds).toEqual([orchestrationId]);
    expect((await c.client.call('inbox.list', about)).data).toEqual([]);
  });

  it("does not count questions about orchestrations of other users' private sessions", async () => {
    const own = await sessionOf(c, c.client, '@say ready');
    const agent = { role: 'worker', task: '@report succeeded x', agenticTool: 'scripted' };
    const input = { objective: 'Quiet work', agents: [agent, agent], budget: { agents: 1 }, start: true };
    const { id: orchestrationId } = await own.client.call('orchestrations.create', input);
    await c.until('the question', async () => (await titles('answer')).includes('Quiet work'));
    await c.client.call('sessions.update', { sessionId: own.sessionId, visibility: 'private' });
    const cid = await addPerson(c, 'Cid');
    const { counts } = await cid.client.call('inbox.list', {});
    expect((await cid.client.call('inbox.mark', { group: 'failed' })).counts).toEqual({ ...counts, failed: 0 });
    const naming = async (client: typeof c.client) => {
      const { data } = await client.call('events.list', { order: 'newest', limit: 50 });
      const marked = data.find(({ type }) => type === 'user.marked');
      expect(marked).toBeDefined();
      return JSON.stringify(marked).includes(orchestrationId);
    };
    await c.client.call('inbox.mark', { orchestrationIds: [orchestrationId] });
    expect([await naming(c.client), await naming(cid.client)]).toEqual([true, false]);
    await c.client.call('orchestrations.cancel', { orchestrationId });
  });

  it('asks how to proceed with an orchestration that used up its budget', async () => {
    const agent = { role: 'worker', task: '@report succeeded x', agenticTool: 'scripted' };
    const input = { objective: 'Two of it', repositoryId: c.repository.id, agents: [agent, agent] };
    const { id } = await c.client.call('orchestrations.create', { ...input, budget: { agents: 1 }, start: true });
    const item = await c.until('the question', async () => {
      const { data } = await c.client.call('inbox.list', { about: 'orchestration', group: 'answer' });
      return data.find(({ approvalId, orchestrationId }) => approvalId !== null && orchestrationId === id);
    });
    expect(item).toMatchObject({ kind: 'budget', text: expect.stringContaining('budget') });
    await c.client.call('orchestrations.cancel', { orchestrationId: id });
    expect((await c.client.call('inbox.list', { about: 'orchestration' })).counts.answer).toBe(0);
  });

  it('prints a table on the command line', async () => {
    const printed = await runCommand(c, contractOf('inbox.list'), {});
    expect(JSON.stringify(printed)).toContain('first question');
  });
});

describe('pins and labels', () => {
  it('pins per user', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    expect(await c.client.call('sessions.pin', { sessionIds: [id] })).toEqual({ sessionIds: [id], pinned: true });
    expect(await c.client.call('sessions.pin', { sessionIds: [id] })).toEqual({ sessionIds: [], pinned: true });
    const pins = async (client = c.client) =>
      (await client.call('inbox.marks', { limit: 500 })).data.filter(({ pinnedAt }) => pinnedAt !== null);
    expect((await pins()).map(({ sessionId }) => sessionId)).toContain(id);
    expect(await pins(ann.client)).toEqual([]);
    await c.client.call('sessions.pin', { sessionIds: [id], pinned: false });
    expect((await pins()).map(({ sessionId }) => sessionId)).not.toContain(id);
  });

  it('labels sessions, and lists those with a label', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const updated = await c.client.call('sessions.update', { sessionId, labels: ['Backend', 'v1.2', 'backend'] });
    expect(updated.labels).toEqual(['backend', 'v1.2']);
    const listed = await c.client.call('sessions.list', { label: 'BACKEND' });
    expect(listed.data.map(({ id }) => id)).toEqual([sessionId]);
    expect((await c.client.call('sessions.list', { label: 'back' })).total).toBe(0);
    const refused = await refusal(c.client.call('sessions.update', { sessionId, labels: ['two words'] }));
    expect(refused).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('one word') });
  });
});

it('contains sessions whose agent was lost at work until they are read or resumed', async () => {
  const { id: sessionId } = await c.client.call('sessions.create', {
    cwd: c.folder,
    agentId: 'scripted',
    title: 'lost at work',
  });
  await c.client.call('sessions.prompt', { sessionId, prompt: '@say begun\n@sleep 600000' });
  await c.until('the work', async () => (await c.client.call('sessions.get', { sessionId })).status === 'running');
  const idle = await ran('lost while idle', '@report succeeded Done.');
  await c.client.call('inbox.mark', { all: true });
  await c.reboot();
  const lost = await c.until('the item', async () =>
    (await c.client.call('inbox.list', { group: 'failed' })).data.find(({ title }) => title === 'lost at work'),
  );
  expect(lost).toMatchObject({ kind: 'failed', text: expect.stringContaining('the machine or the runner stopped') });
  expect(await titles()).not.toContain('lost while idle');
  await c.client.call('inbox.mark', { sessionIds: [sessionId, idle] });
  expect(await titles('failed')).not.toContain('lost at work');
  await c.client.call('inbox.mark', { sessionIds: [sessionId], read: false });
  expect(await titles('failed')).toContain('lost at work');
  await c.client.call('sessions.resume', { sessionId });
  expect(await titles('failed')).not.toContain('lost at work');
});
