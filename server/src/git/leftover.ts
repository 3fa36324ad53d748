import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';

/**
 * Returns a setting that git ignores. Git processes that may write files of a checkout get it as an argument, so that
 * the console finds them after a crash of the server.
 */
export function processMark(viewsDir: string): string {
  return `agentconsole.writer=${viewsDir}`;
}

const POLL_MS = 20;
/** Maximum size of the output of `ps`, which contains the arguments of all processes. */
const LIST_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Ends git processes that an earlier server left running and that may still write files, and waits until they have
 * ended. They are recognized by the argument that `processMark` returns.
 * @throws if some still run after SIGKILL, for example because a disk does not answer
 * @param proc path at which procfs is mounted. If it does not exist, as on macOS, `ps` lists the processes.
 */
export async function endLeftovers(viewsDir: string, proc = '/proc'): Promise<void> {
  const mark = processMark(viewsDir);
  const began = Date.now();
  for (;;) {
    const found = await markedProcesses(mark, proc);
    if (found.length === 0) return;
    const elapsed = Date.now() - began;
    if (elapsed > 2 * END_GRACE_MS)
      throw new Error(`git processes of an earlier server still run: ${found.join(', ')}`);
    // SIGTERM is sent first, because it makes git delete its lock files. Each process leads a group that contains its
    // filters.
    const signal = elapsed < END_GRACE_MS ? 'SIGTERM' : 'SIGKILL';
    for (const pid of found) signalGroup(pid, signal);
    await delay(POLL_MS);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The error is ignored, because it means that the process group has already ended.
  }
}

/** Returns the pids of the processes that have `mark` as an argument and lead a process group. */
async function markedProcesses(mark: string, proc: string): Promise<number[]> {
  const names = await readdir(proc).catch(() => null);
  if (names === null) return listedByPs(mark);
  const pids = names.filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [args, stat] = await Promise.all(
        ['cmdline', 'stat'].map((name) => readFile(`${proc}/${pid}/${name}`, 'latin1').catch(() => '')),
      );
      const [, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      return args?.split('\0').includes(Buffer.from(mark).toString('latin1')) === true && group === pid;
    }),
  );
  return pids.filter((_, at) => found[at]).map(Number);
}

async function listedByPs(mark: string): Promise<number[]> {
  const args = ['-A', '-ww', '-o', 'pid=,pgid=,args='];
  const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: LIST_MAX_BYTES }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, pid, group] = /^\s*(\d+)\s+(\d+)\s/.exec(line) ?? [];
    return pid !== undefined && pid === group && line.includes(mark) ? [Number(pid)] : [];
  });
}
