import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { mountStatic } from '../../../src/surfaces/http/static.ts';
import { createTestGate, OWNER, raw, STRANGER, startServer } from './harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const status = {
  version: '1.2.3',
  pid: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  uptimeSeconds: 5,
  runner: { pid: 2 },
  counts: { repositories: 0, sessions: 0, liveSessions: 0, runningTasks: 0, pendingNotices: 0 },
  lastEventSeq: 0,
};

async function start(options: Partial<Parameters<typeof startServer>[0]> = {}) {
  const gate = createTestGate({ 'system.status': () => status });
  const server = await startServer({ gate, ...options });
  closers.push(() => server.close());
  const ask = (...headers: string[]) => raw(server.port, ['GET /api/status HTTP/1.1', ...headers]);
  return { gate, server, ask, host: `Host: 127.0.0.1:${server.port}` };
}

describe('access to the port', () => {
  it('is allowed for each name of the loopback address with this port, and for no other host', async () => {
    const { ask, server } = await start();
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      expect((await ask(`Host: ${name}:${server.port}`)).status, name).toBe(200);
    }
    for (const host of [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1:1',
      'localhost',
      '',
      `127.0.0.1.evil.example:${server.port}`,
    ]) {
      const answer = await ask(`Host: ${host}`);
      expect([400, 403], host).toContain(answer.status);
      if (host.startsWith('evil')) expect(answer.text).toContain('"code":"PERMISSION_DENIED"');
    }
  });

  it('is refused to pages of another origin, port or site', async () => {
    const { ask, host, server } = await start();
    const own = `http://localhost:${server.port}`;
    expect((await ask(host, `Origin: ${own}`)).status).toBe(200);
    expect((await ask(host, 'Sec-Fetch-Site: same-origin')).status).toBe(200);
    expect((await ask(host, 'Sec-Fetch-Site: none')).status).toBe(200);
    expect((await ask(host, 'Sec-Fetch-Mode: cors')).status).toBe(200);
    const foreign = [
      'http://localhost:1',
      'https://evil.example',
      'null',
      `https://localhost:${server.port}`,
      `${own}.evil.example`,
    ];
    for (const origin of foreign) expect((await ask(host, `Origin: ${origin}`)).status, origin).toBe(403);
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(host, `Sec-Fetch-Site: ${site}`)).status).toBe(403);
  });

  it('is allowed under another name only if that is configured, and from pages of that origin', async () => {
    const { ask } = await start({ extraHosts: ['console.example'] });
    expect((await ask('Host: console.example')).status).toBe(200);
    expect((await ask('Host: console.example', 'Origin: https://console.example')).status).toBe(200);
    expect((await ask('Host: console.example', 'Origin: https://other.example')).status).toBe(403);
  });

  it('is refused with a token in the URL at every path, before anything else is checked', async () => {
    const { server, gate } = await start();
    for (const path of ['/api/status?token=abc', '/mcp?access_token=abc', '/?token=abc', '/health?x=1&token=']) {
      const response = await fetch(`${server.url}${path}`);
      expect(response.status, path).toBe(400);
      expect(await response.text()).not.toContain('abc');
    }
    expect(gate.calls).toHaveLength(0);
  });
});

it('every answer carries the security headers and a request id', async () => {
  const { server } = await start();
  const ids = new Set<string | null>();
  for (const path of ['/health', '/api/status', '/api/nothing', '/mcp', '/api/openapi.json']) {
    const { headers } = await fetch(`${server.url}${path}`);
    expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    ids.add(headers.get('x-request-id'));
  }
  expect(ids.size).toBe(5);
});

it('health returns more details to identified callers than to others', async () => {
  const known = await start();
  expect(await (await fetch(`${known.server.url}/health`)).json()).toEqual({
    status: 'ok',
    version: '1.2.3',
    uptimeSeconds: 5,
    runner: { pid: 2 },
    counts: status.counts,
  });
  const stranger = await start({ identify: async () => STRANGER });
  expect(await (await fetch(`${stranger.server.url}/health`)).json()).toEqual({ status: 'ok', version: '1.2.3' });
});

it('unknown paths and internal errors are answered with the common error body', async () => {
  const { server } = await start({
    mount: (app) =>
      app.get('/broken', () => {
        throw new TypeError('inner words');
      }),
  });
  expect(await (await fetch(`${server.url}/nothing`)).json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const broken = await fetch(`${server.url}/broken`);
  expect(broken.status).toBe(500);
  expect(await broken.json()).toMatchObject({ error: { code: 'INTERNAL', retryable: false } });
  expect(broken.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(server.bugs).toHaveLength(1);
});

it('serves the page with types and caching, and nothing outside its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  closers.push(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'client', 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'client', 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'client', 'assets', 'main-abcd1234.js'), 'run()');
  const { server } = await start({ mount: (app) => mountStatic(app, join(folder, 'client')) });
  const page = await fetch(`${server.url}/`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const again = await fetch(`${server.url}/`, { headers: { 'if-none-match': page.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
  const script = await fetch(`${server.url}/assets/main-abcd1234.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('cache-control')).toContain('immutable');
  for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/%2e%2e/%2e%2e/secret.txt']) {
    const answer = await raw(server.port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`]);
    expect(answer.status, path).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain('\r\n\r\nsecret');
  }
});

it('a planned stop answers the open call, then closes its connection', async () => {
  const { server } = await start({
    gate: createTestGate({ 'system.status': () => new Promise(() => {}) }),
    identify: async () => OWNER,
  });
  const open = fetch(`${server.url}/api/status`);
  await new Promise((resolve) => server.http.once('request', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = server.drain.stop([server.http]);
  const answer = await open;
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { code: 'BUSY', retryable: true } });
  await stopped;
  await expect(fetch(`${server.url}/health`)).rejects.toThrow();
});
