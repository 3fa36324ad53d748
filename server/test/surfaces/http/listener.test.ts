import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ErrorBody } from '@agent-console/shared/errors';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { createTestGate, deferred, OWNER, raw, STRANGER, startServer } from './harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: Partial<Parameters<typeof startServer>[0]> = {}) {
  const server = await startServer({ gate: createTestGate({}), ...options });
  closers.push(() => server.close());
  return { server, host: `Host: 127.0.0.1:${server.port}` };
}

/** Sends text on a connection that only the server closes, and returns everything received until then. */
async function answerTo(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

function errorIn(answer: string): [status: number, code: string] {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  const { error } = JSON.parse(body) as ErrorBody;
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message', 'retryable']);
  expect(answer.toLowerCase()).toContain('content-type: application/json');
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), error.code];
}

describe('an invalid or incomplete request', () => {
  it.each([
    ['no HTTP', () => 'HELLO\r\n\r\n', [400, 'VALIDATION']],
    [
      'a header without a name',
      (host: string) => `GET /health HTTP/1.1\r\n${host}\r\n: x\r\n\r\n`,
      [400, 'VALIDATION'],
    ],
    [
      'headers that are too large',
      (host: string) => `GET /health HTTP/1.1\r\n${host}\r\nX: ${'x'.repeat(20_000)}`,
      [431, 'TOO_LARGE'],
    ],
    ['no Host', () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', [400, 'VALIDATION']],
    [
      'a target that is not a path',
      (host: string) => `GET nowhere HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`,
      [400, 'VALIDATION'],
    ],
    ['headers that do not end', (host: string) => `GET /health HTTP/1.1\r\n${host}\r\n`, [408, 'TIMEOUT']],
    ['nothing', () => '', [408, 'TIMEOUT']],
    [
      'a body that does not end',
      (host: string) =>
        `POST /api/login HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      [408, 'TIMEOUT'],
    ],
  ] as const)('%s is answered with the common error body', async (_name, text, expected) => {
    // The other requests must not run into a time limit on a slow machine.
    const limits = expected[0] === 408 ? { headersMs: 200, requestMs: 400, checkMs: 20 } : {};
    const { server, host } = await start({ limits });
    expect(errorIn(await answerTo(server.port, text(host)))).toEqual(expected);
    expect(server.bugs).toEqual([]);
  });
});

it('an answer may take longer than the time limit of requests: streams and waiting calls are not cut off', async () => {
  const release = deferred();
  const { server, host } = await start({
    limits: { headersMs: 200, requestMs: 400, checkMs: 20 },
    mount(app) {
      app.get(
        '/stream',
        () =>
          new Response(
            new ReadableStream({
              start: (sink) =>
                release.promise.then(() => {
                  sink.enqueue(new TextEncoder().encode('data: late'));
                  sink.close();
                }),
            }),
          ),
      );
      app.post('/slow', async () => {
        await release.promise;
        return new Response('late');
      });
    },
  });
  const stream = await fetch(`${server.url}/stream`);
  const slow = fetch(`${server.url}/slow`, { method: 'POST', body: '{}' });
  // Incomplete requests time out while the two complete requests wait for `release`.
  await Promise.all(['', `GET / HTTP/1.1\r\n${host}\r\n`, 'GET'].map((text) => answerTo(server.port, text)));
  release.resolve();
  expect(await stream.text()).toBe('data: late');
  expect(await (await slow).text()).toBe('late');
});

describe('a planned stop', () => {
  /** Sends a request on a connection that stays open, and reads the whole response. */
  async function ask(socket: Socket, host: string, path = '/api/nothing'): Promise<string> {
    socket.write(`GET ${path} HTTP/1.1\r\n${host}\r\n\r\n`);
    let answer = '';
    const end = () => Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? Number.NaN) + answer.indexOf('\r\n\r\n') + 4;
    while (!(answer.length >= end())) answer += String((await once(socket, 'data'))[0]);
    return answer;
  }

  it('closes each connection with the next answer on it, and accepts no new connection', async () => {
    const { server, host } = await start();
    const socket = connect(server.port, '127.0.0.1');
    expect(await ask(socket, host)).toMatch(/^HTTP\/1\.1 404/);
    const left = server.leave();
    const closed = once(socket, 'close');
    const answer = await ask(socket, host);
    expect(answer).toMatch(/^HTTP\/1\.1 404/);
    expect(answer).toMatch(/^connection: close\r$/im);
    await closed;
    await left;
    const refused = once(connect(server.port, '127.0.0.1'), 'connect');
    await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes a connection also with the answer to an earlier request', async () => {
    const release = deferred();
    const asked = deferred();
    const { server, host } = await start({
      mount(app) {
        app.get('/slow', async (c) => {
          asked.resolve();
          await release.promise;
          return c.text('late');
        });
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    const answer = ask(socket, host, '/slow');
    await asked.promise;
    const left = server.leave();
    release.resolve();
    expect(await answer).toMatch(/^connection: close\r$/im);
    await left;
  });
});

describe('connections of unidentified callers', () => {
  /** Connections from this address count as those of the server's Unix user. */
  const OWN = '127.0.0.2';
  const limited = (identify = async () => STRANGER) =>
    start({
      identify,
      isOwnUser: async ({ remoteAddress }) => remoteAddress === OWN,
      limits: { unidentified: { own: 4, others: 2 } },
    });

  async function open(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    closers.push(async () => void socket.destroy());
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    return socket;
  }

  it('are limited: the oldest is closed for a new one, with a separate limit for the own Unix user', async () => {
    const { server } = await limited();
    const mine = [await open(server.port, OWN), await open(server.port, OWN)];
    const others: Socket[] = [];
    for (let count = 0; count < 20; count += 1) others.push(await open(server.port));
    await until('room', async () => server.unidentified() === 4);
    await until('closed', async () => others.slice(0, 18).every((socket) => socket.closed));
    expect(others.slice(18).map((socket) => socket.closed)).toEqual([false, false]);
    expect(mine.map((socket) => socket.closed)).toEqual([false, false]);
    for (let count = 0; count < 4; count += 1) mine.push(await open(server.port, OWN));
    await until('closed', async () => mine.slice(0, 2).every((socket) => socket.closed));
    expect(server.unidentified()).toBe(6);
    expect(mine.slice(2).map((socket) => socket.closed)).toEqual([false, false, false, false]);
  });

  it('no longer count after a request of an identified caller', async () => {
    const { server, host } = await limited(async () => OWNER);
    const known: Socket[] = [];
    for (let count = 0; count < 5; count += 1) {
      const socket = await open(server.port);
      socket.write(`GET /api/status HTTP/1.1\r\n${host}\r\n\r\n`);
      await once(socket, 'data');
      known.push(socket);
    }
    expect(server.unidentified()).toBe(0);
    const others: Socket[] = [];
    for (let count = 0; count < 5; count += 1) others.push(await open(server.port));
    await until('closed', async () => others.slice(0, 3).every((socket) => socket.closed));
    expect(known.some((socket) => socket.closed)).toBe(false);
    expect((await raw(server.port, ['GET /api/nothing HTTP/1.1', host])).status).toBe(404);
  });
});
