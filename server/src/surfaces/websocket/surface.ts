import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CLOSE } from '@agent-console/shared/close-codes';
import { ConsoleError } from '@agent-console/shared/errors';
import { BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import {
  ACTIVITY_SETTLE_MS,
  HEARTBEAT_MS,
  LIVE_CONNECTIONS_MAX,
  SOCKET_AUTH_MS,
  UNIDENTIFIED_SOCKETS_OTHERS_MAX,
} from '@agent-console/shared/limits/connections';
import { AuthFrame } from '@agent-console/shared/wire';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../../domain/caller.ts';
import type { Gate } from '../../operations/operation.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Identity } from '../../ports/identity.ts';
import type { OutputStreams, Terminals } from '../../ports/terminals.ts';
import { createAccessMonitor } from '../http/access-monitor.ts';
import { connectionOf, evidenceOf } from '../http/context.ts';
import { answerRaw } from '../http/raw-answer.ts';
import { createUnidentified } from '../http/unidentified.ts';
import { serveApp } from './app-socket.ts';
import { asConsoleError, Connection } from './connection.ts';
import { Drivers } from './drivers.ts';
import { type Route, routeOf } from './routes.ts';
import { createViewers } from './viewers.ts';
import { serveWorker } from './worker-socket.ts';

export interface WebSocketSurfaceParts {
  gate: Gate;
  identity: Identity;
  events: EventHub;
  terminals: Terminals;
  streams: OutputStreams;
  /** Returns an error if the headers or the target of the request are not allowed. */
  guard(request: IncomingMessage): ConsoleError | null | undefined;
  /** Receives every error that is not a ConsoleError and therefore a bug. */
  onBug?(error: unknown): void;
  /** Called with the socket of each connection whose caller was identified. */
  onIdentified?(connection: object): void;
  /** Durations in milliseconds that replace the default ones. */
  timing?: { heartbeatMs?: number; authMs?: number; settleMs?: number };
}

export interface WebSocketSurface {
  /** Handles the `upgrade` event of an HTTP server. Answers every request, even a rejected one. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  count(): number;
  /** Closes all connections. Resolves when the last connection is gone. */
  close(): Promise<void>;
}

/** Serves `/ws/app` and `/ws/session/:sessionId/worker/:workerId`. */
export function createWebSocketSurface(parts: WebSocketSurfaceParts): WebSocketSurface {
  const { heartbeatMs = HEARTBEAT_MS, authMs = SOCKET_AUTH_MS, settleMs = ACTIVITY_SETTLE_MS } = parts.timing ?? {};
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: BODY_MAX_BYTES,
  });
  const drivers = new Drivers();
  const connections = new Set<Connection>();
  /** Connections of identified callers. Only these connections get heartbeats. */
  const identifiedConnections = new Set<Connection>();
  const sockets = new WeakMap<Connection, Socket>();
  const unidentified = createUnidentified<Connection>({
    max: { own: LIVE_CONNECTIONS_MAX, others: UNIDENTIFIED_SOCKETS_OTHERS_MAX },
    async isOwnUser(connection) {
      const socket = sockets.get(connection);
      return socket !== undefined && parts.identity.isOwnUser(connectionOf(socket));
    },
    drop: (connection) => connection.close(CLOSE.tryAgain, 'too many connections of unidentified callers'),
  });
  let closing = false;

  const viewers = createViewers(parts.events);
  const accessMonitor = createAccessMonitor(parts.events, (error) => parts.onBug?.(error), heartbeatMs);
  const heartbeat = setInterval(() => {
    for (const connection of identifiedConnections) connection.beat();
  }, heartbeatMs);
  heartbeat.unref();

  /** Closes a connection when its caller loses access, for example because a token is revoked or a worker ends. */
  function closeWhenAccessEnds(connection: Connection, { caller, recheck }: Identified): void {
    const end = (reason: string) => connection.fail(new ConsoleError('UNAUTHENTICATED', reason));
    connection.signal.addEventListener('abort', accessMonitor.watch({ caller, recheck, end }));
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = parts.guard(request);
    if (refusal != null) throw refusal;
    const route = routeOf(request.url ?? '');
    if (closing) throw new ConsoleError('BUSY', 'The console is restarting. Try again in a second.');
    const identified = await identifyByRequest(request);
    if (identified !== undefined && identifiedConnections.size >= LIVE_CONNECTIONS_MAX) throw tooManyConnections();
    if (socket.destroyed) return;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      void serve(webSocket, request.socket, route, identified);
    });
  }

  /**
   * Identifies the caller by the upgrade request. Resolves to undefined for a browser, which identifies itself in its
   * first frame.
   * @throws UNAUTHENTICATED if any other caller cannot be identified.
   */
  async function identifyByRequest(request: IncomingMessage): Promise<Identified | undefined> {
    const { authorization, origin } = request.headers;
    if (authorization === undefined && origin !== undefined) return undefined;
    const evidence = evidenceOf(request);
    const recheck = () => parts.identity.identify(evidence);
    return { caller: requireIdentity(await recheck()), recheck };
  }

  async function serve(
    webSocket: WebSocket,
    socket: Socket,
    route: Route,
    known: Identified | undefined,
  ): Promise<void> {
    const connection = new Connection(webSocket);
    connections.add(connection);
    connection.signal.addEventListener('abort', () => {
      connections.delete(connection);
      identifiedConnections.delete(connection);
      unidentified.remove(connection);
    });
    try {
      if (known === undefined) {
        sockets.set(connection, socket);
        unidentified.add(connection);
      }
      const identified = known ?? (await identifyByFirstFrame(connection, socket));
      if (identified === undefined || connection.signal.aborted) return;
      unidentified.remove(connection);
      if (identifiedConnections.size >= LIVE_CONNECTIONS_MAX) throw tooManyConnections();
      identifiedConnections.add(connection);
      parts.onIdentified?.(socket);
      closeWhenAccessEnds(connection, identified);
      if (route.kind === 'app') {
        await serveApp(connection, identified.caller, route.after, { ...parts, settleMs });
      } else {
        await serveWorker(connection, identified.caller, route, { ...parts, drivers, viewers });
      }
    } catch (error) {
      if (connection.signal.aborted) return;
      if (!(error instanceof ConsoleError)) parts.onBug?.(error);
      connection.fail(error);
    }
  }

  async function identifyByFirstFrame(connection: Connection, socket: Socket): Promise<Identified | undefined> {
    const text = await firstFrame(connection, authMs);
    if (text === undefined) {
      connection.close(CLOSE.authTimeout, 'the first frame must be {"type":"auth","token":…}');
      return undefined;
    }
    const frame = connection.parse(AuthFrame, text);
    if (frame === undefined) {
      connection.close(CLOSE.unauthenticated, 'the first frame must be {"type":"auth","token":…}');
      return undefined;
    }
    const recheck = () => parts.identity.identifyToken(frame.token, connectionOf(socket));
    return { caller: requireIdentity(await recheck()), recheck };
  }

  return {
    handleUpgrade(request, socket, head) {
      const onError = () => socket.destroy();
      socket.on('error', onError);
      upgrade(request, socket, head)
        .catch((error: unknown) => {
          if (!(error instanceof ConsoleError)) parts.onBug?.(error);
          answerRaw(socket, asConsoleError(error));
        })
        .finally(() => {
          socket.off('error', onError);
        });
    },

    count: () => connections.size,

    async close() {
      closing = true;
      clearInterval(heartbeat);
      accessMonitor.close();
      viewers.close();
      const open = [...connections];
      await Promise.all(
        open.map(
          (connection) =>
            new Promise<void>((resolve) => {
              if (connection.signal.aborted) resolve();
              else connection.signal.addEventListener('abort', () => resolve());
              connection.close(CLOSE.goingAway, 'the console is restarting');
            }),
        ),
      );
    },
  };
}

function tooManyConnections(): ConsoleError {
  return new ConsoleError('LIMIT_EXCEEDED', `${LIVE_CONNECTIONS_MAX} connections are open. Close some and try again.`);
}

interface Identified {
  caller: Caller;
  recheck: () => Promise<Caller>;
}

function requireIdentity(caller: Caller): Caller {
  if (caller.kind === 'nobody') throw new ConsoleError('UNAUTHENTICATED', caller.reason);
  return caller;
}

async function firstFrame(connection: Connection, withinMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs, undefined);
    connection.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    connection.onFrame((text) => {
      clearTimeout(timer);
      connection.queueFrames();
      resolve(text);
    });
  });
}
