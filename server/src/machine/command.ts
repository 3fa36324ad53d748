import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { COMMAND_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/worktrees';
import type { Host } from '../ports/host.ts';
import { endRecorded, type ProcessReader, recordProcess } from './recorded-process.ts';

/** Collects the output of a command. The returned function returns the last COMMAND_OUTPUT_MAX_BYTES of the output. */
function tailOf(child: ChildProcess): () => string {
  let tail = Buffer.alloc(0);
  const add = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-COMMAND_OUTPUT_MAX_BYTES);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => tail.toString('utf8');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The error is ignored, because it means that the process group has already ended.
  }
}

/**
 * Creates the functions that run the setup and cleanup commands of repositories, and end those that an earlier server
 * left running. While a command runs, a file in `<home>/commands` contains its pid.
 */
export function createCommands(options: {
  home: string;
  processes: ProcessReader;
}): Pick<Host, 'runCommand' | 'endLeftoverCommands'> {
  const folder = join(options.home, 'commands');

  /** Stores the pid of a command, and returns a function that deletes it again. */
  function record(pid: number): () => Promise<void> {
    // Parent folders are not created, because a deleted data directory must not reappear.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, `${pid}.json`);
    recordProcess(options.processes, file, pid);
    return () => rm(file, { force: true }).catch(() => undefined);
  }

  return {
    runCommand: (worktree, spec) => run(worktree.path, spec, record),
    async endLeftoverCommands() {
      const names = await readdir(folder).catch(() => []);
      const ends = names.map(async (name) => {
        await endRecorded(options.processes, join(folder, name), END_GRACE_MS);
        await rm(join(folder, name), { force: true });
      });
      const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}

/**
 * Runs a command with `sh -c` in its own Unix session. After a timeout or an abort of `cancelled`, its process group
 * gets SIGTERM and later SIGKILL.
 */
function run(
  cwd: string,
  { command, env, limitMs, cancelled }: Parameters<Host['runCommand']>[1],
  record: (pid: number) => () => Promise<void>,
): ReturnType<Host['runCommand']> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = tailOf(child);
    let forget = async () => {};
    let timedOut = false;
    let force: NodeJS.Timeout | undefined;
    const end = () => {
      signalGroup(child, 'SIGTERM');
      force ??= setTimeout(() => signalGroup(child, 'SIGKILL'), END_GRACE_MS);
    };
    const limit = setTimeout(() => {
      timedOut = true;
      end();
    }, limitMs);
    if (cancelled?.aborted) end();
    else cancelled?.addEventListener('abort', end, { once: true });
    const finish = (exitCode: number | null, signal: string | null, more = '') => {
      clearTimeout(limit);
      cancelled?.removeEventListener('abort', end);
      clearTimeout(force);
      if (timedOut || cancelled?.aborted) signalGroup(child, 'SIGKILL');
      void forget().then(() => resolve({ exitCode, signal, timedOut, output: output() + more }));
    };
    child.on('error', (error) => finish(127, null, error.message));
    // Waits for 'exit' instead of 'close', because a background child that holds the pipes open must not delay the
    // result.
    child.on('exit', (exitCode, signal) => finish(exitCode, signal));
    try {
      if (child.pid !== undefined) forget = record(child.pid);
    } catch (error) {
      // A command whose pid cannot be stored, for example on a full disk, could not be ended after a crash.
      signalGroup(child, 'SIGKILL');
      finish(127, null, (error as Error).message);
    }
  });
}
