import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, refusal } from '../support/calling.ts';
import { busy, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { create, workerOf, eventsOf } = orchestrationsIn(() => c);

/** Starts two agents, `writer` and `reader`. `send` sends a message from the first to the second. */
async function pair() {
  const agents = ['writer', 'reader'].map((agentId) => ({ agentId, role: agentId, task: busy }));
  const { id, sharedDirectory } = await create(agents, { start: true });
  const [from, to] = [await workerOf(id, 'writer'), await workerOf(id, 'reader')];
  const client = asWorker(c, from.id);
  return {
    id,
    receiver: to.sessionId,
    inbox: join(sharedDirectory, 'messages', 'inbox', 'reader'),
    outgoing: join(c.home, 'orchestrations', 'outgoing'),
    send: (message: string) =>
      client.call('sessions.message', { sessionId: to.sessionId, workerId: to.id, message, idempotencyKey: message }),
    messages: async () => (await eventsOf(id)).filter(({ eventType }) => eventType === 'message'),
  };
}

it('a message has one file, one notice and one event, also if the call is repeated', async () => {
  const { id, receiver, inbox, outgoing, send, messages } = await pair();
  expect(await send('Once')).toEqual(await send('Once'));
  const [file = ''] = readdirSync(inbox);
  expect(await messages()).toMatchObject([{ data: { file: join(inbox, file) } }]);
  expect(readdirSync(inbox)).toHaveLength(1);
  expect(readdirSync(outgoing)).toEqual([]);
  expect((await c.client.call('sessions.notices', { sessionId: receiver })).total).toBe(1);
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
});

it('the file of a stored message that was not delivered is delivered once at the next start', async () => {
  const { id, inbox, outgoing, send } = await pair();
  const { noticeId } = await send('Late');
  const [file = ''] = readdirSync(inbox);
  // Creates the files that a server leaves if it dies before it delivers the stored message, and before it stores
  // another message (`lost`) in the database.
  renameSync(join(inbox, file), join(outgoing, `${noticeId}.md`));
  const lost = join(outgoing, '01900000-0000-7000-8000-000000000000.md');
  writeFileSync(lost, 'From: writer\n');
  await c.restart();
  expect(readdirSync(inbox)).toEqual([file]);
  expect(readFileSync(join(inbox, file), 'utf8')).toContain('Late');
  expect(existsSync(lost)).toBe(false);
  // After the reader has deleted a message, a restarted server does not create the message again.
  renameSync(join(inbox, file), join(c.folder, file));
  await c.restart();
  expect(readdirSync(inbox)).toEqual([]);
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
});

it('a refused message leaves no file', async () => {
  const { id, receiver, inbox, outgoing, send, messages } = await pair();
  const { noticeId } = await send('First');
  fillNotices(noticeId ?? '', 1_000);
  expect(await refusal(send('Too many'))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: 'pendingNotices' },
  });
  expect(readdirSync(inbox)).toHaveLength(1);
  expect(readdirSync(outgoing)).toEqual([]);
  expect(await messages()).toHaveLength(1);
  const { total } = await c.client.call('sessions.notices', { sessionId: receiver });
  expect(total).toBe(1_001);
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
});

it('the session of an earlier attempt cannot prompt the agents', async () => {
  const agents = ['writer', 'reader'].map((agentId) => ({ agentId, role: agentId, task: busy }));
  const { id } = await create(agents, { start: true });
  const [from, to] = [await workerOf(id, 'writer'), await workerOf(id, 'reader')];
  const sender = asWorker(c, from.id);
  await sender.call('sessions.report', { sessionId: from.sessionId, outcome: 'failed', summary: 'not yet' });
  await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'writer' });
  const call = sender.call('sessions.message', { sessionId: to.sessionId, workerId: to.id, message: '@say obey' });
  expect(await refusal(call)).toMatchObject({ code: 'CONFLICT', details: { sessionId: from.sessionId } });
  expect((await c.client.call('tasks.list', { sessionId: to.sessionId })).total).toBe(1);
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
});

function fillNotices(noticeId: string, count: number): void {
  const database = new LibSql(join(c.home, 'console.db'), { timeout: 5_000 });
  try {
    database.exec('begin immediate');
    database.prepare('create temp table copies as select * from notices where id = ?').run(noticeId);
    for (let n = 0; n < count; n += 1) {
      database.prepare('update copies set id = ?').run(`copy-${n}`);
      database.exec('insert into notices select * from copies');
    }
    database.exec('commit');
  } finally {
    database.close();
  }
}
