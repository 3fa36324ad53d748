import { readdir, readlink } from 'node:fs';
import { PEER_SCAN_PROCESSES } from '@agent-console/shared/limits/access';

/** A process that has a socket open, and the socket's file descriptor in that process. */
export interface Holder {
  pid: number;
  fd: string;
}

interface Request {
  inode: number;
  resolve: (holders: Holder[]) => void;
}

/**
 * Creates a function that returns the processes that have a socket open. The function scans every process that the
 * server may inspect, which takes about 4 ms for 75 processes. Concurrent requests share a scan that starts after all
 * of them arrived, so that it finds all their sockets.
 */
export function createHolderScan(proc: string): (inode: number) => Promise<Holder[]> {
  let pending: Request[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      const found = await scan(proc, new Set(batch.map(({ inode }) => `socket:[${inode}]`)));
      for (const { inode, resolve } of batch) resolve(found.get(`socket:[${inode}]`) ?? []);
    }
    running = false;
  }

  return (inode) =>
    new Promise((resolve) => {
      pending.push({ inode, resolve });
      // The scan starts on the next turn of the event loop, so that requests that arrived together share it.
      if (!running) {
        running = true;
        setImmediate(() => void drain());
      }
    });
}

function list(path: string): Promise<string[]> {
  return new Promise((resolve) => readdir(path, (error, names) => resolve(error ? [] : names)));
}

/**
 * Returns the names of the symbolic links in `folder` that point to one of `targets`. Uses callbacks, because there are
 * thousands of links and a promise costs more than reading a link.
 */
function linksAmong(folder: string, names: readonly string[], targets: ReadonlySet<string>) {
  return new Promise<[name: string, target: string][]>((resolve) => {
    const matches: [string, string][] = [];
    let remaining = names.length;
    if (remaining === 0) resolve(matches);
    for (const name of names) {
      readlink(`${folder}/${name}`, (error, target) => {
        if (!error && targets.has(target)) matches.push([name, target]);
        remaining -= 1;
        if (remaining === 0) resolve(matches);
      });
    }
  });
}

async function scan(proc: string, targets: ReadonlySet<string>): Promise<Map<string, Holder[]>> {
  const found = new Map<string, Holder[]>();
  const pids = (await list(proc)).filter((name) => /^\d+$/.test(name)).values();
  const worker = async () => {
    for (const pid of pids) {
      const folder = `${proc}/${pid}/fd`;
      for (const [fd, target] of await linksAmong(folder, await list(folder), targets)) {
        const holders = found.get(target) ?? [];
        holders.push({ pid: Number(pid), fd });
        found.set(target, holders);
      }
    }
  };
  await Promise.all(Array.from({ length: PEER_SCAN_PROCESSES }, worker));
  return found;
}

/** Whether the process still has the socket open at the same file descriptor. */
export function stillHolds(proc: string, { pid, fd }: Holder, inode: number): Promise<boolean> {
  return new Promise((resolve) => {
    readlink(`${proc}/${pid}/fd/${fd}`, (error, target) => resolve(!error && target === `socket:[${inode}]`));
  });
}
