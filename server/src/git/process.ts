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
  signal?: AbortSignal | undefined;
  input?: Buffer | string | undefined;
  /** Called with the id of the process, which is also the id of its process group. */
  onStart?: ((pid: number) => void) | undefined;
  /**
   * Receives standard output. If a promise is returned, reading continues when it resolves. The result `stop`, also of
   * a promise, ends the process.
   */
  onStdout(chunk: Buffer): unknown;
  onStderr?: ((text: string) => void) | undefined;
}

export interface ProcessEnd {
  exitCode: number | null;
  /** The end of the error output, at most GIT_STDERR_MAX_BYTES. */
  stderr: string;
  /** Reason why `runProcess` ended the process; undefined if the process ended by itself. */
  ended: 'timeout' | 'aborted' | 'stopped' | undefined;
}

/**
 * Interval in milliseconds between checks of the pipes of an exited process, which its child processes may hold open.
 * The pipes are closed when two checks in a row find no output.
 */
const LINGER_MS = 1_000;

/**
 * Runs a program in its own session, so that it has no terminal for prompts and its whole process group can be ended:
 * SIGTERM first, SIGKILL after END_GRACE_MS. Resolves when the program has exited and its output was read.
 * @throws the system's error when the program cannot be started, and whatever `onStdout` throws.
 */
export type RunProcess = (spec: ProcessSpec) => Promise<ProcessEnd>;

/** Runs a program as a child of this process. */
export const runProcess: RunProcess = async (spec) => {
  const child = spawn(spec.file, [...spec.args], {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  await started(child);
  if (child.pid !== undefined) spec.onStart?.(child.pid);
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
      // EPIPE is ignored: it means that the process did not read all of its input, and the exit code shows whether it
      // failed.
      child.stdin.on('error', () => {});
      child.stdin.end(spec.input);
    }
    const exit = once(child, 'exit') as Promise<[number | null]>;
    const stderr = readTail(child.stderr, spec.onStderr);
    const stdout = readAll(child.stdout, spec.onStdout, () => end('stopped'));
    // An error thrown by `onStdout` ends the process. `await stdout` below then rethrows the error.
    stdout.catch(() => end('stopped'));
    const [exitCode] = await exit;
    const endKeepAlive = closeWhenQuiet(child);
    try {
      await stdout;
      return { exitCode, stderr: await stderr, ended };
    } finally {
      clearInterval(endKeepAlive);
    }
  } finally {
    clearTimeout(limit);
    clearTimeout(force);
    // Kills helpers of the program (ssh, filters) that ignored SIGTERM.
    if (ended !== undefined) signalGroup(child, 'SIGKILL');
    spec.signal?.removeEventListener('abort', onAbort);
  }
};

async function started(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) await once(child, 'spawn');
  // After the start, an error only means that a Unix signal could not be sent because the process had exited.
  child.on('error', () => {});
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The error is ignored, because it means that the process group has already ended.
  }
}

async function readAll<Chunk>(
  stream: Readable | null,
  onChunk: (chunk: Chunk) => unknown,
  stop?: () => void,
): Promise<void> {
  if (stream === null) return;
  let stopped = false;
  try {
    for await (const chunk of stream) {
      if (stopped) continue;
      if ((await onChunk(chunk as Chunk)) === 'stop') {
        stopped = true;
        stop?.();
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function readTail(stream: Readable | null, onText: ProcessSpec['onStderr']): Promise<string> {
  let tail = '';
  await readAll<string>(stream?.setEncoding('utf8') ?? null, (text) => {
    onText?.(text);
    tail = (tail + text).slice(-GIT_STDERR_MAX_BYTES);
  });
  return tail;
}

/**
 * Closes the pipes of an exited process when they produce no more output. A daemon that the process started may hold
 * the pipes open forever.
 */
function closeWhenQuiet(child: ChildProcess): NodeJS.Timeout {
  let lastBuffered = -1;
  return setInterval(() => {
    const waiting = (child.stdout?.readableLength ?? 0) + (child.stderr?.readableLength ?? 0);
    if (waiting === 0 && lastBuffered === 0) {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    lastBuffered = waiting;
  }, LINGER_MS);
}
