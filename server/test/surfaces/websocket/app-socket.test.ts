import type { Session } from '@agent-console/shared/models/session';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileRunner } from '../../streams/file-runner.ts';
import { type Client, createFixture, type Fixture, OWNER_TOKEN } from './fixture.ts';

const SETTLE_MS = 60;

let runner: FileRunner;
let fixture: Fixture;

beforeEach(async () => {
  runner = await FileRunner.create();
  fixture = await createFixture(runner, { settleMs: SETTLE_MS });
});

afterEach(async () => {
  await fixture.close();
  await runner.dispose();
  expect(fixture.bugs).toEqual([]);
});

const app = (query = '') => fixture.connect(`/ws/app${query}`, { token: OWNER_TOKEN });
const seqs = (client: Client) => client.of('event').map((frame) => (frame.event as { seq: number }).seq);
const session = (n: number) => ({ id: `session-${n}` }) as Session;

test('the first frame contains the sessions and the cursor, and every later event follows in order', async () => {
  fixture.sessions.push(session(1), session(2));
  fixture.emit('session.created', 'session-1');
  fixture.emit('session.created', 'session-2');
  const client = app();
  expect(await client.first('snapshot')).toEqual({ type: 'snapshot', seq: 2, sessions: fixture.sessions });
  for (let n = 0; n < 50; n += 1) fixture.emit('session.updated', 'session-1');
  await client.until(() => seqs(client).length === 50);
  expect(seqs(client)).toEqual(Array.from({ length: 50 }, (_, n) => n + 3));
});

test('the snapshot has at most a thousand sessions', async () => {
  for (let n = 0; n < 1_200; n += 1) fixture.sessions.push(session(n));
  const { sessions } = (await app().first('snapshot')) as unknown as { sessions: Session[] };
  expect(sessions).toHaveLength(1_000);
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(1_000);
});

test('a cursor resumes without gaps, duplicates or snapshot, however often the connection breaks', async () => {
  for (let n = 0; n < 10; n += 1) fixture.emit('session.updated', 's');
  const seen: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const client = app(`?after=${seen.at(-1) ?? 0}`);
    for (let n = 0; n < 10; n += 1) fixture.emit('session.updated', 's');
    const wanted = 3 + round;
    await client.until(() => seqs(client).length >= wanted);
    client.socket.terminate();
    await client.closed;
    expect(client.of('snapshot')).toEqual([]);
    seen.push(...seqs(client));
  }
  expect(seen).toEqual(seen.map((_, n) => n + 1));
});

test.each([
  ['older than the stored events', 1],
  ['in the future', 99],
])('a cursor %s gets a new snapshot', async (_name, after) => {
  for (let n = 0; n < 5; n += 1) fixture.emit('session.updated', 's');
  fixture.forgetEventsUpTo(3);
  expect(await app(`?after=${after}`).first('snapshot')).toMatchObject({ seq: 5 });
});

test('the oldest cursor after which no event is missing is resumed', async () => {
  for (let n = 0; n < 5; n += 1) fixture.emit('session.updated', 's');
  fixture.forgetEventsUpTo(3);
  const client = app('?after=3');
  await client.until(() => seqs(client).length === 2);
  expect(client.frames[0]?.type).toBe('event');
});

test('growth of a conversation after a delayed activity is announced early, before the events in order', async () => {
  await fixture.close();
  fixture = await createFixture(runner, { settleMs: 3_600_000 });
  const client = app();
  await client.first('snapshot');
  fixture.emit('activity.changed', 'worker-1');
  fixture.emit('session.updated', 's');
  fixture.emit('conversation.grown', 's');
  expect(await client.first('early')).toMatchObject({ event: { seq: 3, subject: { id: 's' } } });
  expect(client.of('event')).toEqual([]);
});

test('a short-lived activity is not sent, others are, and the order is kept', async () => {
  const client = app();
  await client.first('snapshot');
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms);
  fixture.emit('activity.changed', 'worker-1', at(0));
  fixture.emit('session.updated', 's', at(1));
  fixture.emit('activity.changed', 'worker-1', at(SETTLE_MS - 1));
  fixture.emit('activity.changed', 'worker-2', at(SETTLE_MS));
  fixture.emit('session.updated', 's', at(SETTLE_MS + 1));
  await client.until(() => seqs(client).length === 4);
  expect(seqs(client)).toEqual([2, 3, 4, 5]);
});

test('an activity that a protocol reports is sent however short it was, and delays nothing', async () => {
  const client = app();
  await client.first('snapshot');
  const now = Date.now();
  const emit = (ms: number, activitySource: string) =>
    fixture.emit('activity.changed', 'worker-1', new Date(now + ms), { activitySource });
  emit(0, 'process');
  emit(1, 'protocol');
  emit(2, 'protocol');
  await client.until(() => seqs(client).length === 2);
  expect(seqs(client)).toEqual([2, 3]);
});

test('when a cursor resumes, the durations of stored activities are computed from their stored times', async () => {
  const past = Date.now() - 60_000;
  const at = (ms: number) => new Date(past + ms);
  fixture.emit('activity.changed', 'worker-1', at(0));
  fixture.emit('activity.changed', 'worker-1', at(10));
  fixture.emit('activity.changed', 'worker-1', at(10 + SETTLE_MS));
  const client = app('?after=0');
  await client.until(() => seqs(client).length === 2);
  expect(seqs(client)).toEqual([2, 3]);
});

test('a peer that does not read for a while gets all events later', async () => {
  const client = app();
  await client.first('snapshot');
  client.socket.pause();
  const total = 30_000;
  for (let n = 0; n < total; n += 1) {
    fixture.emit('session.updated', 's');
    if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const witness = app();
  expect(await witness.first('snapshot')).toMatchObject({ seq: total });
  client.socket.resume();
  await client.until(() => seqs(client).length === total);
  expect(seqs(client).at(-1)).toBe(total);
});

test('an invalid frame is answered with an error, and events continue', async () => {
  const client = app();
  await client.send({ type: 'input', data: 'x' });
  expect(await client.first('error')).toMatchObject({ error: { code: 'VALIDATION' } });
  fixture.emit('session.updated', 's');
  await client.until(() => seqs(client).length === 1);
});
