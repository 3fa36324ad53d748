import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { GIT_STDERR_MAX_BYTES } from '@agent-console/shared/limits/git';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';

export interface ProcessSpec {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  input: Buffer | string | undefined;
  /** Bytes of standard output; awaited before more is read. `stop` ends the process. */
  onStdout(chunk: Buffer): Promise<void> | void | 'stop';
  onStderr: ((text: string) => void) | undefined;
}

export interface ProcessEnd {
  exitCode: number | null;
  /** The last GIT_STDERR_MAX_BYTES of error output. */
  stderr: string;
  /** Why we ended it, if we did. */
  ended: 'timeout' | 'aborted' | 'stopped' | undefined;
}

/** How long the pipes of an ended process may stay open in the hands of what it left behind, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Runs one program in a session of its own, so that it has no terminal to ask on and can be ended together with
 * whatever it started: asked first, forced after END_GRACE_MS. Answers when it is gone.
 * @throws the system's error when it cannot be started, and what `onStdout` throws.
 */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  const child = spawn(spec.file, [...spec.args], {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  await started(child);
  let ended: ProcessEnd['ended'];
  let force: NodeJS.Timeout | undefined;
  const end = (why: NonNullable<ProcessEnd['ended']>) => {
    if (ended !== undefined) return;
    ended = why;
    signalGroup(child, 'SIGTERM');
    force = setTimeout(() => signalGroup(child, 'SIGKILL'), END_GRACE_MS);
  };
  const onAbort = () => end('aborted');
  const limit = setTimeout(() => end('timeout'), spec.timeoutMs);
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  if (spec.signal?.aborted) onAbort();
  try {
    if (child.stdin !== null) {
      // A process that does not read its input to the end says so by its exit code.
      child.stdin.on('error', () => {});
      child.stdin.end(spec.input);
    }
    const exit = once(child, 'exit') as Promise<[number | null]>;
    const stderr = readTail(child.stderr, spec.onStderr);
    const stdout = readAll(child.stdout, spec.onStdout, () => end('stopped'));
    // Its failure is met below, after the process is gone.
    stdout.catch(() => end('stopped'));
    const [exitCode] = await exit;
    const linger = closeWhenQuiet(child);
    try {
      await stdout;
      return { exitCode, stderr: await stderr, ended };
    } finally {
      clearInterval(linger);
    }
  } finally {
    clearTimeout(limit);
    clearTimeout(force);
    // Its helpers (ssh, filters) had their chance to leave with it.
    if (ended !== undefined) signalGroup(child, 'SIGKILL');
    spec.signal?.removeEventListener('abort', onAbort);
  }
}

function started(child: ChildProcess): Promise<void> | void {
  if (child.pid !== undefined) {
    // Later errors of a started process concern signals to it, which it has outrun.
    child.on('error', () => {});
    return;
  }
  return once(child, 'spawn').then(() => {});
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

async function readAll(stream: Readable | null, onChunk: ProcessSpec['onStdout'], stop: () => void): Promise<void> {
  if (stream === null) return;
  let stopped = false;
  try {
    for await (const chunk of stream) {
      if (stopped) continue;
      const answer = onChunk(chunk as Buffer);
      if (answer === 'stop') {
        stopped = true;
        stop();
      } else if (answer !== undefined) {
        await answer;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function readTail(stream: Readable | null, onText: ProcessSpec['onStderr']): Promise<string> {
  let tail = '';
  if (stream === null) return tail;
  stream.setEncoding('utf8');
  try {
    for await (const text of stream) {
      onText?.(text as string);
      tail = (tail + (text as string)).slice(-GIT_STDERR_MAX_BYTES);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  return tail;
}

/** Closes the pipes of an exited process once nothing came for a while: a daemon it left may hold them for ever. */
function closeWhenQuiet(child: ChildProcess): NodeJS.Timeout {
  let seen = -1;
  return setInterval(() => {
    const waiting = (child.stdout?.readableLength ?? 0) + (child.stderr?.readableLength ?? 0);
    if (waiting === 0 && seen === 0) {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    seen = waiting;
  }, LINGER_MS);
}
