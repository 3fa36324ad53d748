import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';

/** One end of a TCP connection. */
interface Endpoint {
  address: string;
  port: number;
}

/** What the kernel says of a socket. */
interface SocketOwner {
  /** Names the socket in `/proc/<pid>/fd`; 0 once nobody holds it. */
  inode: number;
  uid: number;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address that came over an IPv6 socket, as what it is; scope ids are dropped. */
function plainAddress(address: string): string {
  const bare = address.split('%', 1)[0] ?? address;
  return MAPPED.exec(bare)?.[1] ?? bare.toLowerCase();
}

export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** 32-bit words stand in the tables as the machine keeps them in memory. */
function word(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? [...bytes].reverse() : bytes;
  return ordered.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::') as [string, string?];
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const front = parse(head);
  if (tail === undefined) return front;
  const back = parse(tail);
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function hexOf(address: string): string {
  if (isIPv4(address)) return word(address.split('.').map(Number)).toUpperCase();
  const bytes = groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]);
  return [0, 4, 8, 12]
    .map((at) => word(bytes.slice(at, at + 4)))
    .join('')
    .toUpperCase();
}

/** `address:port` as `/proc/net/tcp` (IPv4) or `tcp6` writes it. */
function columnOf({ address, port }: Endpoint, table: 'tcp' | 'tcp6'): string {
  const hex = hexOf(address);
  const mapped =
    table === 'tcp6' && isIPv4(address) ? `${'0'.repeat(16)}${word([0, 0, 0xff, 0xff]).toUpperCase()}${hex}` : hex;
  return `${mapped}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Reads one line of the tables: `sl local remote state queues timer retransmits uid timeout inode …`. */
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
 * Reads a file anew for whoever asks. Those who ask while it is being read share the next read, which begins after the
 * last of them asked: with thousands of sockets the tables are megabytes, and one read for each caller would be all the
 * server does.
 */
function sharedRead(path: string): () => Promise<string> {
  let waiting: ((text: string) => void)[] = [];
  let running = false;
  const work = async () => {
    running = true;
    while (waiting.length > 0) {
      const round = waiting;
      waiting = [];
      const text = await readFile(path, 'latin1').catch(() => '');
      for (const resolve of round) resolve(text);
    }
    running = false;
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!running) void work();
    });
}

/**
 * Finds the socket whose own end is `local` and whose other end is `remote`, among IPv4 sockets and IPv6 ones (an IPv6
 * socket may talk IPv4). Undefined when there is none, or it is in another network namespace.
 */
export type FindSocket = (local: Endpoint, remote: Endpoint) => Promise<SocketOwner | undefined>;

/** `proc` is where the process file system is mounted. */
export function createSocketFinder(proc: string): FindSocket {
  const tables = { tcp: sharedRead(`${proc}/net/tcp`), tcp6: sharedRead(`${proc}/net/tcp6`) };
  return async (local, remote) => {
    const here = { address: plainAddress(local.address), port: local.port };
    const there = { address: plainAddress(remote.address), port: remote.port };
    for (const table of isIPv4(here.address) ? (['tcp', 'tcp6'] as const) : (['tcp6'] as const)) {
      const owner = ownerIn(await tables[table](), columnOf(here, table), columnOf(there, table));
      if (owner !== undefined) return owner;
    }
    return undefined;
  };
}
