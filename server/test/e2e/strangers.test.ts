import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { UNIDENTIFIED_BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import {
  UNIDENTIFIED_CONNECTIONS_OTHERS_MAX,
  UNIDENTIFIED_SOCKETS_OTHERS_MAX,
} from '@agent-console/shared/limits/connections';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startConsole, type TestConsole } from '../support/console.ts';
import { WAYS } from './support/mcp.ts';
import { stored } from './support/people.ts';

/** Header that a proxy adds. The console does not identify callers behind a proxy by their process. */
const STRANGER = { 'x-forwarded-for': '192.0.2.1' };
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const MODERN = '2026-07-28';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const post = (path: string, message: object, headers: Record<string, string>) =>
  fetch(`${c.baseUrl}${path}`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'plain', version: '1' } },
};

/** Sends one MCP request in the protocol revision 2026-07-28. */
function modern(method: string, params: object, headers: Record<string, string>): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'plain', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const era = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  return post('/mcp', { method, params: { ...params, _meta } }, { ...era, ...headers });
}

describe('a caller without identity', () => {
  it('gets answers over MCP without a session, and the reason why there are no tools', async () => {
    const before = stored(c, 'select id from mcp_sessions');
    for (let count = 0; count < 3; count += 1) {
      const opened = await post('/mcp', initialize, STRANGER);
      expect(opened.status).toBe(200);
      expect(opened.headers.get('mcp-session-id')).toBeNull();
      const { result } = (await opened.json()) as { result: { instructions: string } };
      expect(result.instructions).toMatch(/offers no tools.*proxy.*token/);
    }
    const ready = await post('/mcp', { id: undefined, method: 'notifications/initialized' }, STRANGER);
    expect(ready.status).toBe(202);
    const listed = await post('/mcp', { method: 'tools/list' }, STRANGER);
    expect(await listed.json()).toMatchObject({ result: { tools: [] } });
    const call = { method: 'tools/call', params: { name: 'list_sessions', arguments: {} } };
    expect(await (await post('/mcp', call, STRANGER)).text()).toContain('UNAUTHENTICATED');
    const subscribe = { method: 'resources/subscribe', params: { uri: 'console://sessions/01900000' } };
    expect(await (await post('/mcp', subscribe, STRANGER)).text()).toContain('UNAUTHENTICATED');
    expect(stored(c, 'select id from mcp_sessions')).toEqual(before);
  });

  it('cannot send a large body, which would be kept in memory until it is complete', async () => {
    const large = { method: 'tools/list', params: { text: 'x'.repeat(UNIDENTIFIED_BODY_MAX_BYTES) } };
    for (const path of ['/mcp', '/sse', '/api/delegations']) {
      const refused = await post(path, large, STRANGER);
      expect(refused.status, path).toBe(401);
      expect(refused.headers.get('connection'), path).toBe('close');
      expect(await refused.text(), path).toMatch(/UNAUTHENTICATED.*proxy/);
    }
  });

  it('gets no stream over any transport', async () => {
    const streams = { accept: 'text/event-stream', ...STRANGER };
    expect((await fetch(`${c.baseUrl}/mcp`, { headers: streams })).status).toBe(405);
    expect((await fetch(`${c.baseUrl}/api/events/stream`, { headers: streams })).status).toBe(401);
    const sse = await fetch(`${c.baseUrl}/sse`, { headers: streams });
    expect(sse.status).toBe(401);
    expect(await sse.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED', retryable: false } });
    const listen = { notifications: { toolsListChanged: true } };
    const answer = await modern('subscriptions/listen', listen, STRANGER);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ id: 1, error: { message: expect.stringMatching(/^UNAUTHENTICATED/) } });
  });
});

