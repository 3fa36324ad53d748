import net from 'node:net';
import util from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';

/**
 * The members of Node's internal server handle that the runner uses. The runner only binds the handle, and neither
 * listens nor accepts connections on it.
 */
export interface BoundSocket {
  readonly fd: number;
  getsockname(out: { port?: number }): number;
  close(): void;
}

const { _createServerHandle: createHandle } = net as unknown as {
  /** Binds an address. Returns a handle, or a negative error number if the address cannot be bound. */
  _createServerHandle(address: string, port: number, addressType: 4 | 6): BoundSocket | number;
};

/** Errors that mean that this machine does not have the address or its address family. */
const ADDRESS_ABSENT_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL', 'EPROTONOSUPPORT']);

/**
 * Binds one port on several addresses, all or none. An absent IPv6 loopback is skipped.
 * @param wanted 0 chooses a free port on the first address and uses it for all addresses.
 * @throws CONFLICT (port in use), PERMISSION_DENIED (port reserved), VALIDATION (not an address of this machine).
 */
export function openSockets(hosts: string[], wanted: number): { port: number; sockets: Map<string, BoundSocket> } {
  const sockets = new Map<string, BoundSocket>();
  let port = wanted;
  try {
    for (const host of hosts) {
      const bound = openSocket(host, port);
      if (bound === undefined) continue;
      sockets.set(host, bound.socket);
      port = bound.port;
    }
  } catch (error) {
    for (const socket of sockets.values()) socket.close();
    throw error;
  }
  return { port, sockets };
}

export function isPortTaken(error: unknown): boolean {
  return error instanceof ConsoleError && error.code === 'CONFLICT';
}

function openSocket(host: string, port: number): { socket: BoundSocket; port: number } | undefined {
  const family = net.isIP(host);
  if (family !== 4 && family !== 6) throw notAnAddress(host);
  const socket = createHandle(host, port, family);
  const name: { port?: number } = {};
  // If the address is in use, the error may appear only when the socket's name is read.
  const status = typeof socket === 'number' ? socket : socket.getsockname(name);
  if (typeof socket !== 'number' && status === 0) return { socket, port: name.port ?? port };
  if (typeof socket !== 'number') socket.close();
  const reason = util.getSystemErrorName(status);
  if (host === '::1' && ADDRESS_ABSENT_CODES.has(reason)) return undefined;
  throw bindError(reason, host, port);
}

function bindError(reason: string, host: string, port: number): ConsoleError {
  const details = { host, port, reason };
  if (reason === 'EADDRINUSE') {
    const hint = 'Choose another port with --port or PORT (0 chooses a free port)';
    return new ConsoleError('CONFLICT', `Port ${port} on ${host} is used by another program. ${hint}`, details);
  }
  if (reason === 'EACCES') {
    const message = `Port ${port} is reserved for root. Choose a port above 1023`;
    return new ConsoleError('PERMISSION_DENIED', message, details);
  }
  return notAnAddress(host);
}

function notAnAddress(host: string): ConsoleError {
  const message = `${host} is not an address of this machine. Choose one of its IP addresses with --host or HOST`;
  return new ConsoleError('VALIDATION', message, { host });
}
