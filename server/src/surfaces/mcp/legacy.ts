import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  MCP_SESSION_IDLE_MS,
  MCP_SESSION_ROWS_MAX,
  MCP_SESSION_SWEEP_MS,
  MCP_SESSION_TOUCH_MS,
  MCP_SESSIONS_MAX,
} from '@agent-console/shared/limits/mcp';
import {
  type EventStore,
  isInitializeRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { withEarlierCodes } from './errors.ts';
import { type McpExchange, packExchange } from './exchange.ts';
import { cancelledId, rpcError } from './rpc.ts';
import type { BuildServer } from './server.ts';
import type { McpSessionRow, McpSessionStore } from './session-store.ts';
import { createWatchList, updateOf, type Watch, type WatchList } from './watching.ts';

interface LiveSession {
  transport: WebStandardStreamableHTTPServerTransport;
  watched: WatchList;
  open: Map<string | number, AbortController>;
  usedAt: number;
  touchedAt: number;
  /** Response with the client's GET stream. Until it is closed, the session counts as in use. */
  listening?: ServerResponse;
}

export interface LegacyOptions {
  build: BuildServer;
  store: McpSessionStore;
  watch: Watch;
  /**
   * Storage from which a client can resume the stream of a call. If it is not set, every call is answered as plain
   * JSON.
   */
  callStreams?: EventStore;
  onError: (error: unknown) => void;
  now?: () => number;
}

/** Sessions of the 2025 revisions of MCP: stored, restored after a restart, and limited in number. */
export interface LegacySessions {
  /** Answers a request of a client of the 2025 revisions. `body` is the parsed JSON of a POST. */
  handle(request: Request, body: unknown, exchange: McpExchange): Promise<Response>;
  /** Answers a message of an unidentified caller, who gets no session. Stores nothing and opens no stream. */
  handleOnce(request: Request, body: unknown, exchange: McpExchange): Promise<Response>;
  close(): Promise<void>;
}

const HEADER = 'mcp-session-id';
/** Headers of the repeated `initialize` request with which a session is restored. No client receives its response. */
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Replaces error codes of the 2026 revision, which the SDK's transport sends, by those of the 2025 revisions. */
class EarlierTransport extends WebStandardStreamableHTTPServerTransport {
  override send(...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>): Promise<void> {
    return super.send(withEarlierCodes(message), options);
  }
}

export function createLegacySessions(options: LegacyOptions): LegacySessions {
  const { build, store, onError, now = Date.now } = options;
  // Open sessions in order of their last use. If there are too many, the least recently used session without open calls
  // is closed.
  const live = new Map<string, LiveSession>();
  const restoring = new Map<string, Promise<LiveSession | undefined>>();

  const closeIdleSessions = () => {
    for (const [id, session] of [...live]) if (session.listening?.closed === false) use(id, session);
    const before = now() - MCP_SESSION_IDLE_MS;
    for (const [id, session] of live) if (session.usedAt < before) closeSession(id, session);
    store.removeIdle(new Date(before), MCP_SESSION_ROWS_MAX).catch(onError);
  };
  const timer = setInterval(closeIdleSessions, MCP_SESSION_SWEEP_MS);
  timer.unref();

  function closeSession(id: string, session: LiveSession): void {
    live.delete(id);
    session.watched.close();
    session.transport.close().catch(onError);
  }

  function addSession(id: string, session: LiveSession): void {
    live.set(id, session);
    if (live.size <= MCP_SESSIONS_MAX) return;
    const idle = [...live].find(([other, { open }]) => other !== id && open.size === 0);
    if (idle !== undefined) closeSession(...idle);
  }

  async function connect(id: string, exchange: McpExchange): Promise<LiveSession> {
    const transport = new EarlierTransport({
      sessionIdGenerator: () => id,
      // Without `callStreams`, responses are plain JSON, because a client would wait forever if the server died during
      // a streamed response.
      ...(options.callStreams === undefined ? { enableJsonResponse: true } : { eventStore: options.callStreams }),
      onsessionclosed: async () => {
        live.get(id)?.watched.close();
        live.delete(id);
        await store.remove(id);
      },
    });
    const product = build(exchange);
    await product.connect(transport);
    const server = product instanceof McpServer ? product.server : product;
    const watched = createWatchList(options.watch, (uri, changes) => {
      server.sendResourceUpdated(updateOf(uri, changes)).catch(onError);
    });
    return { transport, watched, open: new Map(), usedAt: now(), touchedAt: now() };
  }

  /** Returns a watch list that also stores the watched URIs, so that the next server can restore the session. */
  function stored(id: string, watched: WatchList): WatchList {
    return {
      ...watched,
      get uris() {
        return watched.uris;
      },
      async add(uri, caller) {
        await watched.add(uri, caller);
        await store.watch(id, watched.uris);
      },
      remove(uri) {
        watched.remove(uri);
        store.watch(id, watched.uris).catch(onError);
      },
    };
  }

  async function initialize(request: Request, body: unknown, exchange: McpExchange): Promise<Response> {
    if (!isInitializeRequest(body)) {
      return rpcError(
        400,
        -32000,
        'Bad Request: begin with initialize, then send the Mcp-Session-Id from its response.',
      );
    }
    const id = randomUUID();
    const session = await connect(id, exchange);
    session.watched = stored(id, session.watched);
    const { protocolVersion, clientInfo } = body.params;
    const response = await forward(session, request, body, exchange);
    if (!response.ok) {
      await session.transport.close();
      return response;
    }
    const at = new Date(now());
    const client = { name: clientInfo.name.slice(0, 200), version: clientInfo.version.slice(0, 200) };
    await store.save({
      id,
      protocolVersion: protocolVersion.slice(0, 50),
      client,
      watched: [],
      createdAt: at,
      usedAt: at,
    });
    addSession(id, session);
    return response;
  }

  /**
   * Restores a session of an earlier server by sending `initialize` with the client's stored name, version and protocol
   * version to a new transport.
   */
  async function restore(row: McpSessionRow, exchange: McpExchange): Promise<LiveSession | undefined> {
    const session = await connect(row.id, exchange);
    const body = {
      jsonrpc: '2.0',
      id: 'restored',
      method: 'initialize',
      params: { protocolVersion: row.protocolVersion, capabilities: {}, clientInfo: row.client },
    };
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: ACCEPT });
    const response = await forward(session, request, body, exchange);
    if (!response.ok) {
      await session.transport.close();
      return undefined;
    }
    try {
      for (const uri of row.watched) await watchAgain(session.watched, uri, exchange.caller);
    } catch (error) {
      closeSession(row.id, session);
      throw error;
    }
    // URIs that could not be watched again are removed from the database only now. If the server is killed earlier, the
    // next server still has the complete list.
    session.watched = stored(row.id, session.watched);
    if (session.watched.uris.length < row.watched.length) await store.watch(row.id, session.watched.uris);
    addSession(row.id, session);
    return session;
  }

  /**
   * Watches a resource of a restored session, unless it can no longer be watched, for example because the caller may no
   * longer read it.
   * @throws a retryable ConsoleError or an unexpected error. The session can be restored later.
   */
  async function watchAgain(watched: WatchList, uri: string, caller: Caller): Promise<void> {
    await watched.add(uri, caller).catch((error) => {
      if (!(error instanceof ConsoleError) || error.retryable) throw error;
    });
  }

  async function fromRow(id: string, exchange: McpExchange): Promise<LiveSession | undefined> {
    const row = await store.find(id);
    const known = row !== undefined && row.usedAt.getTime() >= now() - MCP_SESSION_IDLE_MS;
    return known ? restore(row, exchange) : undefined;
  }

  /**
   * Finds a session. A session from before a restart of the server is restored; several requests that arrive together
   * restore it only once.
   */
  async function find(id: string, exchange: McpExchange): Promise<LiveSession | undefined> {
    const session = live.get(id);
    if (session !== undefined) return session;
    const restored = restoring.get(id) ?? fromRow(id, exchange).finally(() => restoring.delete(id));
    restoring.set(id, restored);
    return restored;
  }

  function forward(session: LiveSession, request: Request, body: unknown, exchange: McpExchange): Promise<Response> {
    const authInfo = packExchange({ ...exchange, open: session.open, watched: session.watched });
    return session.transport.handleRequest(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
  }

  function methodNotAllowed(advice: string): Response {
    const response = rpcError(405, -32000, `Method not allowed: ${advice}`);
    response.headers.set('Allow', 'POST');
    return response;
  }

  function use(id: string, session: LiveSession): void {
    session.usedAt = now();
    live.delete(id);
    live.set(id, session);
    if (session.usedAt - session.touchedAt < MCP_SESSION_TOUCH_MS) return;
    session.touchedAt = session.usedAt;
    store.touch(id, new Date(session.usedAt)).catch(onError);
  }

  return {
    async handle(request, body, exchange) {
      const id = request.headers.get(HEADER);
      if (id === null) {
        return request.method === 'POST'
          ? initialize(request, body, exchange)
          : methodNotAllowed('send an initialize request with POST first.');
      }
      const session = await find(id, exchange);
      if (session === undefined) return rpcError(404, -32001, 'Session not found: initialize again.');
      use(id, session);
      const cancelled = session.open.get(cancelledId(body) ?? '');
      if (cancelled !== undefined) {
        // Stops waiting for the cancelled call's result. Otherwise its request would stay open until the client exits.
        cancelled.abort();
        return new Response(null, { status: 202 });
      }
      const response = await forward(session, request, body, exchange);
      if (request.method === 'GET' && response.ok) {
        session.listening = exchange.outgoing;
        // The client did not listen until now, so every watched resource may have changed in the meantime.
        session.watched.notifyAll();
      }
      return response;
    },
    async handleOnce(request, body, exchange) {
      if (request.method !== 'POST')
        return methodNotAllowed('streams and MCP sessions require an identified caller. Send a token.');
      const transport = new EarlierTransport({ enableJsonResponse: true });
      const product = build(exchange);
      const watched = createWatchList(options.watch, () => {});
      try {
        await product.connect(transport);
        return await transport.handleRequest(request, {
          authInfo: packExchange({ ...exchange, watched }),
          parsedBody: body,
        });
      } finally {
        watched.close();
        await product.close();
      }
    },
    async close() {
      clearInterval(timer);
      for (const { watched } of live.values()) watched.close();
      await Promise.all([...live.values()].map(({ transport }) => transport.close()));
      live.clear();
    },
  };
}
