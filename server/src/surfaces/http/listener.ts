import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  KEEP_ALIVE_LEAVE_MS,
  KEEP_ALIVE_MS,
  REQUEST_CHECK_MS,
  REQUEST_HEADERS_MS,
  REQUEST_MAX_MS,
  UNIDENTIFIED_CONNECTIONS_OTHERS_MAX,
  UNIDENTIFIED_CONNECTIONS_OWN_MAX,
} from '@agent-console/shared/limits/connections';
import { getRequestListener, RequestError } from '@hono/node-server';
import { answerRaw } from './raw-answer.ts';
import { errorResponse } from './respond.ts';
import { createUnidentified, type UnidentifiedLimits } from './unidentified.ts';

export interface ListenerOptions {
  fetch: Parameters<typeof getRequestListener>[0];
  /** Whether the other end of a connection belongs to a process of the server's own Unix user. */
  isOwnUser(socket: Socket): Promise<boolean>;
  /** Receives every error that is not a ConsoleError, because only a bug causes such an error. */
  onBug(error: unknown, requestId: string): void;
  /** Limits that replace the default ones. */
  limits?: Partial<{ headersMs: number; requestMs: number; checkMs: number; unidentified: UnidentifiedLimits }>;
}

/** HTTP servers that share one limit for connections of unidentified callers. */
export interface Listener {
  /** Creates one more HTTP server. It accepts no connections until the caller calls its `listen`. */
  createServer(): Server;
  /**
   * Reports that an identified caller has sent a request on this connection, which then no longer counts as
   * unidentified.
   */
  identified(connection: object): void;
  /** Returns the number of connections without a request from an identified caller. */
  unidentified(): number;
  /**
   * Stops accepting connections. Every further response announces that its connection closes, so that callers stop
   * using it. Resolves when all connections are closed, or after KEEP_ALIVE_LEAVE_MS.
   */
  leave(servers: readonly Server[]): Promise<void>;
}

/**
 * Creates HTTP servers that limit how long a request may take to arrive. Requests that Node's parser rejects get the
 * same error body as other failed requests. Responses have no time limit here, because streams and waiting calls may
 * take long.
 */
export function createListener({ fetch, isOwnUser, onBug, limits = {} }: ListenerOptions): Listener {
  const headersMs = limits.headersMs ?? REQUEST_HEADERS_MS;
  const requestMs = limits.requestMs ?? REQUEST_MAX_MS;
  const connections = createUnidentified<Socket>({
    max: limits.unidentified ?? {
      own: UNIDENTIFIED_CONNECTIONS_OWN_MAX,
      others: UNIDENTIFIED_CONNECTIONS_OTHERS_MAX,
    },
    isOwnUser,
    drop: (socket) => socket.destroy(),
  });
  const open = new Map<Duplex, ServerResponse | undefined>();
  let leaving: { gone: () => void } | undefined;

  const answer = getRequestListener(fetch, {
    errorHandler(error) {
      const requestId = randomUUID();
      if (error instanceof RequestError) return errorResponse(invalidRequest(error.message), requestId);
      onBug(error, requestId);
      return errorResponse(error, requestId);
    },
  });

  function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const begun = open.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent === true) {
      socket.destroy();
      return;
    }
    const [refusal, status] = refusalOf(error, requestMs);
    answerRaw(socket, refusal, status);
  }

  return {
    createServer() {
      const server = createServer(
        {
          headersTimeout: headersMs,
          requestTimeout: requestMs,
          connectionsCheckingInterval: limits.checkMs ?? REQUEST_CHECK_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
          // Node's own check is disabled, because the guard rejects a missing Host header with a better message.
          requireHostHeader: false,
        },
        (incoming: IncomingMessage, outgoing: ServerResponse) => {
          open.set(incoming.socket, outgoing);
          if (leaving !== undefined) outgoing.setHeader('Connection', 'close');
          return answer(incoming, outgoing);
        },
      );
      server.on('connection', (socket) => {
        open.set(socket, undefined);
        connections.add(socket);
        socket.once('close', () => {
          open.delete(socket);
          connections.remove(socket);
          if (open.size === 0) leaving?.gone();
        });
      });
      server.on('clientError', refuse);
      return server;
    },
    identified: (connection) => connections.remove(connection as Socket),
    unidentified: () => connections.size,
    async leave(servers) {
      // The `close` method of `http` servers would also close idle connections, which a caller may be about to reuse.
      for (const server of servers) TcpServer.prototype.close.call(server);
      const left = new Promise<void>((resolve) => {
        leaving = { gone: resolve };
      });
      for (const outgoing of open.values()) {
        if (outgoing?.headersSent === false) outgoing.setHeader('Connection', 'close');
      }
      if (open.size === 0) return;
      const timeout = new AbortController();
      await Promise.race([left, delay(KEEP_ALIVE_LEAVE_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
      timeout.abort();
    },
  };
}

function invalidRequest(why: string): ConsoleError {
  return new ConsoleError('VALIDATION', `This request cannot be parsed (${why}). Send a valid HTTP/1.1 request.`);
}

/** Returns the ConsoleError and the HTTP status for an error of Node's HTTP parser. */
function refusalOf(
  error: NodeJS.ErrnoException & { reason?: unknown },
  requestMs: number,
): [error: ConsoleError, status: number] {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers of this request are larger than ${maxHeaderSize} bytes. Send fewer or shorter ones.`;
    return [new ConsoleError('TOO_LARGE', message, { limitBytes: maxHeaderSize }), 431];
  }
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return [new ConsoleError('TOO_LARGE', 'The chunk extensions of this request are too large. Leave them out.'), 413];
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const message = `The request was not complete within ${requestMs / 1000} s. Send it again.`;
    return [new ConsoleError('TIMEOUT', message), 408];
  }
  return [invalidRequest(typeof error.reason === 'string' ? error.reason : error.message), 400];
}
