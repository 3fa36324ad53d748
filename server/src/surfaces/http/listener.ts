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
import { newRequestId } from './context.ts';
import { answerRaw } from './raw-answer.ts';
import { errorResponse } from './respond.ts';
import { createUnidentified, type UnidentifiedLimits } from './unidentified.ts';

export interface ListenerOptions {
  fetch: Parameters<typeof getRequestListener>[0];
  /** Whether a process of our own Unix user holds the other end of a connection. */
  isOwnUser(socket: Socket): Promise<boolean>;
  /** Told of errors that are our own mistakes. */
  onBug(error: unknown, requestId: string): void;
  /** Where they differ from the product's. */
  limits?: Partial<{ headersMs: number; requestMs: number; checkMs: number; unidentified: UnidentifiedLimits }>;
}

/** HTTP servers that share one bound on connections of callers who have not shown who they are. */
export interface Listener {
  /** One more server, not listening yet. */
  createServer(): Server;
  /** Somebody we know has sent a request on this connection. */
  identified(connection: object): void;
  /** Connections on which nobody we know has sent a request. */
  unidentified(): number;
  /**
   * Accepts no connection any more, and has callers leave those they keep open: whatever is answered from now on says that its
   * connection closes. Resolves when all have gone, and after KEEP_ALIVE_LEAVE_MS in any case.
   */
  leave(servers: readonly Server[]): Promise<void>;
}

/**
 * Makes HTTP servers that wait for no request for ever, and that answer what Node's parser refuses with the body that
 * every other error has. An answer may take as long as it likes: a stream, or a call that waits, is not limited here.
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
  /** Open connections, each with the answer that is on its way. */
  const open = new Map<Duplex, ServerResponse | undefined>();
  let leaving: { gone: () => void } | undefined;

  const answer = getRequestListener(fetch, {
    errorHandler(error) {
      const requestId = newRequestId();
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
          // Our own guard refuses it, with our own words.
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
      // The one of http would also cut connections at the moment at which a caller may be using them again.
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
  return new ConsoleError('VALIDATION', `This is not a request that can be understood (${why}). Send HTTP/1.1.`);
}

/** The parser's complaint in our words, with the status that HTTP has for it. */
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
    const message = `The request was not whole in time, which is ${requestMs / 1000} s at most. Send it again.`;
    return [new ConsoleError('TIMEOUT', message), 408];
  }
  return [invalidRequest(typeof error.reason === 'string' ? error.reason : error.message), 400];
}
