import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  RESOURCES_ENVIRONMENT_MAX_BYTES,
  RESOURCES_PROCESSES_MAX,
  RESOURCES_SLICE,
} from '@agent-console/shared/limits/processes';

/** A process at one moment. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Unix session: pid of the process that called setsid. */
  session: number;
  /** Clock ticks since boot; with the pid it names the process for ever. */
  startTime: string;
  ended: boolean;
  /** CPU time of its own, in clock ticks. */
  ticks: number;
  /** CPU time of children that it has waited for, and of theirs. */
  ticksOfEnded: number;
}

/** `pid:startTime` */
export function keyOf({ pid, startTime }: Pick<ProcessEntry, 'pid' | 'startTime'>): string {
  return `${pid}:${startTime}`;
}

/** A line of `stat` has at most 52 numbers; one of `statm` seven. */
const LINE_BYTES = 2_048;

/**
 * Reads `/proc`. Each file is some 20 µs of the kernel's own work and never waits for a disk, so it is read directly,
 * a few processes at a time.
 */
export function createProcessTable(proc: string) {
  const line = Buffer.allocUnsafe(LINE_BYTES);
  let environment: Buffer | undefined;
  let pageBytes: number | undefined;

  /** Beginning of a file, undefined when the process is gone or not ours to see. */
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
    // The second field is the program's name in brackets and may hold spaces and brackets itself.
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
    /** All processes, those of other users too. Undefined when they are too many to look at. */
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
    /** Bytes in memory, in all and of these such as may be shared with other processes. */
    memoryOf(pid: number): { resident: number; shared: number } | undefined {
      pageBytes ??=
        Number(/KernelPageSize:\s*(\d+) kB/.exec(readBeginning(`${proc}/self/smaps`, line) ?? '')?.[1] ?? 4) * 1_024;
      const [, resident, shared] = readBeginning(`${proc}/${pid}/statm`, line)?.split(' ') ?? [];
      if (resident === undefined || shared === undefined) return undefined;
      return { resident: Number(resident) * pageBytes, shared: Number(shared) * pageBytes };
    },
    /** The variable `name` of the environment that it was started with; undefined when it has none. */
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
