import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  RESOURCES_ENVIRONMENT_MAX_BYTES,
  RESOURCES_PROCESSES_MAX,
  RESOURCES_SLICE,
} from '@agent-console/shared/limits/processes';

export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Unix session, identified by the pid of the process that called setsid. */
  session: number;
  /** Start in clock ticks since boot. Together with the pid, permanently identifies the process. */
  startTime: string;
  ended: boolean;
  /** CPU time of the process itself, in clock ticks. */
  ticks: number;
  /** CPU time of ended children that the process waited for, recursively, in clock ticks. */
  ticksOfEnded: number;
}

export function keyOf({ pid, startTime }: Pick<ProcessEntry, 'pid' | 'startTime'>): string {
  return `${pid}:${startTime}`;
}

/** Size of the read buffer in bytes. A line of `stat` has at most 52 numbers, and a line of `statm` has seven. */
const LINE_BYTES = 2_048;

/**
 * Creates a reader of `/proc` that yields to other work after some files. Reading a file takes about 20 µs and never
 * waits for a disk, so each file is read synchronously.
 */
export function createProcessTable(proc: string) {
  const line = Buffer.allocUnsafe(LINE_BYTES);
  let environment: Buffer | undefined;
  let pageBytes: number | undefined;

  /** Returns the beginning of a file, or undefined if the process is gone or this server may not read the file. */
  function readBeginning(path: string, into: Buffer): string | undefined {
    let file: number | undefined;
    try {
      file = openSync(path, 'r');
      return into.toString('latin1', 0, readSync(file, into, 0, into.length, 0));
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  function entryOf(name: string): ProcessEntry | undefined {
    const text = readBeginning(`${proc}/${name}/stat`, line);
    if (text === undefined) return undefined;
    // The second field of `stat`, the name of the command in parentheses, may contain spaces and parentheses. So the
    // fields are split after the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
    const [state = '', parent, , session] = fields;
    const [own, system, endedOwn, endedSystem] = fields.slice(11, 15).map(Number);
    const startTime = fields[19];
    if (startTime === undefined || endedSystem === undefined) return undefined;
    return {
      pid: Number(name),
      parent: Number(parent),
      session: Number(session),
      startTime,
      ended: state === 'Z' || state === 'X',
      ticks: (own ?? 0) + (system ?? 0),
      ticksOfEnded: (endedOwn ?? 0) + endedSystem,
    };
  }

  return {
    /** Returns all processes of all users, or undefined if there are more than RESOURCES_PROCESSES_MAX. */
    async read(): Promise<ProcessEntry[] | undefined> {
      const names = readdirSync(proc).filter((name) => /^\d/.test(name));
      if (names.length > RESOURCES_PROCESSES_MAX) return undefined;
      const entries: ProcessEntry[] = [];
      for (const [at, name] of names.entries()) {
        if (at > 0 && at % RESOURCES_SLICE === 0) await nextTurn();
        const entry = entryOf(name);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    },
    /** Returns resident memory in bytes, and the part that may be shared with other processes. */
    memoryOf(pid: number): { resident: number; shared: number } | undefined {
      pageBytes ??=
        Number(/KernelPageSize:\s*(\d+) kB/.exec(readBeginning(`${proc}/self/smaps`, line) ?? '')?.[1] ?? 4) * 1_024;
      const [, resident, shared] = readBeginning(`${proc}/${pid}/statm`, line)?.split(' ') ?? [];
      if (resident === undefined || shared === undefined) return undefined;
      return { resident: Number(resident) * pageBytes, shared: Number(shared) * pageBytes };
    },
    /**
     * Returns the variable `name` from the environment with which the process was started, or undefined if it is not
     * set or cannot be read.
     */
    variableOf(pid: number, name: string): string | undefined {
      environment ??= Buffer.allocUnsafe(RESOURCES_ENVIRONMENT_MAX_BYTES);
      const text = readBeginning(`${proc}/${pid}/environ`, environment);
      const begin = `${name}=`;
      return text
        ?.split('\0')
        .find((each) => each.startsWith(begin))
        ?.slice(begin.length);
    },
  };
}
