import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import { Hono } from 'hono';
import type { Call } from '../../../src/domain/call.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Gate } from '../../../src/operations/operation.ts';
import type { CommittedEvent } from '../../../src/ports/events.ts';
import type { HttpEnv, Identify } from '../../../src/surfaces/http/context.ts';
import { createDrain } from '../../../src/surfaces/http/drain.ts';
import { mountFallback } from '../../../src/surfaces/http/fallback.ts';
import { createGuard } from '../../../src/surfaces/http/guard.ts';
import { mountHealth } from '../../../src/surfaces/http/health.ts';
import { createListener, type ListenerOptions } from '../../../src/surfaces/http/listener.ts';
import { watchResources } from '../../../src/surfaces/mcp/resources.ts';
import { createToolServer } from '../../../src/surfaces/mcp/server.ts';
import type { McpSessionRow, McpSessionStore } from '../../../src/surfaces/mcp/session-store.ts';
import { createMcpSurface } from '../../../src/surfaces/mcp/surface.ts';
import { createWatchers } from '../../../src/surfaces/mcp/watching.ts';
import { mountOpenApi } from '../../../src/surfaces/rest/openapi.ts';
import { mountRest, mountRestFallback } from '../../../src/surfaces/rest/routes.ts';

export const OWNER: Caller = { kind: 'user', userId: 'owner', scopes: ['read', 'write', 'owner'], via: 'token' };
export const SESSION = '0193a1b2-c3d4-7e5f-8a6b-000000000001';
export const WORKER = '0193a1b2-c3d4-7e5f-8a6b-000000000002';
export const AGENT: Caller = { kind: 'worker', workerId: WORKER, sessionId: SESSION, via: 'token' };
export const STRANGER: Caller = { kind: 'nobody', reason: 'Send a token.' };

export interface RecordedCall {
  name: OperationName;
  input: unknown;
  call: Call;
}

type Answers = Partial<Record<OperationName, (input: never, call: Call) => unknown>>;

/**
 * A gate that validates inputs like the real one, but decides by a simple rule who may call an operation (`mayCall`).
 * `answers` implements the operations.
 */
export function createTestGate(answers: Answers): Gate & { calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const mayCall = (name: OperationName, caller: Caller) =>
    contractOf(name).access === 'public' ||
    caller.kind === 'user' ||
    (caller.kind === 'worker' && name !== 'tokens.create');
  return {
    calls,
    mayCall,
    refused: async () => undefined,
    async check(name, input, call) {
      const valid = validate(contractOf(name).input, input);
      if (!mayCall(name, call.caller)) throw new ConsoleError('UNAUTHENTICATED', 'Not for you.');
      return valid as Record<string, unknown>;
    },
    async run(name, input, call) {
      const valid = validate(contractOf(name).input, input);
      if (!mayCall(name, call.caller)) {
        throw new ConsoleError('UNAUTHENTICATED', call.caller.kind === 'nobody' ? call.caller.reason : 'Not for you.');
      }
      calls.push({ name, input: valid, call });
      const answer = answers[name];
      if (answer === undefined) throw new Error(`the test has no answer for ${name}`);
      return (await answer(valid as never, call)) as never;
    },
  };
}

/** A store of MCP sessions in memory, which can be passed to several servers in turn. */
export function createMemorySessions(): McpSessionStore & { rows: Map<string, McpSessionRow> } {
  const rows = new Map<string, McpSessionRow>();
  return {
    rows,
    async save(row) {
      rows.set(row.id, row);
    },
    async find(id) {
      return rows.get(id);
    },
    async touch(id, usedAt) {
      const row = rows.get(id);
      if (row !== undefined) rows.set(id, { ...row, usedAt });
    },
    async watch(id, watched) {
      const row = rows.get(id);
      if (row !== undefined) rows.set(id, { ...row, watched });
    },
    async remove(id) {
      rows.delete(id);
    },
    async removeIdle(before) {
      for (const row of rows.values()) if (row.usedAt < before) rows.delete(row.id);
    },
  };
}

export interface TestServer {
  url: string;
  port: number;
  http: Server;
  bugs: unknown[];
  /** Number of open connections whose callers the server has not identified. */
  unidentified: () => number;
  /** Makes callers close their connections, as the first step of a planned stop. */
  leave: () => Promise<void>;
  drain: ReturnType<typeof createDrain>;
  /** Notifies the watchers of events as if a transaction had committed these events. */
  commit: (events: readonly CommittedEvent[]) => void;
  close(): Promise<void>;
}

/** Starts a real server with REST, MCP and the other surfaces on 127.0.0.1. */
export async function startServer(options: {
  gate: Gate;
  identify?: Identify;
  store?: McpSessionStore;
  extraHosts?: readonly string[];
  /** The port to listen on. Default: a free port. */
  port?: number;
  mount?: (app: Hono<HttpEnv>) => void;
  isOwnUser?: ListenerOptions['isOwnUser'];
  limits?: NonNullable<ListenerOptions['limits']>;
}): Promise<TestServer> {
  const { gate, store = createMemorySessions() } = options;
  const identify: Identify = async (evidence) => {
    const caller = await (options.identify?.(evidence) ?? OWNER);
    if (caller.kind !== 'nobody') listener.identified(evidence.connection);
    return caller;
  };
  const bugs: unknown[] = [];
  const ports: number[] = [];
  const drain = createDrain();
  let tell: (events: readonly CommittedEvent[]) => void = () => {};
  const onBug = (error: unknown) => bugs.push(error);
  const app = new Hono<HttpEnv>();
  app.use(createGuard({ ports: () => ports, extraHosts: options.extraHosts ?? [] }));
  mountHealth(app, { gate, identify, version: '1.2.3', runnerState: async () => ({ state: 'running' }) });
  mountRest(app, { gate, identify, isOtherUser: async () => false, drain, onBug });
  mountOpenApi(app, '1.2.3');
  const build = createToolServer({ gate, drain, version: '1.2.3', onBug });
  const watchers = createWatchers({
    filterFor: async () => undefined,
    onEvents(listener) {
      tell = listener;
      return () => {};
    },
  });
  const watch = watchResources(gate, watchers);
  const events = { onEvents: () => () => {} };
  const mcp = createMcpSurface({ build, identify, store, watch, events, onError: () => {} });
  app.all('/mcp', mcp.serve);
  app.all('/sse', mcp.serveSse);
  options.mount?.(app);
  mountRestFallback(app);
  mountFallback(app, onBug);
  const listener = createListener({
    fetch: app.fetch,
    isOwnUser: options.isOwnUser ?? (async () => true),
    onBug,
    ...(options.limits && { limits: options.limits }),
  });
  const http = listener.createServer();
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  ports.push(port);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    http,
    bugs,
    unidentified: listener.unidentified,
    leave: () => listener.leave([http]),
    drain,
    commit: (events) => tell(events),
    async close() {
      mcp.endStreams();
      await drain.stop([http]);
      await mcp.close();
    },
  };
}

export const postJson = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

/**
 * Sends a request with exactly this request line and these headers, which fetch would change or refuse. Adds only the
 * header `Connection: close`.
 */
export async function raw(
  port: number,
  lines: readonly string[],
  body = '',
): Promise<{ status: number; text: string }> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
