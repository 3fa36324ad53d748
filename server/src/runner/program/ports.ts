import type { InheritedListener, ListeningPort } from '../messages.ts';
import { type BoundSocket, isPortTaken, openSockets } from './sockets.ts';

const LOOPBACK = ['127.0.0.1', '::1'];
/** Maximum number of further attempts, after the first one, to find a port that is free for both IPv4 and IPv6. */
const FREE_PORT_TRIES = 20;

type Sockets = Map<string, BoundSocket>;

export interface PortUsers {
  /** Returns the ids of living workers that were started with this port. */
  workersUsing(port: number): string[];
  closed(port: number): void;
}

/**
 * The listening sockets. The runner only binds them; the server listens on them through inherited descriptors. A socket
 * listens for as long as any process has it open. So while the server is down, clients wait in the socket's backlog.
 */
export class ListeningPorts {
  readonly #users: PortUsers;
  readonly #bound = new Map<number, Sockets>();
  #primary: number | null = null;
  /** Port bound for a server that is about to become the current server. */
  #reserved: number | null = null;

  constructor(users: PortUsers) {
    this.#users = users;
  }

  /** The port of the current server. During a restart, the port of the previous server. */
  get primary(): number | null {
    return this.#primary;
  }

  get list(): ListeningPort[] {
    return [...this.#bound.keys()].map((port) => ({
      port,
      hosts: this.hostsOf(port),
      primary: port === this.#primary,
      workers: this.#users.workersUsing(port),
    }));
  }

  hostsOf(port: number): string[] {
    return [...(this.#bound.get(port)?.keys() ?? [])];
  }

  /**
   * Binds an address for a server and returns its port. The port stays open at least until the next `setPrimary`.
   * @param host an address, or null for the loopback addresses of this machine.
   * @param port 0 for a free one.
   * @throws CONFLICT when another program has the port, PERMISSION_DENIED for a reserved port, VALIDATION for an
   * address that does not belong to this machine.
   */
  bind(host: string | null, port: number): number {
    const hosts = hostsFor(host);
    const bound = port === 0 ? this.#bindFreePort(hosts) : this.#bindPort(hosts, port);
    this.#reserved = bound;
    return bound;
  }

  /**
   * Like `bind`, but first closes the runner's own sockets of that port, because their addresses may conflict with
   * `host` (e.g. 127.0.0.1 with 0.0.0.0). No server may be listening on them.
   * @throws the errors of `bind`, after binding the old addresses again.
   */
  bindInstead(host: string | null, port: number): number {
    const before = this.hostsOf(port);
    this.#close(port);
    try {
      return this.bind(host, port);
    } catch (error) {
      this.#bound.set(port, openSockets(before, port).sockets);
      throw error;
    }
  }

  setPrimary(port: number | null): void {
    this.#primary = port;
    this.#reserved = null;
    this.releaseUnused();
  }

  /** Closes ports that neither the server nor a living worker needs. */
  releaseUnused(): void {
    for (const port of [...this.#bound.keys()]) {
      if (port === this.#primary || port === this.#reserved || this.#users.workersUsing(port).length > 0) continue;
      this.#close(port);
      this.#users.closed(port);
    }
  }

  /**
   * Returns the sockets that a new server inherits, and a description of each one. In the server, the descriptors of
   * these sockets have the numbers from `firstFd` on.
   */
  inheritance(firstFd: number): { fds: number[]; listeners: InheritedListener[] } {
    const fds: number[] = [];
    const listeners: InheritedListener[] = [];
    for (const [port, sockets] of this.#bound) {
      for (const [host, socket] of sockets) {
        listeners.push({ fd: firstFd + fds.length, host, port, primary: port === this.#primary });
        fds.push(socket.fd);
      }
    }
    return { fds, listeners };
  }

  #bindFreePort(hosts: string[]): number {
    for (let attempts = FREE_PORT_TRIES; ; attempts -= 1) {
      try {
        const { port, sockets } = openSockets(hosts, 0);
        this.#bound.set(port, sockets);
        return port;
      } catch (error) {
        if (attempts === 0 || !isPortTaken(error)) throw error;
      }
    }
  }

  #bindPort(hosts: string[], port: number): number {
    const existing = this.#bound.get(port);
    const missing = hosts.filter((host) => existing?.has(host) !== true);
    const { sockets } = openSockets(missing, port);
    this.#bound.set(port, new Map([...(existing ?? []), ...sockets]));
    return port;
  }

  #close(port: number): void {
    for (const socket of this.#bound.get(port)?.values() ?? []) socket.close();
    this.#bound.delete(port);
  }
}

function hostsFor(host: string | null): string[] {
  return host === null || host === 'localhost' ? LOOPBACK : [host];
}
