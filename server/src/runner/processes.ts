import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';

/**
 * Environment variables that reduce the memory of a process. glibc reserves memory for each thread (mallopt(3),
 * M_ARENA_MAX); a single arena saves 2 MiB per idle process.
 */
export const LOW_MEMORY_ENV = { MALLOC_ARENA_MAX: '1' };

export interface ProcessStat {
  pid: number;
  /** Process state as one letter. `Z` is a process that has ended and waits to be reaped. */
  state: string;
  group: number;
  session: number;
  /** Foreground process group of the process's terminal, or -1 without a terminal. */
  foreground: number;
  /** Start time of the process, in clock ticks since boot. */
  startTime: string;
}

const signalNames = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]));

/** Converts a number such as `15` to `SIGTERM`. A number without a name (real-time signals) becomes `SIG<number>`. */
export function signalName(number: number): string {
  return signalNames.get(number) ?? `SIG${number}`;
}

/** Reads `/proc/<pid>/stat`. Returns undefined if the process or `/proc` does not exist. */
export function readStat(pid: number): ProcessStat | undefined {
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
 * time, which differs from the start time of any later process with this pid.
 */
export function startTimeOf(pid: number): string {
  const stat = readStat(pid);
  if (stat !== undefined) return stat.startTime;
  if (process.platform !== 'linux') return startTimeByPs(pid);
  // Times in /proc are in ticks. There are 100 ticks per second (USER_HZ) on every Linux that Node supports.
  return String(Math.floor(os.uptime() * 100));
}

/** Whether the process with this pid and start time exists and has not ended. */
export function isRunning({ pid, startTime }: { pid: number; startTime: string }): boolean {
  const stat = readStat(pid);
  if (stat !== undefined) return stat.startTime === startTime && stat.state !== 'Z' && stat.state !== 'X';
  return process.platform !== 'linux' && startTime !== '' && startTimeByPs(pid) === startTime;
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

function startTimeByPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
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
 * Returns the living members of a Unix session, whatever their process group. Empty without `/proc`. Calls in one turn
 * of the event loop share a scan of `/proc`, because many sessions may end at once.
 */
export async function sessionMembers(session: number): Promise<ProcessStat[]> {
  shared ??= new Promise((resolve) => {
    setImmediate(() => {
      shared = undefined;
      resolve(bySession(livingProcesses()));
    });
  });
  return (await shared).get(session) ?? [];
}

/** Returns the ids of the Unix sessions that still have a living process. Empty without `/proc`. */
export function livingSessions(): Set<number> {
  return new Set(livingProcesses().map((stat) => stat.session));
}

function livingProcesses(): ProcessStat[] {
  let names: string[];
  try {
    names = fs.readdirSync('/proc');
  } catch {
    return [];
  }
  const living: ProcessStat[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== undefined && stat.state !== 'Z' && stat.state !== 'X') living.push(stat);
  }
  return living;
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
