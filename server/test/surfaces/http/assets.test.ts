import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { mountStatic } from '../../../src/surfaces/http/static.ts';
import { mountDocs } from '../../../src/surfaces/rest/docs.ts';
import { createTestGate, startServer } from './harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const SCRIPT = 'export const words = "the same again and again";\n'.repeat(200);
const PAGE = '<!doctype html><title>Agent Console</title>';

/** Starts a server with files of a dashboard and of a page for the OpenAPI document, like those of a build. */
async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'assets-'));
  closers.push(() => rm(folder, { recursive: true }));
  const put = async (name: string, text: string, variants = true) => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
    if (!variants) return;
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(text));
    await writeFile(join(folder, `${name}.gz`), gzipSync(text));
  };
  await put('client/index.html', PAGE);
  await put('client/assets/main-abcd1234.js', SCRIPT);
  await put('client/assets/font-abcd1234.woff2', 'font', false);
  await put('docs/index.html', '<!doctype html><title>API</title>');
  await put('docs/docs.js', SCRIPT);
  const server = await startServer({
    gate: createTestGate({}),
    mount: (app) => {
      mountDocs(app, join(folder, 'docs'));
      mountStatic(app, join(folder, 'client'));
    },
  });
  closers.push(() => server.close());
  return server;
}

/** Sends a request and returns the body as it is sent. fetch would decompress it. */
function ask(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    call.on('error', reject).end();
  });
}

it('sends a file in the best encoding that the caller accepts, with an ETag for each encoding', async () => {
  const { url } = await start();
  const file = `${url}/assets/main-abcd1234.js`;
  const plain = await ask(file);
  const brotli = await ask(file, { 'accept-encoding': 'gzip, deflate, br, zstd' });
  const gzip = await ask(file, { 'accept-encoding': 'gzip' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(plain.body.toString()).toBe(SCRIPT);
  expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
  expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT);
  expect(brotli.body.length).toBeLessThan(SCRIPT.length / 10);
  expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
  for (const { headers, body } of [plain, brotli, gzip]) {
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toContain('immutable');
    expect(headers['content-length']).toBe(String(body.length));
  }
});

it('answers 304 only to the ETag of the requested encoding', async () => {
  const { url } = await start();
  const brotli = await ask(`${url}/`, { 'accept-encoding': 'br' });
  const tag = brotli.headers.etag ?? '';
  for (const match of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await ask(`${url}/`, { 'accept-encoding': 'br', 'if-none-match': match });
    expect([again.status, again.body.length, again.headers.etag], match).toEqual([304, 0, tag]);
    expect(again.headers.vary).toBe('Accept-Encoding');
  }
  const other = await ask(`${url}/`, { 'if-none-match': tag });
  expect([other.status, other.body.toString()]).toEqual([200, PAGE]);
});

it('answers HEAD without a body, and sends files without compressed variants unchanged', async () => {
  const { url } = await start();
  const head = await ask(`${url}/assets/main-abcd1234.js`, { 'accept-encoding': 'br' }, 'HEAD');
  expect([head.status, head.headers['content-encoding'], head.body.length]).toEqual([200, 'br', 0]);
  const font = await ask(`${url}/assets/font-abcd1234.woff2`, { 'accept-encoding': 'br, gzip' });
  expect([font.headers['content-encoding'], font.headers.vary, font.body.toString()]).toEqual([
    undefined,
    undefined,
    'font',
  ]);
});

it('answers requests for pages with the dashboard at every path that is not reserved', async () => {
  const { url } = await start();
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const path of ['/', '/sessions', '/sessions/0193a1b2/workers', '/repositories?x=1', '/index.html', '/apiary']) {
    const page = await ask(`${url}${path}`, { accept });
    expect([page.status, page.body.toString()], path).toEqual([200, PAGE]);
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  }
});

it('answers NOT_FOUND to requests for missing files, unknown API paths and names of compressed variants', async () => {
  const { url } = await start();
  const accept = 'text/html,*/*';
  const missing = [
    ['/assets/gone-abcd1234.js', accept],
    ['/assets/main-abcd1234.js.br', accept],
    ['/assets', accept],
    ['/api/nothing', accept],
    ['/api', accept],
    ['/ws/nothing', accept],
    ['/health/x', accept],
    ['/sessions', '*/*'],
    ['/sessions', 'application/json'],
    ['/index.html', '*/*'],
  ] as const;
  for (const [path, accepted] of missing) {
    const answer = await ask(`${url}${path}`, { accept: accepted });
    expect(answer.status, path).toBe(404);
    expect(JSON.parse(answer.body.toString()), path).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(answer.headers['cache-control'], path).toBe('no-store');
  }
  const posted = await ask(`${url}/sessions`, { accept }, 'POST');
  expect(posted.status).toBe(404);
});

it('serves the page for the OpenAPI document with the usual content security policy', async () => {
  const { url } = await start();
  const page = await ask(`${url}/api/docs`);
  const usual = (await ask(`${url}/health`)).headers['content-security-policy'] as string;
  expect(page.body.toString()).toContain('<title>API</title>');
  expect(page.headers['content-security-policy']).toBe(usual);
  const again = await ask(`${url}/api/docs`, { 'if-none-match': page.headers.etag ?? '' });
  expect([again.status, again.headers['content-security-policy']]).toEqual([304, usual]);
  expect((await ask(`${url}/api/docs/docs.js`)).headers['content-security-policy']).toBe(usual);
  expect((await ask(`${url}/api/docs/`)).headers.location).toBe('/api/docs');
  expect((await ask(`${url}/api/docs/gone.js`)).status).toBe(404);
});

it('sends the OpenAPI document compressed if the caller accepts that', async () => {
  const { url } = await start();
  const plain = await ask(`${url}/api/openapi.json`);
  const gzip = await ask(`${url}/api/openapi.json`, { 'accept-encoding': 'gzip, br' });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  const tag = gzip.headers.etag ?? '';
  expect((await ask(`${url}/api/openapi.json`, { 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(304);
});
