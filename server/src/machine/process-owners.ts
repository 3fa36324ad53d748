import type { FirstProcess } from '../ports/resources.ts';
import { keyOf, type ProcessEntry } from './process-table.ts';

/** Answers the worker of each process, by `pid:startTime`; processes of no worker are missing. */
export type FindOwners = (
  entries: readonly ProcessEntry[],
  workers: readonly FirstProcess[],
) => ReadonlyMap<string, string>;

/**
 * Tells whose each process is: a worker's first process leads a Unix session, so whatever is in that session is its;
 * so is what a process of it started, even in a session of its own. A daemon leaves both behind and becomes a child of
 * init: it is known by `workerOf`, the worker named in its environment, which is asked once for each process. Whose a
 * process was, it stays.
 */
export function createProcessOwners(workerOf: (pid: number) => string | undefined): FindOwners {
  /** Null where a process is known to be nobody's. */
  let known = new Map<string, string | null>();

  return (entries, workers) => {
    const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
    const leaders = new Map<number, string>();
    for (const { workerId, pid, startTime } of workers) {
      const first = byPid.get(pid);
      // Its number is not given away while others are in its session, so these are its even after its end.
      if (first === undefined || first.startTime === startTime) leaders.set(pid, workerId);
    }
    const ids = new Set(workers.map(({ workerId }) => workerId));
    const found = new Map<string, string | null>();

    function named(entry: ProcessEntry, parent: ProcessEntry | undefined): string | null {
      // Whoever left a worker's session has, itself or by an ancestor, begun one of its own.
      if (parent !== undefined && parent.session === entry.session) return null;
      return workerOf(entry.pid) ?? null;
    }

    function ownerOf(entry: ProcessEntry): string | null {
      const key = keyOf(entry);
      const before = found.get(key);
      if (before !== undefined) return before;
      // Numbers of processes change hands while the table is read: a circle of parents must end.
      found.set(key, null);
      const parent = byPid.get(entry.parent);
      const owner =
        leaders.get(entry.session) ??
        known.get(key) ??
        (parent === undefined ? null : ownerOf(parent)) ??
        (known.has(key) ? null : named(entry, parent));
      found.set(key, owner);
      return owner;
    }

    for (const entry of entries) ownerOf(entry);
    known = found;
    return new Map([...found].filter((each): each is [string, string] => each[1] !== null && ids.has(each[1])));
  };
}
