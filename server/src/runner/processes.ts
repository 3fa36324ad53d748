import fs from 'node:fs';
import os from 'node:os';
import { listByPs, type ProcessStat, readByPs } from './ps.ts';

/**
 * Environment variables that reduce the memory of a process. glibc reserves memory for each thread (mallopt(3),
 * M_ARENA_MAX); a single arena saves 2 MiB per idle process.
 */
export const LOW_MEMORY_ENV = { MALLOC_ARENA_MAX: '1' };

export type { ProcessStat };

const signalNames = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]));

/** Converts a number such as `15` to `SIGTERM`. A number without a name (real-time signals) becomes `SIG<number>`. */
export function signalName(number: number): string {
  return signalNames.get(number) ?? `SIG${number}`;
}

/** Reads a process from `/proc/<pid>/stat`, or outside Linux with `ps`. Returns undefined if it does not exist. */
export function readStat(pid: number): ProcessStat | undefined {
  if (process.platform !== 'linux') return readByPs(pid);
  let text: string;
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The command name is in parentheses and may contain anything, even ") ".
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '',
    group: Number(fields[2]),
    session: Number(fields[3]),
    foreground: Number(fields[5]),
    startTime: fields[19] ?? '',
  };
}

/**
 * Returns the start time of a process as in `ProcessIdentity`. For a process that is already gone, returns the current
 * time, which differs from the start time of any later process with this pid; outside Linux, an empty text.
 */
export function startTimeOf(pid: number): string {
  const stat = readStat(pid);
  if (stat !== undefined) return stat.startTime;
  if (process.platform !== 'linux') return '';
  // Times in /proc are in ticks. There are 100 ticks per second (USER_HZ) on every Linux that Node supports.
  return String(Math.floor(os.uptime() * 100));
}

/** Whether the process with this pid and start time exists and has not ended. */
export function isRunning({ pid, startTime }: { pid: number; startTime: string }): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTime === startTime && stat.state !== 'Z' && stat.state !== 'X';
}

/**
 * Returns the id of the current boot. Start times are relative to the boot, so they identify a process only together
 * with this id. Empty if the system has no boot id.
 */
export function bootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function bySession(stats: readonly ProcessStat[]): Map<number, ProcessStat[]> {
  const sessions = new Map<number, ProcessStat[]>();
  for (const stat of stats) {
    const members = sessions.get(stat.session);
    if (members === undefined) sessions.set(stat.session, [stat]);
    else members.push(stat);
  }
  return sessions;
}

let shared: Promise<Map<number, ProcessStat[]>> | undefined;

/**
 * Returns the living members of a Unix session, whatever their process group. Calls in one turn of the event loop share
 * a list of all processes, because many sessions may end at once.
 */
export async function sessionMembers(session: number): Promise<ProcessStat[]> {
  shared ??= new Promise((resolve) => {
    setImmediate(() => {
      shared = undefined;
      resolve(livingProcesses().then(bySession));
    });
  });
  return (await shared).get(session) ?? [];
}

/** Returns the ids of the Unix sessions that still have a living process. */
export async function livingSessions(): Promise<Set<number>> {
  return new Set((await livingProcesses()).map((stat) => stat.session));
}

async function livingProcesses(): Promise<ProcessStat[]> {
  const all = process.platform === 'linux' ? listProc() : await listByPs();
  return all.filter(({ state }) => state !== 'Z' && state !== 'X');
}

function listProc(): ProcessStat[] {
  let names: string[];
  try {
    names = fs.readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readStat(Number(name)) ?? []);
}

/** Sends a Unix signal and returns whether a process received it. A negative pid is a process group, as in kill(2). */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
