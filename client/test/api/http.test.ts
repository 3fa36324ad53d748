import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../src/api/http.ts';

/** Answers the next request. */
let respond: (response: ServerResponse) => void;
const server = createServer((_request, response) => respond(response));

beforeAll(async () => {
  Object.assign(globalThis, { localStorage: { getItem: () => 'token', setItem() {}, removeItem() {} } });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function get(signal?: AbortSignal): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/`, body: undefined };
  return send(request, signal === undefined ? {} : { signal });
}

/** Sends the headers and a part of the body. Calls `then` when they are sent. */
const begin = (response: ServerResponse, status: number, then: () => void) => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{"id":', then);
};

test('a complete response is returned', async () => {
  respond = (response) => response.end('{"id":"1"}');
  expect(await get()).toEqual({ id: '1' });
});

test.each([200, 500])('a response with status %i that is cut off can be retried', async (status) => {
  respond = (response) => begin(response, status, () => response.destroy());
  await expect(get()).rejects.toMatchObject({ code: 'BUSY', retryable: true });
});

test('a call that is cancelled while its response arrives is rejected with the reason', async () => {
  const cancel = new AbortController();
  const reason = new Error('no longer needed');
  // Cancelled after `fetch` has returned the response, so that the rest of the body is still being read.
  respond = (response) => begin(response, 200, () => {});
  const { fetch } = globalThis;
  globalThis.fetch = async (...args) => {
    const response = await fetch(...args);
    setImmediate(() => cancel.abort(reason));
    return response;
  };
  try {
    await expect(get(cancel.signal)).rejects.toBe(reason);
  } finally {
    globalThis.fetch = fetch;
  }
});

test.each([
  [200, ''],
  [502, '<h1>Bad gateway</h1>'],
])('a response with status %i that is not JSON is an error that cannot be retried', async (status, body) => {
  respond = (response) => response.writeHead(status).end(body);
  const error = await get().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConsoleError);
  expect(error).toMatchObject({ code: 'INTERNAL', retryable: false });
});

test('the error of a response is thrown', async () => {
  const problem = new ConsoleError('NOT_FOUND', 'Session 1 not found');
  respond = (response) => response.writeHead(404).end(JSON.stringify(problem.toBody()));
  await expect(get()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Session 1 not found' });
});
