import { BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT, createTestGate, OWNER, STRANGER, startServer, type TestServer } from '../http/harness.ts';

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'plain', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

let server: TestServer;
beforeAll(async () => {
  const empty = () => ({ total: 0, limit: 20, skip: 0, data: [] });
  const gate = createTestGate({ 'sessions.list': empty, 'orchestrations.list': empty });
  const known = async ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
    ({ 'Bearer stranger': STRANGER, 'Bearer owner': OWNER })[headers.authorization ?? ''] ?? AGENT;
  server = await startServer({ gate, identify: known });
});
afterAll(() => server.close());

function send(method: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${server.url}/mcp`, {
    method,
    headers: { ...ACCEPT, ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'plain', version: '1' } },
});

async function open(): Promise<Record<string, string>> {
  const response = await send('POST', initialize('2025-06-18'));
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
}

const modern = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { code: number; message: string } }).error;

describe('a body that is not a message of the protocol', () => {
  it.each([
    ['broken JSON', '{"jsonrpc":', 400, -32700],
    ['no JSON', 'hello', 400, -32700],
    ['nothing', '', 400, -32700],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 400, -32600],
    ['an empty batch', [], 400, -32600],
    ['a number', '42', 400, -32600],
    ['null', 'null', 400, -32600],
  ])('is refused with the right code: %s', async (_, body, status, code) => {
    for (const headers of [{}, await open(), modern('ping')]) {
      const response = await send('POST', body, headers);
      expect({ status: response.status, code: (await errorOf(response)).code }).toEqual({ status, code });
    }
  });

  it('is refused if it is too large, and the server continues', async () => {
    const response = await send('POST', `"${'x'.repeat(BODY_MAX_BYTES)}"`).catch(() => undefined);
    if (response !== undefined) expect(response.status).toBe(413);
    expect((await send('POST', initialize('2025-06-18'))).status).toBe(200);
  });
});

describe('the 2025 era', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ])('answers a client that requests %s with %s, its name and capabilities', async (asked, answered) => {
    const response = await send('POST', initialize(asked));
    const { result } = (await response.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({
      protocolVersion: answered,
      serverInfo: { name: 'agent-console', version: '1.2.3' },
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    });
    expect(Object.keys(result.capabilities as object).sort()).toEqual(['completions', 'prompts', 'resources', 'tools']);
  });

  it('answers a notification with 202 and no body', async () => {
    const session = await open();
    const response = await send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  it('names the allowed method in answers to other methods without a session', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const response = await send(method, undefined);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    }
  });

  it('answers every list that it advertises', async () => {
    const session = await open();
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'ping']) {
      const response = await send('POST', { jsonrpc: '2.0', id: method, method, params: {} }, session);
      expect(await response.json()).toMatchObject({ id: method, result: {} });
    }
    const absent = await send('POST', { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: {} }, session);
    expect((await errorOf(absent)).code).toBe(-32601);
  });
});

describe('the 2026 era', () => {
  const call = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta: META },
  });

  it('returns the same capabilities on discovery, and refuses an unknown version', async () => {
    const response = await send('POST', call('server/discover'), modern('server/discover'));
    const { result } = (await response.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    });
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const future = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta } };
    const refused = await send('POST', future, { ...modern('tools/list'), 'mcp-protocol-version': '2030-01-01' });
    expect({ status: refused.status, code: (await errorOf(refused)).code }).toEqual({ status: 400, code: -32022 });
  });

  it('refuses GET and DELETE, since it has no such streams and no sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, undefined, { 'mcp-protocol-version': '2026-07-28' })).status).toBe(405);
    }
  });

  it('names the nearest tools in the error for an unknown tool', async () => {
    const headers = { ...modern('tools/call'), 'mcp-name': 'list_session' };
    const error = await errorOf(
      await send('POST', call('tools/call', { name: 'list_session', arguments: {} }), headers),
    );
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('list_sessions') });
  });
});

describe('a token', () => {
  it('is refused in the address, and not repeated in the answer', async () => {
    for (const name of ['token', 'sessionToken', 'access_token']) {
      const response = await fetch(`${server.url}/mcp?${name}=s3cret-value`, {
        method: 'POST',
        headers: ACCEPT,
        body: JSON.stringify(initialize('2025-06-18')),
      });
      expect(response.status).toBe(400);
      expect(await response.text()).not.toContain('s3cret-value');
    }
  });
});

describe('the older transport', () => {
  const stream = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${server.url}/sse`, { headers: { accept: 'text/event-stream', ...headers }, ...(signal ? { signal } : {}) });

  async function endpointOf(response: Response): Promise<string> {
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    reader?.releaseLock();
    return /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? '';
  }

  it('accepts messages for a stream only from the caller who opened it', async () => {
    const closing = new AbortController();
    const opened = await stream({}, closing.signal);
    expect(opened.headers.get('content-type')).toBe('text/event-stream');
    const endpoint = await endpointOf(opened);
    const post = (headers: Record<string, string> = {}, body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' }) =>
      fetch(`${server.url}${endpoint}`, {
        method: 'POST',
        headers: { ...ACCEPT, ...headers },
        body: JSON.stringify(body),
      });
    expect((await post()).status).toBe(202);
    expect((await post({ authorization: 'Bearer owner' })).status).toBe(403);
    expect((await post({ authorization: 'Bearer stranger' })).status).toBe(401);
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await errorOf(await post({}, { hello: 'you' }))).code).toBe(-32600);
    closing.abort();
  });

  it('refuses messages for an unknown stream, and pages of another origin', async () => {
    const post = await fetch(`${server.url}/sse?session=nosuch`, {
      method: 'POST',
      headers: ACCEPT,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    expect(post.status).toBe(404);
    expect((await stream({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await fetch(`${server.url}/sse`, { method: 'DELETE' })).status).toBe(405);
  });
});
