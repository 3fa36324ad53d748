import { ConsoleError } from '@agent-console/shared/errors';
import { HEARTBEAT_MS } from '@agent-console/shared/limits/connections';
import { MCP_SESSION_IDLE_MS, MCP_SESSION_SWEEP_MS } from '@agent-console/shared/limits/mcp';
import { afterEach, expect, it, vi } from 'vitest';
import type { Identify } from '../../../src/surfaces/http/context.ts';
import { DEFAULT_SETS, DEFAULT_TOOLS, FURTHER_TOOLS } from '../../support/tool-names.ts';
import { AGENT, createMemorySessions, createTestGate, SESSION, STRANGER, startServer } from '../http/harness.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

const empty = { total: 0, limit: 20, skip: 0, data: [] };
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'plain', version: '1' } },
};

async function start(store = createMemorySessions()) {
  const gate = createTestGate({ 'sessions.list': () => empty, 'orchestrations.list': () => empty });
  const server = await startServer({ gate, store, identify: async () => AGENT });
  closers.push(() => server.close());
  const post = (body: unknown, headers: Record<string, string> = {}, query = '') =>
    fetch(`${server.url}/mcp${query}`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const open = async () => (await post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
  return { server, gate, store, post, open };
}

it('a 2025 client continues its session after a restart of the server', async () => {
  const store = createMemorySessions();
  const first = await start(store);
  const id = await first.open();
  expect(store.rows.has(id)).toBe(true);
  await first.server.close();
  const second = await start(store);
  const answers = await Promise.all([1, 2, 3].map(() => second.post(LIST, { 'mcp-session-id': id })));
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('mcp-session-id')).toBe(id);
    const { result } = (await answer.json()) as { result: { tools: unknown[] } };
    expect(result.tools).toHaveLength(DEFAULT_TOOLS.length);
  }
});

it('an unknown session is 404 with or without a stream, never 400', async () => {
  const { post, server } = await start();
  expect((await post(LIST, { 'mcp-session-id': 'gone' })).status).toBe(404);
  const stream = await fetch(`${server.url}/mcp`, { headers: { ...HEADERS, 'mcp-session-id': 'gone' } });
  expect(stream.status).toBe(404);
});

it('a session that was not used for a day is removed', async () => {
  const store = createMemorySessions();
  const first = await start(store);
  const id = await first.open();
  const row = store.rows.get(id);
  if (row === undefined) throw new Error('the session was not stored');
  store.rows.set(id, { ...row, usedAt: new Date(Date.now() - MCP_SESSION_IDLE_MS - 1) });
  const second = await start(store);
  expect((await second.post(LIST, { 'mcp-session-id': id })).status).toBe(404);
});

it('a closed session is removed permanently', async () => {
  const { server, store, open, post } = await start();
  const id = await open();
  const closed = await fetch(`${server.url}/mcp`, { method: 'DELETE', headers: { ...HEADERS, 'mcp-session-id': id } });
  expect(closed.status).toBe(200);
  expect(store.rows.size).toBe(0);
  expect((await post(LIST, { 'mcp-session-id': id })).status).toBe(404);
});

it('a session has only one stream at a time, and still answers requests', async () => {
  const { server, open, post } = await start();
  const id = await open();
  const stop = new AbortController();
  const stream = () =>
    fetch(`${server.url}/mcp`, { headers: { ...HEADERS, 'mcp-session-id': id }, signal: stop.signal });
  const first = await stream();
  expect(first.status).toBe(200);
  expect(first.headers.get('content-type')).toBe('text/event-stream');
  expect((await stream()).status).toBe(409);
  expect((await post(LIST, { 'mcp-session-id': id })).status).toBe(200);
  stop.abort();
});

it('a session whose stream the server ended is removed after a day, one that still listens is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  let revoked = '';
  const store = createMemorySessions();
  const gate = createTestGate({});
  const identify: Identify = async ({ headers }) => (headers.authorization === revoked ? STRANGER : AGENT);
  const server = await startServer({ gate, store, identify });
  closers.push(() => server.close());
  const stop = new AbortController();
  const listen = async (authorization: string) => {
    const headers = { ...HEADERS, authorization };
    const init = { method: 'POST', headers, body: JSON.stringify(INITIALIZE) };
    const id = (await fetch(`${server.url}/mcp`, init)).headers.get('mcp-session-id') ?? '';
    const { signal } = stop;
    return { id, stream: await fetch(`${server.url}/mcp`, { headers: { ...headers, 'mcp-session-id': id }, signal }) };
  };
  const kept = await listen('Bearer kept');
  const ended = await listen('Bearer ended');
  revoked = 'Bearer ended';
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  await ended.stream.text();
  await fetch(`${server.url}/health`);
  await vi.advanceTimersByTimeAsync(MCP_SESSION_IDLE_MS + 2 * MCP_SESSION_SWEEP_MS);
  expect([...store.rows.keys()]).toEqual([kept.id]);
  stop.abort();
});

