import type { HeldPort, InheritedListener } from '../messages.ts';
import { type BoundSocket, isPortTaken, openSockets } from './sockets.ts';

const LOOPBACK = ['127.0.0.1', '::1'];
/** A port that is free for IPv4 may be taken for IPv6: another one is tried this often. */
const FREE_PORT_TRIES = 20;

type Sockets = Map<string, BoundSocket>;

export interface PortUsers {
  /** Ids of living workers that were told this port. */
  toldWorkers(port: number): string[];
  closed(port: number): void;
}

/**
 * The listening sockets. They are only bound here; the server listens on them through inherited descriptors. Since a
 * socket listens for as long as anybody holds it, callers wait in its backlog while the server is away.
 */
export class HeldPorts {
  readonly #users: PortUsers;
  readonly #held = new Map<number, Sockets>();
  #primary: number | null = null;
  /** Bound for a server that is about to become the present one. */
  #reserved: number | null = null;

  constructor(users: PortUsers) {
    this.#users = users;
  }

  /** The port of the present server, or of the last one while it is started again. */
  get primary(): number | null {
    return this.#primary;
  }

  get list(): HeldPort[] {
    return [...this.#held.keys()].map((port) => ({
      port,
      hosts: this.hostsOf(port),
      primary: port === this.#primary,
      workers: this.#users.toldWorkers(port),
    }));
  }

  hostsOf(port: number): string[] {
    return [...(this.#held.get(port)?.keys() ?? [])];
  }

  /**
   * Binds what a server wants and answers with the port, kept until the next `setPrimary`; what is held already is
   * used again.
   * @param host an address, or null for the loopback addresses of this machine.
   * @param port 0 for a free one.
   * @throws CONFLICT when another program has the port, VALIDATION for something that is no address of this machine.
   */
  bind(host: string | null, port: number): number {
    const hosts = hostsFor(host);
    const bound = port === 0 ? this.#bindFree(hosts) : this.#bindGiven(hosts, port);
    this.#reserved = bound;
    return bound;
  }

  /**
   * The same for a port that we hold on other addresses which stand in the way (127.0.0.1 before 0.0.0.0): these are
   * given up first. No server may be listening on them. @throws as `bind`; then the old addresses are held again.
   */
  bindInstead(host: string | null, port: number): number {
    const before = this.hostsOf(port);
    this.#close(port);
    try {
      return this.bind(host, port);
    } catch (error) {
      this.#held.set(port, openSockets(before, port).sockets);
      throw error;
    }
  }

  setPrimary(port: number | null): void {
    this.#primary = port;
    this.#reserved = null;
    this.releaseUnused();
  }

  /** Closes ports that neither the server nor any living worker needs. */
  releaseUnused(): void {
    for (const port of [...this.#held.keys()]) {
      if (port === this.#primary || port === this.#reserved || this.#users.toldWorkers(port).length > 0) continue;
      this.#close(port);
      this.#users.closed(port);
    }
  }

  /** What a new server inherits: the descriptors in order, and their description, numbered from `firstFd`. */
  inheritance(firstFd: number): { fds: number[]; listeners: InheritedListener[] } {
    const fds: number[] = [];
    const listeners: InheritedListener[] = [];
    for (const [port, sockets] of this.#held) {
      for (const [host, socket] of sockets) {
        listeners.push({ fd: firstFd + fds.length, host, port, primary: port === this.#primary });
        fds.push(socket.fd);
      }
    }
    return { fds, listeners };
  }

  #bindFree(hosts: string[]): number {
    for (let left = FREE_PORT_TRIES; ; left -= 1) {
      try {
        const { port, sockets } = openSockets(hosts, 0);
        this.#held.set(port, sockets);
        return port;
      } catch (error) {
        if (left === 0 || !isPortTaken(error)) throw error;
      }
    }
  }

  #bindGiven(hosts: string[], port: number): number {
    const held = this.#held.get(port);
    const missing = hosts.filter((host) => held?.has(host) !== true);
    const { sockets } = openSockets(missing, port);
    this.#held.set(port, new Map([...(held ?? []), ...sockets]));
    return port;
  }

  #close(port: number): void {
    for (const socket of this.#held.get(port)?.values() ?? []) socket.close();
    this.#held.delete(port);
  }
}

function hostsFor(host: string | null): string[] {
  return host === null || host === 'localhost' ? LOOPBACK : [host];
}
