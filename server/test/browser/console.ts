import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { createEventHub } from '../../src/events/hub.ts';
import type { Gate } from '../../src/operations/call.ts';
import type { Identity } from '../../src/operations/ports/identity.ts';
import type { EventRow } from '../../src/operations/ports/rows.ts';
import type { StoreReader } from '../../src/operations/ports/storage.ts';
import type { LocalRunner } from '../../src/runner/client.ts';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import type { HttpEnv } from '../../src/surfaces/http/context.ts';
import { createGuard, refusalOf } from '../../src/surfaces/http/guard.ts';
import { errorResponse } from '../../src/surfaces/http/respond.ts';
import { mountStatic } from '../../src/surfaces/http/static.ts';
import { createWebSocketSurface, type WebSocketSurface } from '../../src/surfaces/websocket/surface.ts';

const CLIENT = fileURLToPath(new URL('../../../client', import.meta.url));
export const CODE = 'one-time-code';
const TOKEN = 'browser-token';

/** Builds the page into a folder. */
export async function buildPage(outDir: string): Promise<void> {
  const vite = `${CLIENT}/node_modules/vite/bin/vite.js`;
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'],
    {
      cwd: CLIENT,
    },
  );
}

export interface TestConsole {
  port: number;
  sessions: Map<string, Session>;
  prompts: { sessionId: string; prompt: string; key: string | undefined }[];
  /** Changes a session as an operation would, with its event. */
  change(session: Session): void;
  /** Ends every connection and answers nobody until `goOnline`. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  close(): Promise<void>;
}

/** A console that serves the built page with the product's own guard and live surfaces; its operations are in memory. */
export async function startConsole(runner: LocalRunner, page: string): Promise<TestConsole> {
  const sessions = new Map<string, Session>();
  const prompts: TestConsole['prompts'] = [];
  const rows: EventRow[] = [];
  let codes = [CODE];
  const store = {
    find: async ({ seq }: { seq: { above: number } }) => rows.filter((row) => row.seq > seq.above).slice(0, 500),
    first: async () => rows[0],
  } as unknown as StoreReader<EventRow>;
  const events = createEventHub(store, 0);
  const newestFirst = () => [...sessions.values()].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const identity: Identity = {
    identify: async ({ headers }) => identity.identifyToken(headers.authorization?.replace('Bearer ', '') ?? ''),
    identifyToken: async (token) =>
      token === TOKEN
        ? { kind: 'user', userId: 'u', scopes: ['read', 'write'], via: 'token' }
        : { kind: 'nobody', reason: 'Run `agent-console open`.' },
  };
  const gate = {
    run: async (_name: string, { limit, skip }: { limit: number; skip: number }) => ({
      total: sessions.size,
      limit,
      skip,
      data: newestFirst().slice(skip, skip + limit),
    }),
  } as unknown as Gate;

  const app = new Hono<HttpEnv>();
  app.use(createGuard({ ports: () => [port] }));
  app.onError((error, c) => errorResponse(error, c.get('requestId')));
  app.post('/api/login', async (c) => {
    const { code } = await c.req.json();
    if (!codes.includes(code)) throw new ConsoleError('UNAUTHENTICATED', 'This code is used or too old.');
    codes = codes.filter((other) => other !== code);
    return c.json({ token: TOKEN, expiresAt: null });
  });
  app.use('/api/*', async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${TOKEN}`) throw new ConsoleError('UNAUTHENTICATED', 'Log in.');
    return next();
  });
  app.get('/api/sessions', (c) => c.json({ total: sessions.size, limit: 500, skip: 0, data: newestFirst() }));
  app.get('/api/sessions/:id', (c) => {
    const session = sessions.get(c.req.param('id'));
    if (session === undefined) throw new ConsoleError('NOT_FOUND', 'Session not found');
    const waiting = prompts.filter(({ sessionId }) => sessionId === session.id);
    return c.json({ ...session, tasks: waiting.map(() => ({ kind: 'prompt', status: 'queued', blocked: null })) });
  });
  app.post('/api/sessions/:id/prompt', async (c) => {
    const { prompt } = await c.req.json();
    if (prompt === 'refuse me')
      throw new ConsoleError('LIMIT_EXCEEDED', '100 prompts wait already. Cancel some first.');
    prompts.push({ sessionId: c.req.param('id'), prompt, key: c.req.header('idempotency-key') });
    return c.json({ taskId: 't', sessionId: c.req.param('id'), queued: true, queuePosition: 2 });
  });
  app.get('/api/workers/:id/output', async (c) => {
    const { next } = await runner.extent(c.req.param('id'));
    return c.json({ data: '', offset: next, nextOffset: next, truncated: false, rendered: 'raw' });
  });
  mountStatic(app, page);

  const streams = createOutputStreams(runner);
  let port = 0;
  let server: Server;
  let surface: WebSocketSurface;
  const sockets = new Set<Socket>();

  async function listen(): Promise<void> {
    surface = createWebSocketSurface({
      gate,
      identity,
      events,
      streams,
      terminals: {
        open: async (_caller, _sessionId, workerId) => ({
          worker: { id: workerId, type: 'agent' } as Worker,
          canType: true,
        }),
        type: async (workerId, inputId, data) => void (await runner.input(workerId, inputId, data)),
        resize: (workerId, cols, rows) => runner.resize(workerId, cols, rows),
      },
      guard: (request) => refusalOf(request.headers, request.url ?? '', { ports: () => [port] }),
    });
    server = createServer(getRequestListener(app.fetch));
    server.on('upgrade', surface.handleUpgrade);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const stopped = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await surface.close();
    await stopped;
  }

  await listen();
  return {
    get port() {
      return port;
    },
    sessions,
    prompts,
    change(session) {
      sessions.set(session.id, session);
      const row: EventRow = {
        seq: rows.length + 1,
        at: new Date().toISOString(),
        type: 'session.updated',
        subjectKind: 'session',
        subjectId: session.id,
        sessionId: session.id,
        actor: 'system',
        viaSessionId: null,
        data: {},
      };
      rows.push(row);
      events.committed([row]);
    },
    goOffline: stop,
    goOnline: listen,
    close: stop,
  };
}

let lastId = 0;

/** An id as the console makes them. */
export function newId(): string {
  lastId += 1;
  return `0190${lastId.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;
}

/** A session that has not done anything yet. */
export function newSession(more: Partial<Session> = {}): Session {
  const now = new Date().toISOString();
  return {
    id: newId(),
    type: 'worktree',
    worktreeId: newId(),
    repositoryId: newId(),
    cwd: '/home/me/.agent-console/repositories/local/shop/worktrees/wt-004-k3f9',
    agentId: 'scripted',
    title: '',
    description: '',
    status: 'idle',
    permissionConfig: { mode: 'acceptEdits', requestedMode: null, ceiling: 'acceptEdits', allowedTools: [] },
    genealogy: {
      parentSessionId: null,
      forkedFromSessionId: null,
      spawnPointTaskId: null,
      forkPointTaskId: null,
      children: [],
    },
    depth: 0,
    createdByUserId: null,
    createdBySessionId: null,
    viaSessionId: null,
    gitState: { ref: 'refs/heads/checkout-flow', baseSha: null, currentSha: null },
    workers: [],
    messageCount: 0,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
    ...more,
  };
}

/** A living agent worker. */
export function newWorker(sessionId: string, id: string, more: Partial<Worker> = {}): Worker {
  const now = new Date().toISOString();
  return {
    id,
    sessionId,
    type: 'agent',
    agentId: 'scripted',
    pid: 1,
    state: 'running',
    exitCode: null,
    signal: null,
    activityState: 'idle',
    activitySource: 'title',
    activitySince: now,
    confidence: 'certain',
    logOffset: 0,
    warnings: [],
    createdAt: now,
    ...more,
  };
}