it('a restored session keeps what it watches, even if the server is killed or busy meanwhile', async () => {
  const uris = ['agor://session/{id}', 'agor://session/{id}/messages', 'agor://orchestration/{id}'].map((uri) =>
    uri.replace('{id}', SESSION),
  );
  const store = createMemorySessions();
  const first = await start(store);
  const id = await first.open();
  for (const uri of uris) {
    const subscribe = { jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } };
    expect((await first.post(subscribe, { 'mcp-session-id': id })).status).toBe(200);
  }
  await first.server.close();
  const stored: number[] = [];
  const { watch } = store;
  store.watch = (session, watched) => {
    stored.push(watched.length);
    return watch(session, watched);
  };
  const second = await start(store);
  const { check } = second.gate;
  second.gate.check = async () => {
    throw new ConsoleError('BUSY', 'Another process is writing to the database. Try again.');
  };
  expect((await second.post(LIST, { 'mcp-session-id': id })).status).toBe(503);
  second.gate.check = check;
  expect((await second.post(LIST, { 'mcp-session-id': id })).status).toBe(200);
  expect(store.rows.get(id)?.watched).toEqual(uris);
  expect(stored.filter((count) => count < uris.length)).toEqual([]);
});

it('the list of tools is identical each time, and depends on ?toolsets=', async () => {
  const { post, open } = await start();
  const id = await open();
  const list = async (query = '') => (await post(LIST, { 'mcp-session-id': id }, query)).text();
  const first = await list();
  expect(await list()).toBe(first);
  const names = async (query?: string) =>
    JSON.parse(await list(query)).result.tools.map((tool: { name: string }) => tool.name);
  expect(await names()).toEqual(DEFAULT_TOOLS);
  // The size matters, since the list of tools is part of every conversation of every agent.
  expect(Buffer.byteLength(first)).toBeLessThan(33_000);
  expect(Buffer.byteLength(await list('?toolsets=orchestrations'))).toBeLessThan(23_000);
  expect(await names('?toolsets=all')).toEqual([...DEFAULT_SETS, ...FURTHER_TOOLS]);
  expect(await names('?toolsets=delegation,sessions')).toEqual(DEFAULT_SETS);
  expect(await names('?toolsets=worktrees')).toEqual(
    FURTHER_TOOLS.filter((name) => /_(repos|worktrees)_|_worktree$/.test(name)),
  );
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } };
  const answer = await post(call, { 'mcp-session-id': id }, '?toolsets=worktrees');
  expect(((await answer.json()) as { result: { structuredContent: unknown } }).result.structuredContent).toEqual({
    sessions: [],
    total: 0,
  });
  const wrong = await post(LIST, { 'mcp-session-id': id }, '?toolsets=delegatoin');
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain('delegation');
});

/** Matches names of tools that only read, by their first or last word. */
const READS =
  /^(get|list|read|wait)_|^agor_\w+_(get|list|get_current|search|genealogy)$|^orchestrations_(get|list|events)$/;

it('tool definitions have schemas of objects, described arguments and correct annotations', async () => {
  const { post, open } = await start();
  const body = await (await post(LIST, { 'mcp-session-id': await open() }, '?toolsets=all')).text();
  const { tools } = (JSON.parse(body) as { result: { tools: Record<string, never>[] } }).result;
  for (const tool of tools as unknown as {
    name: string;
    inputSchema: { type: string; properties: Record<string, { description?: string }> };
    outputSchema: { type: string };
    annotations: Record<string, boolean>;
  }[]) {
    expect(tool.inputSchema.type).toBe('object');
    expect(tool.outputSchema.type).toBe('object');
    for (const [name, field] of Object.entries(tool.inputSchema.properties)) {
      expect(field.description, `${tool.name}.${name}`).toBeTruthy();
    }
    expect(tool.annotations.openWorldHint).toBe(false);
    expect(tool.annotations.readOnlyHint, tool.name).toBe(READS.test(tool.name));
  }
  expect(body).not.toContain('"pattern"');
});

it('broken JSON, a body that is too large and a request without a session are refused', async () => {
  const { post } = await start();
  expect(((await (await post('{"jsonrpc":')).json()) as { error: { code: number } }).error.code).toBe(-32700);
  expect((await post(JSON.stringify({ ...INITIALIZE, pad: 'x'.repeat(1_100_000) }))).status).toBe(413);
  expect((await post(LIST)).status).toBe(400);
});
