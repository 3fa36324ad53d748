import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import WebSocket from 'ws';
import type { Call } from '../../../src/domain/call.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import { toPublicEvent } from '../../../src/engine/access/public-event.ts';
import { createEventHub } from '../../../src/events/hub.ts';
import type { Gate } from '../../../src/operations/operation.ts';
import type { Identity } from '../../../src/ports/identity.ts';
import type { EventRow } from '../../../src/ports/rows.ts';
import type { Runner } from '../../../src/ports/runner.ts';
import type { StoreReader } from '../../../src/ports/storage.ts';
import type { Terminals } from '../../../src/ports/terminals.ts';
import { createOutputStreams } from '../../../src/streams/output-streams.ts';
import type { HttpEnv } from '../../../src/surfaces/http/context.ts';
import { refusalOf } from '../../../src/surfaces/http/guard.ts';
import { mountEventStream } from '../../../src/surfaces/websocket/event-stream.ts';
import { createWebSocketSurface, type WebSocketSurface } from '../../../src/surfaces/websocket/surface.ts';

export const SESSION = '01900000-0000-7000-8000-00000000aaaa';
export const OWNER_TOKEN = 'owner-token';
export const WATCHER_TOKEN = 'watcher-token';

const owner: Caller = { kind: 'user', userId: 'user-1', scopes: ['read', 'write'], via: 'token' };
const watcher: Caller = { kind: 'worker', workerId: 'w', sessionId: 's', via: 'token' };
const stranger: Caller = { kind: 'nobody', reason: 'No valid token. Run `agent-console open`.' };

export interface Fixture {
  port: number;
  server: Server;
  surface: WebSocketSurface;
  tokens: Map<string, Caller>;
  typed: { inputId: string; text: string }[];
  sizes: [number, number][];
  sessions: Session[];
  bugs: unknown[];
  /** Inputs wait for `gate`, if it is set, before they reach the terminal. */
  typing: { gate: Promise<void> | undefined };
  emit(type: EventRow['type'], subjectId: string, at?: Date, data?: EventRow['data']): number;
  forgetEventsUpTo(seq: number): void;
  /** Number of listeners for committed events. */
  listening(): number;
  connect(path: string, options?: { token?: string; origin?: string; headers?: Record<string, string> }): Client;
  close(): Promise<void>;
}

