import { type ChildProcess, spawn } from 'node:child_process';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { COMMAND_OUTPUT_MAX_BYTES } from '@agent-console/shared/limits/worktrees';
import type { Host } from '../ports/host.ts';

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
 * Runs a repository's setup, cleanup or check command with `sh -c` in its own process group. After a timeout or an
 * abort of `cancelled`, the group gets SIGTERM and later SIGKILL.
 */
export const runCommand: Host['runCommand'] = (worktree, { command, env, limitMs, cancelled }) =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: worktree.path,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = tailOf(child);
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
      resolve({ exitCode, signal, timedOut, output: output() + more });
    };
    child.on('error', (error) => finish(127, null, error.message));
    // Waits for 'exit' instead of 'close', because a background child that holds the pipes open must not delay the
    // result.
    child.on('exit', (exitCode, signal) => finish(exitCode, signal));
  });
