import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileRunner } from '../../streams/file-runner.ts';
import { until } from '../../streams/recorder.ts';
import { createFixture, type Fixture, OWNER_TOKEN } from './fixture.ts';

let runner: FileRunner;
let fixture: Fixture;

beforeEach(async () => {
  runner = await FileRunner.create();
  fixture = await createFixture(runner);
});

afterEach(async () => {
  await fixture.close();
  await runner.dispose();
});

interface Listening {
  status: number;
  type: string | undefined;
  text(): string;
  ended(): boolean;
  leave(): void;
}

function listen(query = '', headers: Record<string, string> = {}, path = '/api/events/stream'): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: fixture.port,
        path: `${path}${query}`,
        headers: { authorization: `Bearer ${OWNER_TOKEN}`, ...headers },
      },
      (response) => {
        let text = '';
        let ended = false;
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', () => {});
        response.on('close', () => {
          ended = true;
        });
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'],
          text: () => text,
          ended: () => ended,
          leave: () => sent.destroy(),
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** Returns the ids of all messages with data. The first message of a stream has an id but no data. */
const ids = (text: string) => [...text.matchAll(/^id: (\d+)\ndata: /gm)].map((match) => Number(match[1]));

test('events after a cursor are messages with their number as id, and type and alias in the data', async () => {
  fixture.emit('session.created', 's');
  fixture.emit('worktree.created', 'w');
  const stream = await listen('?after=1');
  expect([stream.status, stream.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await until(() => ids(stream.text()).length === 1);
  fixture.emit('session.updated', 's');
  await until(() => ids(stream.text()).length === 2);
  expect(ids(stream.text())).toEqual([2, 3]);
  const [first] = [...stream.text().matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''));
  expect(first).toMatchObject({ seq: 2, type: 'worktree.created', alias: 'worktree-creation-completed' });
  stream.leave();
});

test('after a cursor that the console has not reached, as with a restored database, a gap precedes new events', async () => {
  fixture.emit('session.created', 's');
  const stream = await listen('', { 'last-event-id': '900' });
  await until(() => stream.text().includes('event: gap\ndata: {"after":900,"firstSeq":2}\n\n'));
  expect(stream.text()).toContain('\nid: 1\n\n');
  fixture.emit('session.updated', 's');
  await until(() => ids(stream.text()).length === 1);
  expect(ids(stream.text())).toEqual([2]);
  stream.leave();
});

test('Last-Event-ID takes precedence over the cursor in the address', async () => {
  for (let n = 0; n < 4; n += 1) fixture.emit('session.updated', 's');
  const stream = await listen('?after=0', { 'last-event-id': '3' });
  await until(() => ids(stream.text()).length === 1);
  expect(ids(stream.text())).toEqual([4]);
  stream.leave();
});

test('without a cursor, only new events are sent', async () => {
  fixture.emit('session.updated', 's');
  const stream = await listen();
  fixture.emit('session.updated', 's');
  await until(() => ids(stream.text()).length === 1);
  expect(ids(stream.text())).toEqual([2]);
  stream.leave();
});

test('a client can resume a stream that had no events yet, and is told after which delay to reconnect', async () => {
  fixture.emit('session.updated', 's');
  const stream = await listen();
  await until(() => stream.text().includes('\n\n'));
  // On a slow machine, a heartbeat may follow already.
  expect(stream.text().replaceAll(': alive\n\n', '')).toBe('retry: 1000\nid: 1\n\n');
  stream.leave();
  fixture.emit('session.updated', 's');
  const again = await listen('', { 'last-event-id': '1' });
  await until(() => ids(again.text()).length === 1);
  expect(ids(again.text())).toEqual([2]);
  again.leave();
});

test('a gap of events that are no longer stored is reported', async () => {
  for (let n = 0; n < 5; n += 1) fixture.emit('session.updated', 's');
  fixture.forgetEventsUpTo(3);
  const stream = await listen('?after=1');
  await until(() => stream.text().includes('gap'));
  expect(stream.text()).toMatch(/\n\nevent: gap\ndata: \{"after":1,"firstSeq":4\}\n\n/);
  stream.leave();
});

test('comments keep a stream without events alive', async () => {
  const stream = await listen();
  await until(() => stream.text().includes(': alive'));
  stream.leave();
  const next = await listen();
  next.leave();
});

test('a planned stop ends the stream cleanly', async () => {
  const stream = await listen();
  await until(() => stream.text() !== '');
  await fixture.close();
  await until(() => stream.ended());
  fixture = await createFixture(runner);
});

test.each([
  ['without a token', '', { authorization: '' }, 401, 'UNAUTHENTICATED'],
  ['with a cursor that is not a number', '?after=x', {}, 400, 'VALIDATION'],
  ['with an unknown field', '?since=1', {}, 400, 'VALIDATION'],
])('is refused %s', async (_name, query, headers, status, code) => {
  const stream = await listen(query, headers);
  expect(stream.status).toBe(status);
  await until(() => stream.ended());
  expect(JSON.parse(stream.text())).toMatchObject({ error: { code } });
});

test('a client that leaves the stream of an orchestration leaves no listener behind', async () => {
  const before = fixture.listening();
  const streams = await Promise.all([1, 2].map(() => listen('', {}, '/api/orchestrations/o/events/stream')));
  await until(() => fixture.listening() === before + 2);
  streams[0]?.leave();
  await until(() => fixture.listening() === before + 1);
  expect(streams[1]?.ended()).toBe(false);
  streams[1]?.leave();
  await until(() => fixture.listening() === before);
});
