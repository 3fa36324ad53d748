import { type ChildProcess, fork } from 'node:child_process';
import { ConsoleError } from '@agent-console/shared/errors';
import type { ProcessEnd, ProcessSpec, RunProcess } from './process.ts';

/** A message to the fork server. `id` is the number of a run. */
export type ToForkServer =
  | { id: number; do: 'run'; spec: SentSpec }
  /** Reply to `stdout`: `continue` reads the next chunk, `stop` ends the process. */
  | { id: number; do: 'continue' | 'stop' }
  | { id: number; do: 'abort' };

/** A message from the fork server. The last message of a run is `ended` or `failed`. */
export type FromForkServer =
  | { id: number; event: 'started'; pid: number }
  | { id: number; event: 'stdout'; chunk: Buffer }
  | { id: number; event: 'stderr'; text: string }
  | { id: number; event: 'ended'; end: ProcessEnd }
  | { id: number; event: 'failed'; message: string; details: object };

/** The fields of a `ProcessSpec` that can be sent to the fork server: all but its functions and its `signal`. */
export interface SentSpec extends Pick<ProcessSpec, 'file' | 'args' | 'cwd' | 'env' | 'timeoutMs' | 'input'> {
  /** Whether to send `stderr` messages. The message `ended` always contains the last part of the error output. */
  sendsStderr: boolean;
}

interface Run {
  spec: ProcessSpec;
  pid: number | undefined;
  /** The error that `onStdout` threw; undefined if it has thrown none. */
  failure: { error: unknown } | undefined;
  resolve(end: ProcessEnd): void;
  reject(error: unknown): void;
}

/** V8 options of the fork server: a small young generation of its heap keeps the memory of the process small. */
const FLAGS = ['--max-semi-space-size=1'];

/**
 * Returns a function that runs programs as children of a fork server, which is a separate small process. To start a
 * process, Linux copies the page tables of the starting process. In a server of a few hundred megabytes, this blocks
 * the main thread for several milliseconds; in the fork server, it takes less than one. The fork server is started for
 * the first run, is started again for the next run after it died, and ends together with this process.
 * @param program path of the built `fork-server.js`
 */
export function createForkServer(program: string): RunProcess {
  let current: ReturnType<typeof startForkServer> | undefined;
  return (spec) => {
    current ??= startForkServer(program, () => {
      current = undefined;
    });
    return current(spec);
  };
}

const shared = new Map<string, RunProcess>();

/** Like `createForkServer`, but all callers in this process that name the same program share one fork server. */
export function forkServer(program: string): RunProcess {
  const run = shared.get(program) ?? createForkServer(program);
  shared.set(program, run);
  return run;
}

function startForkServer(program: string, onExit: () => void): RunProcess {
  const child = fork(program, [], {
    cwd: '/',
    // The fork server has its own process group, so that a signal to the server's group, such as Ctrl+C, does not end
    // the fork server before the server.
    detached: true,
    env: {},
    execArgv: FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const runs = new Map<number, Run>();
  let lastId = 0;
  let hasFailed = false;
  const send = (message: ToForkServer) => {
    // The error is ignored: it means that the fork server has died, which `fail` reports.
    if (child.connected) child.send(message, () => {});
  };
  const fail = (reason: string) => {
    if (hasFailed) return;
    hasFailed = true;
    onExit();
    child.kill('SIGKILL');
    const interrupted = [...runs.values()];
    runs.clear();
    for (const { pid, reject } of interrupted) {
      endGroup(pid);
      reject(new ConsoleError('GIT_FAILED', `git was interrupted: ${reason}. Try again.`, { stderr: '' }));
    }
  };
  child.on('error', (error) => fail(`the process that runs git commands failed (${error.message})`));
  child.on('exit', (code, signal) => fail(`the process that runs git commands ended (${signal ?? code})`));
  child.on('message', (message) => void receive(message as FromForkServer));
  keepAlive(child, false);

  async function receive(message: FromForkServer): Promise<void> {
    const run = runs.get(message.id);
    if (run === undefined) return;
    switch (message.event) {
      case 'started':
        run.pid = message.pid;
        run.spec.onStart?.(message.pid);
        break;
      case 'stdout':
        send({ id: message.id, do: await consume(run, message.chunk) });
        break;
      case 'stderr':
        run.spec.onStderr?.(message.text);
        break;
      case 'ended':
        end(message.id);
        if (run.failure === undefined) run.resolve(message.end);
        else run.reject(run.failure.error);
        break;
      case 'failed':
        end(message.id);
        run.reject(Object.assign(new Error(message.message), message.details));
    }
  }

  function end(id: number) {
    runs.delete(id);
    if (runs.size === 0) keepAlive(child, false);
  }

  return (spec) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      const { file, args, cwd, env, timeoutMs, input, signal } = spec;
      const abort = () => send({ id, do: 'abort' });
      const settle =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', abort);
          done(value);
        };
      runs.set(id, { spec, pid: undefined, failure: undefined, resolve: settle(resolve), reject: settle(reject) });
      keepAlive(child, true);
      const sent = { file, args, cwd, env, timeoutMs, input, sendsStderr: spec.onStderr !== undefined };
      send({ id, do: 'run', spec: sent });
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
}

/**
 * Passes a chunk of a program's output to `onStdout`. If `onStdout` throws, stops the program; the error is reported
 * when the program has ended.
 */
async function consume(run: Run, chunk: Buffer): Promise<'continue' | 'stop'> {
  if (run.failure !== undefined) return 'stop';
  try {
    return (await run.spec.onStdout(chunk)) === 'stop' ? 'stop' : 'continue';
  } catch (error) {
    run.failure = { error };
    return 'stop';
  }
}

/** Sets whether the fork server keeps this process from exiting. Needed only while the fork server runs a program. */
function keepAlive(child: ChildProcess, needed: boolean): void {
  if (needed) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The error is ignored, because it means that the process group has already ended.
  }
}
