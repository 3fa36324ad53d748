import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';

interface Endpoint {
  address: string;
  port: number;
}

/** The owner of a socket, as the kernel reports it. */
interface SocketOwner {
  /** Identifies the socket in `/proc/<pid>/fd`; 0 if no process has the socket open. */
  inode: number;
  uid: number;
}

const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Converts an IPv4-mapped IPv6 address to IPv4, and drops scope ids. */
function plainAddress(address: string): string {
  const withoutScope = address.split('%', 1)[0] ?? address;
  return IPV4_MAPPED.exec(withoutScope)?.[1] ?? withoutScope.toLowerCase();
}

export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** Formats a 32-bit word as `/proc/net/tcp` prints it, in the byte order of the machine. */
function word(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? [...bytes].reverse() : bytes;
  return ordered.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::') as [string, string?];
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const firstGroups = parse(head);
  if (tail === undefined) return firstGroups;
  const lastGroups = parse(tail);
  return [...firstGroups, ...new Array<number>(8 - firstGroups.length - lastGroups.length).fill(0), ...lastGroups];
}

function hexOf(address: string): string {
  if (isIPv4(address)) return word(address.split('.').map(Number)).toUpperCase();
  const bytes = groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]);
  return [0, 4, 8, 12]
    .map((at) => word(bytes.slice(at, at + 4)))
    .join('')
    .toUpperCase();
}

/** Formats `address:port` as `/proc/net/tcp` (IPv4) or `tcp6` prints it. */
function columnOf({ address, port }: Endpoint, table: 'tcp' | 'tcp6'): string {
  const hex = hexOf(address);
  const mapped =
    table === 'tcp6' && isIPv4(address) ? `${'0'.repeat(16)}${word([0, 0, 0xff, 0xff]).toUpperCase()}${hex}` : hex;
  return `${mapped}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Returns the socket's owner from its line in `/proc/net/tcp` or `tcp6`, which consists of `sl local remote state
 * queues timer retransmits uid timeout inode …`.
 */
function ownerIn(table: string, local: string, remote: string): SocketOwner | undefined {
  const at = table.indexOf(` ${local} ${remote} `);
  if (at < 0) return undefined;
  const end = table.indexOf('\n', at);
  const columns = table
    .slice(at + 1, end < 0 ? undefined : end)
    .trim()
    .split(/\s+/);
  return { uid: Number(columns[6]), inode: Number(columns[8]) };
}

/**
 * Creates a file reader that concurrent callers share. All callers that arrive during a read wait for the next read,
 * which starts after they have arrived. With thousands of sockets, `/proc/net/tcp` has megabytes, too much to read once
 * per caller.
 */
function sharedRead(path: string): () => Promise<string> {
  let pending: ((text: string) => void)[] = [];
  let running = false;
  const drain = async () => {
    running = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      const text = await readFile(path, 'latin1').catch(() => '');
      for (const resolve of batch) resolve(text);
    }
    running = false;
  };
  return () =>
    new Promise((resolve) => {
      pending.push(resolve);
      if (!running) void drain();
    });
}

/**
 * Finds the socket at the `local` end of a TCP connection (IPv4 or IPv6). Resolves to undefined if this network
 * namespace has no such socket.
 */
export type FindSocket = (local: Endpoint, remote: Endpoint) => Promise<SocketOwner | undefined>;

/** Creates a function that finds sockets in the tables of procfs. `proc` is the path where procfs is mounted. */
export function createSocketFinder(proc: string): FindSocket {
  const tables = { tcp: sharedRead(`${proc}/net/tcp`), tcp6: sharedRead(`${proc}/net/tcp6`) };
  return async (local, remote) => {
    const localEnd = { address: plainAddress(local.address), port: local.port };
    const remoteEnd = { address: plainAddress(remote.address), port: remote.port };
    for (const table of isIPv4(localEnd.address) ? (['tcp', 'tcp6'] as const) : (['tcp6'] as const)) {
      const owner = ownerIn(await tables[table](), columnOf(localEnd, table), columnOf(remoteEnd, table));
      if (owner !== undefined) return owner;
    }
    return undefined;
  };
}
