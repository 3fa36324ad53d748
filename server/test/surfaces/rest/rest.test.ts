import { once } from 'node:events';
import { connect } from 'node:net';
import { ConsoleError, ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import { BODY_MAX_BYTES, UNIDENTIFIED_BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/caller.ts';
import {
  createTestGate,
  deferred,
  OWNER,
  postJson,
  raw,
  SESSION,
  STRANGER,
  startServer,
  WORKER,
} from '../http/harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(answers: Parameters<typeof createTestGate>[0], caller: Caller = OWNER) {
  const gate = createTestGate(answers);
  const server = await startServer({ gate, identify: async () => caller });
  closers.push(() => server.close());
  return { gate, server, api: `${server.url}/api` };
}

const bodyOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string; details: Record<string, unknown> } }).error;

describe('inputs', () => {
  it('are read from path and query with the types of the schema', async () => {
    const { gate, api } = await start({
      'sessions.list': () => ({ total: 0, limit: 7, skip: 0, data: [] }),
      'sessions.output': () => ({ text: '', offset: 0, nextOffset: 0, truncated: false, rendered: 'lines' }),
    });
    await fetch(`${api}/sessions?limit=7&live=true&archived=false&status=idle`);
    expect(gate.calls[0]?.input).toEqual({ limit: 7, skip: 0, live: true, archived: false, status: 'idle' });
    await fetch(`${api}/sessions/${SESSION}/output?sinceOffset=5&format=ansi`);
    expect(gate.calls[1]?.input).toEqual({ sessionId: SESSION, sinceOffset: 5, format: 'ansi', maxBytes: 32768 });
  });

  it('are read from path and JSON body, and the idempotency key from its header or the body', async () => {
    const { gate, api } = await start({ 'sessions.prompt': () => ({ taskId: 't', sessionId: SESSION }) });
    await postJson(`${api}/sessions/${SESSION}/prompt`, { prompt: 'hello\r\nthere' }, { 'idempotency-key': 'abc' });
    await postJson(`${api}/sessions/${SESSION}/prompt`, { prompt: 'again', idempotencyKey: 'def' });
    expect(gate.calls.map(({ input, call }) => [input, call.idempotencyKey])).toEqual([
      [{ sessionId: SESSION, prompt: 'hello\nthere', mode: 'continue', notifyOnCompletion: true, sync: false }, 'abc'],
      [{ sessionId: SESSION, prompt: 'again', mode: 'continue', notifyOnCompletion: true, sync: false }, 'def'],
    ]);
  });

  it('are refused with the name of the invalid field, and the operation is not run', async () => {
    const { gate, api } = await start({});
    const prompt = `${api}/sessions/${SESSION}/prompt`;
    const cases: [Promise<Response>, RegExp][] = [
      [fetch(`${api}/sessions?limit=many`), /^limit: expected number/],
      [fetch(`${api}/sessions?limit=1&limit=2`), /^limit: passed 2 times/],
      [fetch(`${api}/sessions?colour=red`), /^colour: unknown field/],
      [postJson(prompt, { prompt: 'x', colour: 'red' }), /^colour: unknown field/],
      [postJson(prompt, { prompt: 'x', sessionId: SESSION }), /^sessionId: is already in the path/],
      [postJson(`${prompt}?prompt=x`, {}), /^prompt: POST requests take fields from the body/],
      [postJson(prompt, [1]), /must be a JSON object/],
      [postJson(prompt, { prompt: 'a\u0007b' }), /control character U\+0007 at position 1/],
      [postJson(prompt, { prompt: 'x' }, { 'content-type': 'text/plain' }), /Content-Type: application\/json/],
      [
        fetch(prompt, { method: 'POST', body: '{"prompt":', headers: { 'content-type': 'application/json' } }),
        /not valid JSON/,
      ],
      [
        fetch(prompt, {
          method: 'POST',
          body: new Uint8Array([0xff, 0xfe]),
          headers: { 'content-type': 'application/json' },
        }),
        /not valid UTF-8/,
      ],
      [postJson(prompt, { prompt: 'x' }, { 'idempotency-key': 'k'.repeat(201) }), /^Idempotency-Key/],
      [
        postJson(prompt, { prompt: 'x', idempotencyKey: 'a' }, { 'idempotency-key': 'b' }),
        /differs from the Idempotency-Key/,
      ],
    ];
    for (const [request, words] of cases) {
      const response = await request;
      expect(response.status).toBe(400);
      const error = await bodyOf(response);
      expect(error.code).toBe('VALIDATION');
      expect(error.message).toMatch(words);
    }
    expect(gate.calls).toHaveLength(0);
  });

  it('are refused if any part of the target is invalid, never as an internal error', async () => {
    const { server } = await start({});
    const targets = [
      '/api/sessions/%E0%A4%A',
      '/api/sessions/%00',
      '/api/sessions/..%2f..%2fetc',
      `/api/sessions/${'a'.repeat(5_000)}`,
      '/api/sessions/%F0%9F%A6%8A',
      '/api/sessions?__proto__=1&constructor=2',
      '/api/sessions?limit=%',
      '/api//sessions',
      '/api/sessions/x/y/z/../..',
      '*',
    ];
    for (const target of targets) {
      const answer = await raw(server.port, [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`]);
      expect([400, 404], target).toContain(answer.status);
    }
    expect(server.bugs).toEqual([]);
  });

  it('are refused if the body exceeds the limit, whether by its declared or its actual length', async () => {
    const { server, api } = await start({});
    const announced = await raw(server.port, [
      `POST /api/sessions/${SESSION}/prompt HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY_MAX_BYTES + 1}`,
    ]);
    expect(announced.status).toBe(413);
    const streamed = await fetch(`${api}/sessions/${SESSION}/prompt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob(['x'.repeat(BODY_MAX_BYTES + 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
    expect((await bodyOf(streamed)).code).toBe('TOO_LARGE');
  });

  it('may be larger where they contain images, but only from an identified caller', async () => {
    const body = { prompt: 'x', images: [{ data: 'A'.repeat(BODY_MAX_BYTES) }] };
    const owner = await start({ 'delegations.create': () => ({}) });
    expect((await postJson(`${owner.api}/delegations`, body)).status).toBe(201);
    const { server } = await start({}, STRANGER);
    const head = ['POST /api/delegations HTTP/1.1', `Host: 127.0.0.1:${server.port}`, 'Content-Type: application/json'];
    const announced = await raw(server.port, [...head, `Content-Length: ${UNIDENTIFIED_BODY_MAX_BYTES + 1}`]);
    expect(announced.status).toBe(401);
    const length = UNIDENTIFIED_BODY_MAX_BYTES + 1;
    const chunk = `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
    const streamed = await raw(server.port, [...head, 'Transfer-Encoding: chunked'], chunk);
    expect(streamed.status).toBe(401);
  });
});

describe('answers', () => {
  it('have the status of the table of operations', async () => {
    const { api } = await start({
      'sessions.create': () => ({ id: SESSION }),
      'worktrees.create': () => ({ jobId: 'j' }),
      'repositories.create': (input: { url?: string }) => (input.url === undefined ? { id: 'r' } : { jobId: 'j' }),
      'sessions.pause': () => ({ id: SESSION }),
    });
    const statuses = [
      await postJson(`${api}/sessions`, { cwd: '/tmp' }),
      await postJson(`${api}/repositories/${SESSION}/worktrees`, { mode: 'custom', branch: 'b' }),
      await postJson(`${api}/repositories`, { path: '/tmp' }),
      await postJson(`${api}/repositories`, { url: 'https://example.com/a.git' }),
      await fetch(`${api}/sessions/${SESSION}/pause`, { method: 'POST' }),
    ].map((response) => response.status);
    expect(statuses).toEqual([201, 202, 201, 202, 200]);
  });

  it('to failed calls have the status of the error code and the common error body', async () => {
    const codes = Object.keys(ERRORS) as ErrorCode[];
    let next: unknown;
    const { api } = await start({
      'system.status': () => {
        throw next;
      },
    });
    for (const code of codes) {
      next = new ConsoleError(code, 'words', { a: 1 });
      const response = await fetch(`${api}/status`);
      expect(response.status).toBe(ERRORS[code].http);
      expect(await response.json()).toEqual({
        error: { code, message: 'words', details: { a: 1 }, retryable: ERRORS[code].retryable },
      });
    }
  });

  it('after a bug are INTERNAL with the request id, without details of the bug', async () => {
    const { server, api } = await start({
      'system.status': () => {
        throw new TypeError('secret inner words');
      },
    });
    const response = await fetch(`${api}/status`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('secret');
    expect(JSON.parse(text).error.details.requestId).toBe(response.headers.get('x-request-id'));
    expect(server.bugs).toHaveLength(1);
  });

  it('to an unidentified caller are 401 with what to do, except for public operations', async () => {
    const { api } = await start({ 'login.redeem': () => ({ token: 't', expiresAt: null }) }, STRANGER);
    const response = await fetch(`${api}/sessions`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect((await bodyOf(response)).message).toBe('Send a token.');
    expect((await postJson(`${api}/login`, { code: 'c' })).status).toBe(200);
  });

  it('to an unknown path name the nearest paths, and to a wrong method the allowed one', async () => {
    const { api } = await start({});
    const unknown = await fetch(`${api}/sesions`);
    expect(unknown.status).toBe(404);
    expect((await bodyOf(unknown)).details.nearest).toContain('/api/sessions');
    const empty = await bodyOf(await fetch(`${api}/tasks/`));
    expect(empty.message).toContain('/api/tasks/ does not exist. Nearest: /api/tasks');
    const method = await fetch(`${api}/sessions/${SESSION}/prompt`, { method: 'PATCH' });
    expect(method.status).toBe(404);
    expect(method.headers.get('allow')).toBe('POST');
    expect((await bodyOf(method)).details.allow).toEqual(['POST']);
  });
});

describe('a call whose caller disconnects', () => {
  it('is not run if it writes and the caller disconnected before it was read', async () => {
    const { gate, server } = await start({
      'sessions.message': () => ({ success: true }),
      'system.status': () => ({}),
    });
    const body = JSON.stringify({ workerId: WORKER, message: 'run me' });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    // Sends the request together with the end of the connection, as if both had waited in the server's backlog.
    socket.end(
      `POST /api/sessions/${SESSION}/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.resume();
    await once(socket, 'close');
    await fetch(`${server.url}/api/status`);
    expect(gate.calls.map(({ name }) => name)).toEqual(['system.status']);
  });

  it('is aborted if it is running', async () => {
    const began = deferred();
    const heard = deferred();
    const { server } = await start({
      'sessions.wait': async (_: never, call) => {
        call.signal.addEventListener('abort', heard.resolve);
        began.resolve();
        await heard.promise;
        return {};
      },
    });
    const abort = new AbortController();
    const call = fetch(`${server.url}/api/sessions/${SESSION}/wait`, { signal: abort.signal });
    await began.promise;
    abort.abort();
    await expect(call).rejects.toThrow();
    await heard.promise;
  });

  it('is recorded as undelivered, like a failed call', async () => {
    const began = deferred();
    const go = deferred();
    const outcomes: (boolean | undefined)[] = [];
    const { server, gate } = await start({
      'sessions.create': () => ({ id: SESSION }),
      'sessions.prompt': async (_: never, call) => {
        call.signal.addEventListener('abort', go.resolve);
        began.resolve();
        await go.promise;
        return { taskId: 't', sessionId: SESSION };
      },
      'sessions.pause': () => {
        throw new ConsoleError('CONFLICT', 'It is paused.');
      },
    });
    await postJson(`${server.url}/api/sessions`, { cwd: '/tmp' });
    await postJson(`${server.url}/api/sessions/${SESSION}/pause`, {});
    const abort = new AbortController();
    const lost = fetch(`${server.url}/api/sessions/${SESSION}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: 'x' }),
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
    });
    await began.promise;
    abort.abort();
    await expect(lost).rejects.toThrow();
    for (const { call } of gate.calls) outcomes.push(await call.delivered);
    expect(outcomes).toEqual([true, false, false]);
  });
});
