import type { FirstProcess } from '../ports/resources.ts';
import { keyOf, type ProcessEntry } from './process-table.ts';

/**
 * Creates a function that assigns processes to workers. A process never changes its worker. A worker's first process
 * leads a Unix session: its members belong to the worker, and so do their descendants in other Unix sessions. A daemon
 * leaves the Unix session and becomes a child of init. For such a process, `workerOf` returns the worker named in the
 * environment of the process. `workerOf` is called only once per process.
 */
export function createProcessOwners(workerOf: (pid: number) => string | undefined) {
  /**
   * Result of the previous call: the worker of each process, by `pid:startTime`; null for a process that belongs to no
   * worker.
   */
  let known = new Map<string, string | null>();

  /** Maps each process (`pid:startTime`) to its worker. The map does not contain processes without a worker. */
  return (entries: readonly ProcessEntry[], workers: readonly FirstProcess[]): ReadonlyMap<string, string> => {
    const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
    const leaders = new Map<number, string>();
    for (const { workerId, pid, startTime } of workers) {
      const first = byPid.get(pid);
      // If the first process has ended, its pid still identifies the Unix session of the worker: Linux does not reuse
      // the pid while the session has members.
      if (first === undefined || first.startTime === startTime) leaders.set(pid, workerId);
    }
    const ids = new Set(workers.map(({ workerId }) => workerId));
    const found = new Map<string, string | null>();

    function ownerByEnvironment(entry: ProcessEntry, parent: ProcessEntry | undefined): string | null {
      // The parent process belongs to no worker, so its whole Unix session belongs to none. A process in another Unix
      // session may be a worker's daemon, so its environment is read.
      if (parent !== undefined && parent.session === entry.session) return null;
      return workerOf(entry.pid) ?? null;
    }

    function ownerOf(entry: ProcessEntry): string | null {
      const key = keyOf(entry);
      const before = found.get(key);
      if (before !== undefined) return before;
      // Pids may be reused while the table is read, so the parents may form a cycle. This entry ends the recursion.
      found.set(key, null);
      const parent = byPid.get(entry.parent);
      const owner =
        leaders.get(entry.session) ??
        known.get(key) ??
        (parent === undefined ? null : ownerOf(parent)) ??
        (known.has(key) ? null : ownerByEnvironment(entry, parent));
      found.set(key, owner);
      return owner;
    }

    for (const entry of entries) ownerOf(entry);
    known = found;
    return new Map([...found].filter((each): each is [string, string] => each[1] !== null && ids.has(each[1])));
  };
}
