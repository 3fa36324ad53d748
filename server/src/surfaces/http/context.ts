import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../../domain/caller.ts';
import type { PeerConnection, PeerEvidence } from '../../ports/identity.ts';

/** Context of every handler. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string };
}

export type HttpContext = Context<HttpEnv>;

/** Identifies the sender of a request; for a WebSocket, of its upgrade request. */
export type Identify = (evidence: PeerEvidence) => Promise<Caller>;

/**
 * The two ends of a connection. Its key is the socket, so that requests of one keep-alive connection share a lookup.
 */
export function connectionOf(socket: Socket): PeerConnection {
  return {
    remoteAddress: socket.remoteAddress ?? '',
    remotePort: socket.remotePort ?? 0,
    localAddress: socket.localAddress ?? '',
    localPort: socket.localPort ?? 0,
    connection: socket,
  };
}

/** What a request reveals about its sender. */
export function evidenceOf(incoming: IncomingMessage): PeerEvidence {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { headers, ...connectionOf(incoming.socket) };
}

/** A new request id, for the caller and the log. */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * Whether the caller has left. A call that waited in the accept backlog while its sender gave up is read like any
 * other; the end of its connection is visible one turn of the event loop later. Everything that changes something
 * checks this first.
 */
export async function callerLeft(incoming: IncomingMessage): Promise<boolean> {
  const { socket } = incoming;
  const left = () => (incoming.destroyed && !incoming.complete ? true : socket.destroyed || socket.readableEnded);
  // The first turn ends the round in which the request was read, the second follows a read of the socket.
  for (let turn = 0; turn < 2 && !left(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return left();
}

/** The fate of an answer. */
export interface Delivery {
  /**
   * Resolves with true when the operation's own answer was sent completely, with false when it was not, or was
   * replaced.
   */
  delivered: Promise<boolean>;
  /** Records that the caller gets something else than the operation's answer. */
  replaced(): void;
}

/** Follows one response to its end, so that a repeat of a call whose answer was lost can be recognised. */
export function followDelivery(outgoing: ServerResponse): Delivery {
  let own = true;
  const delivered = new Promise<boolean>((resolve) => {
    const ended = () => resolve(own && outgoing.writableFinished);
    if (outgoing.closed) ended();
    else outgoing.once('close', ended);
  });
  return {
    delivered,
    replaced: () => {
      own = false;
    },
  };
}
