import { readFile } from 'node:fs/promises';
import { type Finding, note, ok, problem } from './finding.ts';

/** Each worker holds a terminal, a log and a socket in the runner, and as much again in the server. */
const OPEN_FILES_MIN = 1_024;
/** Terminals that should still be there for new workers: as many as live sessions are allowed by default. */
const TERMINALS_FREE_MIN = 50;
/** Watchers of files: the kernel's own defaults, below which development servers and editors fail. */
const WATCHES_MIN = 8_192;
const WATCH_INSTANCES_MIN = 128;
/** An agent is a tree of a dozen processes and threads; this many leave room for a handful. */
const PROCESSES_FREE_MIN = 200;

/** What the kernel allows this user: files, terminals, watches, processes. Linux only; elsewhere nothing is said. */
export async function examineLimits(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  return (await Promise.all([openFiles(), terminals(), watches(), processes()])).flat();
}

/** A number in a file of the kernel's; undefined where there is none, Infinity for `max` and `unlimited`. */
async function numberIn(path: string): Promise<number | undefined> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (text === 'max' || text === 'unlimited') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

async function openFiles(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node raises the first number to the second at its start.
  const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  if (hard === undefined) return [];
  const most = hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  if (most >= OPEN_FILES_MIN) return [ok('open files', `${hard} at most`)];
  return [problem('open files', `only ${hard} at most; many workers will fail`, `ulimit -Hn ${4 * OPEN_FILES_MIN}`)];
}

async function terminals(): Promise<Finding[]> {
  const [most, used] = await Promise.all(['max', 'nr'].map((name) => numberIn(`/proc/sys/kernel/pty/${name}`)));
  if (most === undefined || used === undefined) return [];
  const detail = `${used} of ${most} in use`;
  if (most - used >= TERMINALS_FREE_MIN) return [ok('terminals', detail)];
  return [problem('terminals', detail, 'Close terminals, or as root: sysctl kernel.pty.max=4096')];
}

async function watches(): Promise<Finding[]> {
  const folder = '/proc/sys/fs/inotify';
  const [files, instances] = await Promise.all(
    ['max_user_watches', 'max_user_instances'].map((name) => numberIn(`${folder}/${name}`)),
  );
  if (files === undefined || instances === undefined) return [];
  const detail = `${files} files and ${instances} watchers at most`;
  if (files >= WATCHES_MIN && instances >= WATCH_INSTANCES_MIN) return [ok('inotify', detail)];
  return [
    note(
      'inotify',
      `${detail}; development servers that agents start may fail`,
      'As root: sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512',
    ),
  ];
}

async function processes(): Promise<Finding[]> {
  const [most, used] = await Promise.all(['max', 'current'].map((name) => numberIn(`/sys/fs/cgroup/pids.${name}`)));
  if (most === undefined || used === undefined || !Number.isFinite(most)) return [];
  const detail = `${used} of ${most} that this container may have`;
  if (most - used >= PROCESSES_FREE_MIN) return [ok('processes', detail)];
  return [problem('processes', detail, 'End what is not needed, or give the container more (pids limit).')];
}
