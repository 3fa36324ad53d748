import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, erasWith } from '../e2e/support/mcp.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

const NAME = 'console.example';

let c: InProcessApp;
let token: string;
beforeAll(async () => {
  c = await startTestApp();
  ({ token } = await c.client.call('tokens.create', { name: 'remote', scopes: ['read', 'write'] }));
  Object.assign(c.env, { AGENT_CONSOLE_AUTH: 'token', AGENT_CONSOLE_HOSTS: `${NAME}, second.example` });
  await c.restart();
});
afterAll(() => c.close());

/** Returns a function like `fetch` that sends this Host header, which `fetch` would replace. */
function fetchAs(host: string) {
  return async (url: string | URL, { method = 'GET', headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const fields = { ...Object.fromEntries(new Headers(headers)), host };
    const outgoing = request(url, { method, headers: fields, ...(signal ? { signal } : {}) });
    outgoing.end(body ?? undefined);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { statusCode = 0, headers: received } = incoming;
    return new Response(Readable.toWeb(incoming) as ReadableStream, {
      status: statusCode,
      headers: Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]),
    });
  };
}

/** Sends a REST request under a host name. */
async function rest(host: string, method: string, path: string, secret?: string, body?: object) {
  const identity = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = { method, headers: { ...identity, ...content }, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetchAs(host)(`${c.baseUrl}/api${path}`, sent);
  return { status: answer.status, body: await answer.json() };
}

const connect = (host: string, era: 'legacy' | 'modern', secret?: string) =>
  erasWith({ fetch: fetchAs(host) })[era](`${c.baseUrl}/mcp`, secret);

describe('a console with names in AGENT_CONSOLE_HOSTS', () => {
  it('answers REST calls under each name, with any port, to callers with a token', async () => {
    for (const host of [NAME, `${NAME}:8443`, 'Second.example']) {
      const made = await rest(host, 'POST', '/boards', token, { name: host });
      expect(made, host).toMatchObject({ status: 201, body: { name: host } });
      const read = await rest(host, 'GET', `/boards/${made.body.id}`, token);
      expect(read, host).toMatchObject({ status: 200, body: { name: host } });
    }
  });

  it.each(['legacy', 'modern'] as const)('answers several %s MCP clients at once', async (era) => {
    const clients = await Promise.all([NAME, NAME, 'second.example'].map((host) => connect(host, era, token)));
    await Promise.all(
      clients.map(async (client) => {
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain('list_sessions');
        expect(answerOf(await client.callTool('list_sessions'))).toMatchObject({ sessions: [] });
        await client.close();
      }),
    );
  });

  it.each([NAME, '127.0.0.1'])('refuses callers without a token under %s', async (name) => {
    const host = `${name}:${c.port}`;
    const refused = { status: 401, body: { error: { code: 'UNAUTHENTICATED' } } };
    expect(await rest(host, 'GET', '/sessions')).toMatchObject(refused);
    expect(await rest(host, 'GET', '/sessions', 'nonsense')).toMatchObject(refused);
    for (const era of ['legacy', 'modern'] as const) {
      const client = await connect(host, era);
      expect((await client.listTools()).tools).toEqual([]);
      const called = await client.callTool('list_sessions');
      expect(called).toMatchObject({ isError: true });
      expect(called.content[0]?.text).toMatch(/^UNAUTHENTICATED/);
      await client.close();
    }
  });

  it.each(['other.example', `${NAME}.other.example`, `other.${NAME}`])(
    'refuses the name %s, even with a token',
    async (host) => {
      const refused = { status: 403, body: { error: { code: 'PERMISSION_DENIED' } } };
      expect(await rest(host, 'GET', '/sessions', token)).toMatchObject(refused);
      for (const era of ['legacy', 'modern'] as const) {
        await expect(connect(host, era, token)).rejects.toThrow(/403|PERMISSION_DENIED/);
      }
    },
  );
});
