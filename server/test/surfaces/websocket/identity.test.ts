import { once } from 'node:events';
import net from 'node:net';
import { UNIDENTIFIED_SOCKETS_OTHERS_MAX } from '@agent-console/shared/limits/connections';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileRunner } from '../../streams/file-runner.ts';
import { until } from '../../streams/recorder.ts';
import { createFixture, type Fixture, OWNER_TOKEN, SESSION } from './fixture.ts';

let runner: FileRunner;
let fixture: Fixture;
let page: string;

async function start(timing: Parameters<typeof createFixture>[1] = {}): Promise<void> {
  fixture = await createFixture(runner, timing);
  page = `http://127.0.0.1:${fixture.port}`;
}

beforeEach(async () => {
  runner = await FileRunner.create();
});

afterEach(async () => {
  await fixture.close();
  await runner.dispose();
});

describe('an upgrade is refused with a readable answer', () => {
  test.each([
    ['from a page of another origin', '/ws/app', { origin: 'http://evil.example' }, 403, 'PERMISSION_DENIED'],
    ['from another site', '/ws/app', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'PERMISSION_DENIED'],
    ['to a foreign host', '/ws/app', { headers: { host: 'evil.example' } }, 403, 'PERMISSION_DENIED'],
    ['without any identity', '/ws/app', {}, 401, 'UNAUTHENTICATED'],
    ['with an unknown token', '/ws/app', { token: 'nonsense' }, 401, 'UNAUTHENTICATED'],
    ['with a token in its address', `/ws/app?token=${OWNER_TOKEN}`, { token: OWNER_TOKEN }, 400, 'VALIDATION'],
    ['to an address without a socket', '/ws/elsewhere', { token: OWNER_TOKEN }, 404, 'NOT_FOUND'],
    ['with an unknown field', '/ws/app?from=1', { token: OWNER_TOKEN }, 400, 'VALIDATION'],
    ['with a negative cursor', '/ws/app?after=-1', { token: OWNER_TOKEN }, 400, 'VALIDATION'],
    ['with an id that is too short', `/ws/session/0190/worker/${SESSION}`, { token: OWNER_TOKEN }, 400, 'VALIDATION'],
  ])('%s', async (_name, path, options, status, code) => {
    await start();
    const answer = await fixture.connect(path, options).refused;
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).not.toBe('');
  });
});

describe('a browser', () => {
  test('is sent nothing before it has sent its token', async () => {
    await start({ heartbeatMs: 5 });
    const known = fixture.connect('/ws/app', { token: OWNER_TOKEN });
    const client = fixture.connect('/ws/app', { origin: page });
    await client.opened;
    await known.until(() => known.of('ping').length > 3);
    expect(client.frames).toEqual([]);
    await client.send({ type: 'auth', token: OWNER_TOKEN });
    await client.first('snapshot');
    expect(client.frames[0]?.type).toBe('snapshot');
  });

  test('may send further frames immediately after its token', async () => {
    await start();
    const client = fixture.connect(`/ws/session/${SESSION}/worker/${runner.workerId}`, { origin: page });
    await client.opened;
    client.socket.send(JSON.stringify({ type: 'auth', token: OWNER_TOKEN }));
    client.socket.send(JSON.stringify({ type: 'input', data: '1' }));
    client.socket.send(JSON.stringify({ type: 'input', data: '2' }));
    await until(() => fixture.typed.length === 2);
    expect(fixture.typed.map(({ text }) => text)).toEqual(['1', '2']);
  });

  test.each([
    ['an unknown token', { type: 'auth', token: 'nonsense' }],
    ['a frame other than its token', { type: 'ping' }],
    ['a frame that is not JSON', 'hello'],
  ])('is disconnected if it first sends %s', async (_name, frame) => {
    await start();
    const client = fixture.connect('/ws/app', { origin: page });
    await client.send(frame);
    expect((await client.closed).code).toBe(4401);
    expect(client.of('snapshot')).toEqual([]);
  });

  test('is disconnected if it does not send its token in time', async () => {
    await start({ authMs: 20 });
    const client = fixture.connect('/ws/app', { origin: page });
    expect((await client.closed).code).toBe(4408);
    expect(client.frames).toEqual([]);
  });
});

test('the oldest of too many unidentified sockets are closed, and identified callers can still connect', async () => {
  await start();
  const waiting = [];
  for (let count = 0; count < UNIDENTIFIED_SOCKETS_OTHERS_MAX + 10; count += 1) {
    const client = fixture.connect('/ws/app', { origin: page });
    await client.opened;
    waiting.push(client);
  }
  for (const client of waiting.slice(0, 10)) expect((await client.closed).code).toBe(1013);
  await until(() => fixture.surface.count() === UNIDENTIFIED_SOCKETS_OTHERS_MAX);
  const known = fixture.connect('/ws/app', { token: OWNER_TOKEN });
  const person = fixture.connect('/ws/app', { origin: page });
  await person.send({ type: 'auth', token: OWNER_TOKEN });
  await Promise.all([known.first('snapshot'), person.first('snapshot')]);
});

test('a connection is closed when its token is revoked', async () => {
  await start({ heartbeatMs: 10 });
  const byHeader = fixture.connect('/ws/app', { token: OWNER_TOKEN });
  const byFrame = fixture.connect('/ws/app', { origin: page });
  await byFrame.send({ type: 'auth', token: OWNER_TOKEN });
  await Promise.all([byHeader.first('snapshot'), byFrame.first('snapshot')]);
  fixture.tokens.delete(OWNER_TOKEN);
  expect((await byHeader.closed).code).toBe(4401);
  expect((await byFrame.closed).code).toBe(4401);
});

test('a peer that answers no pings is disconnected, and one that answers them is not', async () => {
  await start({ heartbeatMs: 80 });
  const answering = fixture.connect('/ws/app', { token: OWNER_TOKEN });
  await answering.first('snapshot');
  const silent = net.connect(fixture.port, '127.0.0.1');
  silent.write(
    [
      'GET /ws/app HTTP/1.1',
      `Host: 127.0.0.1:${fixture.port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Bearer ${OWNER_TOKEN}`,
      '\r\n',
    ].join('\r\n'),
  );
  silent.resume();
  silent.on('error', () => {});
  await once(silent, 'close');
  await answering.until(() => answering.of('ping').length > 6);
  expect(fixture.surface.count()).toBe(1);
});

test('closing ends all connections with a reason and refuses new ones', async () => {
  await start();
  const client = fixture.connect('/ws/app', { token: OWNER_TOKEN });
  await client.first('snapshot');
  await fixture.surface.close();
  expect((await client.closed).code).toBe(1001);
  const answer = await fixture.connect('/ws/app', { token: OWNER_TOKEN }).refused;
  expect(answer.status).toBe(503);
});