/** A console with only its WebSockets and event stream, for the worker of `runner`. Events are kept in memory. */
export async function createFixture(
  runner: Runner & { workerId: string },
  timing: { heartbeatMs?: number; authMs?: number; settleMs?: number } = {},
): Promise<Fixture> {
  let rows: EventRow[] = [];
  let seq = 0;
  const store = {
    find: async ({ seq: after }: { seq: { above: number } }, { limit }: { limit: number }) =>
      rows.filter((row) => row.seq > after.above).slice(0, limit),
    first: async () => rows[0],
  } as unknown as StoreReader<EventRow>;
  const hub = createEventHub(store, 0, toPublicEvent);
  let listeners = 0;
  const events: typeof hub = {
    ...hub,
    onEvents(listener) {
      const stop = hub.onEvents(listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        stop();
      };
    },
  };
  const tokens = new Map<string, Caller>([
    [OWNER_TOKEN, owner],
    [WATCHER_TOKEN, watcher],
  ]);
  const sessions: Session[] = [];
  const typed: Fixture['typed'] = [];
  const sizes: Fixture['sizes'] = [];
  const bugs: unknown[] = [];
  const typing: Fixture['typing'] = { gate: undefined };

  const identity: Identity = {
    async identify({ headers }) {
      return tokens.get(headers.authorization?.replace('Bearer ', '') ?? '') ?? stranger;
    },
    identifyToken: async (token) => tokens.get(token) ?? stranger,
    isOwnUser: async () => false,
    isOtherUser: async () => false,
  };
  const gate = {
    mayCall: () => true,
    async run(name: string, input: { limit: number; skip?: number }, call: Call) {
      if (call.caller.kind === 'nobody') throw new ConsoleError('UNAUTHENTICATED', call.caller.reason);
      if (name === 'orchestrations.get') return { id: 'o', state: 'running' };
      if (name === 'events.list' || name === 'orchestrations.events') return { total: 0, limit: 1, skip: 0, data: [] };
      const { limit, skip = 0 } = input;
      return { total: sessions.length, limit, skip, data: sessions.slice(skip, skip + limit) };
    },
  } as unknown as Gate;
  const terminals: Terminals = {
    async open(caller, sessionId, workerId) {
      if (!SESSION.startsWith(sessionId) || !runner.workerId.startsWith(workerId)) {
        throw new ConsoleError('NOT_FOUND', `Worker ${workerId} not found`);
      }
      return { worker: { id: runner.workerId, type: 'agent' } as Worker, canType: caller.kind === 'user' };
    },
    async type(_workerId, inputId, data) {
      await typing.gate;
      typed.push({ inputId, text: data.toString() });
    },
    async resize(_workerId, cols, rows) {
      sizes.push([cols, rows]);
    },
  };

  const app = new Hono<HttpEnv>();
  const stream = mountEventStream(app, { gate, events, identify: identity.identify, heartbeatMs: 20 });
  const server = createServer(getRequestListener(app.fetch));
  const surface = createWebSocketSurface({
    gate,
    identity,
    events,
    terminals,
    streams: createOutputStreams(runner),
    guard: (request) => refusalOf(request.headers, request.url ?? '', { ports: () => [port] }),
    onBug: (error) => bugs.push(error),
    timing,
  });
  server.on('upgrade', surface.handleUpgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    server,
    surface,
    tokens,
    typed,
    sizes,
    sessions,
    bugs,
    typing,
    emit(type, subjectId, at = new Date(), data = {}) {
      seq += 1;
      const row: EventRow = {
        seq,
        at: at.toISOString(),
        type,
        subjectKind: type.startsWith('activity') ? 'worker' : 'session',
        subjectId,
        sessionId: SESSION,
        actor: 'system',
        viaSessionId: null,
        data,
      };
      rows.push(row);
      events.committed([row]);
      return seq;
    },
    listening: () => listeners,
    forgetEventsUpTo(last) {
      rows = rows.filter((row) => row.seq > last);
    },
    connect(path, { token, origin, headers = {} } = {}) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return new Client(
        new WebSocket(`ws://127.0.0.1:${port}${path}`, {
          headers: { ...headers, ...authorization, ...(origin === undefined ? {} : { origin }) },
          perMessageDeflate: false,
        }),
      );
    },
    async close() {
      stream.close();
      await surface.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Frame = Record<string, unknown> & { type: string };

/** A client of a WebSocket, which records everything it receives. */
export class Client {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly output: { offset: number; data: Buffer }[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Status and body of the response if the server refuses the upgrade. */
  readonly refused: Promise<{ status: number; body: { error: { code: string; message: string } } }>;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = new Promise((resolve) => socket.once('open', () => resolve()));
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.refused = new Promise((resolve) =>
      socket.once('unexpected-response', async (_request, response) => {
        let text = '';
        for await (const part of response) text += part;
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        socket.terminate();
      }),
    );
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      if (isBinary) this.output.push({ offset: Number(bytes.readBigUInt64BE(0)), data: bytes.subarray(8) });
      else this.frames.push(JSON.parse(bytes.toString()));
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  get received(): number {
    return this.output.reduce((sum, { data }) => sum + data.length, 0);
  }

  async send(frame: unknown): Promise<void> {
    await this.opened;
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Waits for a condition, which is checked after each frame. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async first(type: string): Promise<Frame> {
    await this.until(() => this.of(type).length > 0);
    return this.of(type)[0] as Frame;
  }
}