describe('an invalid token', () => {
  it.each([
    ['nonsense', /unknown/],
    [`acw_${'x'.repeat(43)}`, /token of a worker that has ended.*resume its session/],
  ])('is refused with its reason before the protocol begins (%s)', async (token, reason) => {
    const headers = { authorization: `Bearer ${token}` };
    const answers = [
      await post('/mcp', initialize, headers),
      await post('/mcp', { method: 'tools/list' }, headers),
      await modern('server/discover', {}, headers),
      await fetch(`${c.baseUrl}/mcp`, { headers: { accept: 'text/event-stream', ...headers } }),
      await fetch(`${c.baseUrl}/sse`, { headers: { accept: 'text/event-stream', ...headers } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      // The response lacks this header, because a client would otherwise try to log in by OAuth.
      expect(answer.headers.get('www-authenticate')).toBeNull();
      const body = await answer.json();
      expect(body).toEqual({
        error: { code: 'UNAUTHENTICATED', message: expect.stringMatching(reason), details: {}, retryable: false },
      });
    }
    // The clients `HTTP, 2026` and `HTTP+SSE` report the status code of the response, but not its reason.
    const words: Record<keyof typeof WAYS, RegExp> = {
      'HTTP, 2025': reason,
      'HTTP, 2026': /401/,
      'stdio, 2025': reason,
      'stdio, 2026': reason,
      'HTTP+SSE': /401/,
    };
    const connecting = Object.entries(WAYS).map(([way, connect]) =>
      expect(connect(`${c.baseUrl}/mcp`, token), way).rejects.toThrow(words[way as keyof typeof WAYS]),
    );
    await Promise.all(connecting);
  });
});

/** Program that another Unix user runs. It opens connections, prints `ready` and keeps them open. */
const HOLD = `
const { connect } = require('node:net');
const [port, count, head] = process.argv.slice(1);
let left = Number(count);
const next = () => {
  if (left-- === 0) { console.log('ready'); return; }
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {}).on('connect', () => { socket.write(head); next(); }).resume();
};
next();
setInterval(() => {}, 1e6);
`;

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Skipped: only root can start a process of another Unix user.');

describe.runIf(isRoot && process.platform === 'linux')('another Unix user', () => {
  const NOBODY = 65_534;
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  async function hold(count: number, head: string): Promise<void> {
    const child = spawn(process.execPath, ['-e', HOLD, String(c.port), String(count), head], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    for await (const chunk of child.stdout) if (String(chunk).includes('ready')) return;
    throw new Error('the program of another user ended early');
  }
  const descriptors = () => readdirSync(`/proc/${c.serverPid()}/fd`).length;

  async function expectOwnerServed(): Promise<void> {
    expect((await c.client.call('sessions.list', {})).total).toBe(0);
    const { token } = await c.client.call('tokens.create', { name: 'page', scopes: ['read'] });
    const sockets = [new WebSocket(`${c.baseUrl}/ws/app`), new WebSocket(`${c.baseUrl}/ws/app`, { origin: c.baseUrl })];
    const snapshots = sockets.map(
      (socket) =>
        new Promise((resolve, reject) => {
          socket.once('error', reject);
          socket.on('message', (data) => String(data).includes('"snapshot"') && resolve(undefined));
        }),
    );
    sockets[1]?.once('open', () => sockets[1]?.send(JSON.stringify({ type: 'auth', token })));
    await Promise.all(snapshots);
    for (const socket of sockets) socket.terminate();
  }

  it('cannot use up the connections with incomplete requests', async () => {
    const idle = descriptors();
    await hold(1_500, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${c.port}\r\n`);
    await c.until('few connections', () => descriptors() <= idle + UNIDENTIFIED_CONNECTIONS_OTHERS_MAX + 10);
    await expectOwnerServed();
  });

  it('cannot use up the WebSockets without authentication', async () => {
    const upgrade = [
      'GET /ws/app HTTP/1.1',
      `Host: 127.0.0.1:${c.port}`,
      `Origin: ${c.baseUrl}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n');
    const idle = descriptors();
    await hold(1_200, upgrade);
    await expectOwnerServed();
    await c.until('few sockets', () => descriptors() <= idle + UNIDENTIFIED_SOCKETS_OTHERS_MAX + 10);
  });

  async function curl(...args: string[]): Promise<string> {
    const answer = spawn('curl', ['-s', '-w', '%{http_code}', ...args], { uid: NOBODY, gid: NOBODY, cwd: '/' });
    let text = '';
    for await (const chunk of answer.stdout) text += String(chunk);
    return text;
  }

  it('gets no stream', async () => {
    expect(await curl(`${c.baseUrl}/sse`)).toMatch(/belongs to another Unix user.*401$/);
  });

  it('cannot use the code of a login link, which stays valid for its owner, or the token of a login', async () => {
    const { code } = await c.client.call('login.open', {});
    const { token } = await c.client.call('tokens.create', { name: 'reader', scopes: ['read'] });
    const redeem = (...headers: string[]) =>
      curl(
        ...['content-type: application/json', ...headers].flatMap((header) => ['-H', header]),
        ...['-d', JSON.stringify({ code }), `${c.baseUrl}/api/login`],
      );
    for (const header of [`origin: ${c.baseUrl}`, 'via: 1.1 proxy', `authorization: Bearer ${token}`]) {
      expect(await redeem(header), header).toMatch(/PERMISSION_DENIED.*Unix user.*403$/);
    }
    const login = await c.client.call('login.redeem', { code });
    const use = (secret: string) => curl('-H', `authorization: Bearer ${secret}`, `${c.baseUrl}/api/users/current`);
    expect(await use(login.token)).toMatch(/UNAUTHENTICATED.*browser login.*401$/);
    expect(await use(token)).toMatch(/200$/);
  });
});
