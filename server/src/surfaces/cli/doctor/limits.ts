import { readFile } from 'node:fs/promises';
import { type Finding, ok, problem } from './finding.ts';

/**
 * Minimum value of the limit on open files. Every worker needs a terminal, a log and a socket in the runner, and the
 * same number of descriptors in the server.
 */
const OPEN_FILES_MIN = 1_024;
/** Minimum number of free terminals, the same as the default limit of live sessions. */
const TERMINALS_FREE_MIN = 50;
/**
 * Minimum number of processes that can still be started: enough for several agents with about a dozen processes and
 * threads each.
 */
const PROCESSES_FREE_MIN = 200;

/** Checks kernel limits on open files, terminals and processes. Linux only. */
export async function checkLimits(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  return (await Promise.all([openFiles(), terminals(), processes()])).flat();
}

/** Returns the number in a kernel file, Infinity for `max` and `unlimited`, or undefined if the file has no number. */
async function numberIn(path: string): Promise<number | undefined> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (text === 'max' || text === 'unlimited') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

async function openFiles(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node raises the soft limit (first column) to the hard limit (second column) when it starts, so only the hard limit
  // is checked.
  const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  if (hard === undefined) return [];
  const max = hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  if (max >= OPEN_FILES_MIN) return [ok('open files', `limit ${hard}`)];
  return [
    problem(
      'open files',
      `the limit of ${hard} open files is too low for many workers`,
      `Raise the limit: ulimit -Hn ${4 * OPEN_FILES_MIN}`,
    ),
  ];
}

async function terminals(): Promise<Finding[]> {
  const [max, used] = await Promise.all(['max', 'nr'].map((name) => numberIn(`/proc/sys/kernel/pty/${name}`)));
  if (max === undefined || used === undefined) return [];
  const detail = `${used} of ${max} in use`;
  if (max - used >= TERMINALS_FREE_MIN) return [ok('terminals', detail)];
  return [problem('terminals', detail, 'Close terminals, or raise the limit as root: sysctl kernel.pty.max=4096')];
}

async function processes(): Promise<Finding[]> {
  const [max, used] = await Promise.all(['max', 'current'].map((name) => numberIn(`/sys/fs/cgroup/pids.${name}`)));
  if (max === undefined || used === undefined || !Number.isFinite(max)) return [];
  const detail = `${used} of at most ${max} in this container`;
  if (max - used >= PROCESSES_FREE_MIN) return [ok('processes', detail)];
  return [problem('processes', detail, 'End processes, or raise the pids limit of the container.')];
}
