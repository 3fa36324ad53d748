import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { STDERR_LOG_MAX_BYTES } from '@agent-console/shared/limits/runner';
import type { SpawnSpec } from '../port.ts';
import { withoutTerminals } from './descriptors.ts';
import { type Driver, type DriverExit, drainInto, readNow, writeNow } from './driver.ts';
import type { Output } from './output.ts';

/**
 * Starts a process without a terminal, in its own session. Its standard output is written to the output log. Its
 * standard error is appended to `stderr.log` in `folder`, with a size limit.
 * @throws AGENT_UNAVAILABLE when the system refuses to start it.
 */
export async function openPipe(
  spec: SpawnSpec,
  folder: string,
  output: Output,
  onExit: (exit: DriverExit) => void,
): Promise<Driver> {
  const child = await start(spec);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  const stderr = logErrors(child, folder);
  const stdout = readOutput(child, output);
  child.on('exit', (code, signal) => onExit({ code: code ?? 0, signal: signal ? os.constants.signals[signal] : 0 }));
  const stdin = descriptor(child.stdin);
  return {
    pid: child.pid,
    write(data) {
      if (child.stdin.destroyed) throw new Error('the process has closed its input');
      return writeNow(stdin, data);
    },
    pause: () => void child.stdout.pause(),
    resume: stdout.resume,
    resize: () => undefined,
    drain: stdout.drain,
    close() {
      stderr.drain();
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

type Started = ChildProcessWithoutNullStreams & { pid: number };

async function start(spec: SpawnSpec): Promise<Started> {
  try {
    const child = spawn(spec.file, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: withoutTerminals(['pipe', 'pipe', 'pipe']),
    }) as ChildProcessWithoutNullStreams;
    if (child.pid === undefined) {
      const [error] = await once(child, 'error');
      throw error;
    }
    return child as Started;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const { file } = spec;
    throw new ConsoleError('AGENT_UNAVAILABLE', `${file} could not be started: ${reason}`, { file }, { cause });
  }
}

/**
 * Returns the file descriptor of a stream. Node has no public function for this, but every version so far stores the
 * descriptor in the stream's handle.
 */
function descriptor(stream: unknown): number {
  return (stream as { _handle: { fd: number } })._handle.fd;
}

function readOutput(child: Started, output: Output) {
  const { stdout } = child;
  let waiting: Buffer[] = [];
  let ended = false;
  const take = (chunk: Buffer) => {
    const taken = waiting.length > 0 ? 0 : output.push(chunk);
    if (taken === chunk.length) return;
    // When the process ends, Node resumes the stream although it is paused, so a further chunk may arrive while one
    // waits.
    waiting.push(chunk.subarray(taken));
    stdout.pause();
  };
  stdout.on('data', take);
  stdout.on('end', () => {
    ended = true;
  });
  const takeWaiting = (): boolean => {
    const chunks = waiting;
    waiting = [];
    for (const chunk of chunks) take(chunk);
    return waiting.length === 0;
  };
  return {
    resume() {
      if (takeWaiting()) stdout.resume();
    },
    drain(): boolean {
      if (!takeWaiting()) return false;
      // Node may have read one chunk before the stream was paused. `read` makes the stream emit that chunk, which
      // `take` receives.
      while (stdout.read() !== null) if (waiting.length > 0) return false;
      return ended || stdout.destroyed || drainInto(descriptor(stdout), output);
    },
  };
}

/** Appends standard error to `stderr.log`. Keeps at most two files of STDERR_LOG_MAX_BYTES each. */
function logErrors(child: Started, folder: string) {
  const file = path.join(folder, 'stderr.log');
  let bytes = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const keep = (chunk: Buffer) => {
    try {
      if (bytes > 0 && bytes + chunk.length > STDERR_LOG_MAX_BYTES) {
        fs.renameSync(file, `${file}.1`);
        bytes = 0;
      }
      fs.appendFileSync(file, chunk, { mode: 0o600 });
      bytes += chunk.length;
    } catch {
      // The error is ignored: if the disk is full, only the lines in `chunk` are lost, and the process continues.
    }
  };
  child.stderr.on('data', keep);
  return {
    /** Reads the error output that the ended process left in the pipe. */
    drain(): void {
      const chunk = Buffer.alloc(64 * 1024);
      while (!child.stderr.destroyed && !child.stderr.readableEnded) {
        const read = readNow(descriptor(child.stderr), chunk);
        if (read === 0) return;
        keep(chunk.subarray(0, read));
      }
    },
  };
}
