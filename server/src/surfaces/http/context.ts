import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../../domain/caller.ts';
import type { PeerConnection, PeerEvidence } from '../../ports/identity.ts';

export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string };
}

export type HttpContext = Context<HttpEnv>;

/** Identifies the sender of a request. For a WebSocket, this is the sender of its upgrade request. */
export type Identify = (evidence: PeerEvidence) => Promise<Caller>;

/**
 * Returns the addresses of both ends of a connection, and its socket. All requests with the same socket share one
 * identification of the caller.
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

/** Returns the data of a request by which its sender can be identified. */
export function evidenceOf(incoming: IncomingMessage): PeerEvidence {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { headers, ...connectionOf(incoming.socket) };
}

/**
 * Whether the caller has disconnected. Checked before every operation that changes something. Waits for the event loop
 * first, because the server notices only then that a caller disconnected before the connection was accepted.
 */
export async function hasCallerDisconnected(incoming: IncomingMessage): Promise<boolean> {
  const { socket } = incoming;
  const hasLeft = () => (incoming.destroyed && !incoming.complete ? true : socket.destroyed || socket.readableEnded);
  // Waits until Node has read the socket again, which happens before the callback of the second `setImmediate`.
  for (let turn = 0; turn < 2 && !hasLeft(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return hasLeft();
}

/** Says whether the caller received the response of an operation. */
export interface Delivery {
  /** Resolves to true if the operation's own response was sent completely, otherwise to false. */
  delivered: Promise<boolean>;
  /** Records that the caller receives another response, for example an error, instead of the operation's own. */
  replaced(): void;
}

/** Tracks whether the caller received the complete response. If not, the caller is likely to repeat the call. */
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
