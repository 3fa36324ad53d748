import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./run-sync-program.mjs', import.meta.url));

interface Reply {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Reason why the program could not be run, or null if it ran. */
  error: string | null;
}

/** Named pipes to and from the program that runs other programs. */
interface Pipes {
  requests: number;
  replies: number;
}

let open: Pipes | undefined;

function openPipes(): Pipes {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-run-'));
  const [requestsPath, repliesPath] = [join(folder, 'requests'), join(folder, 'replies')];
  execFileSync('mkfifo', [requestsPath, repliesPath]);
  const child = spawn(process.execPath, ['--max-semi-space-size=1', PROGRAM, requestsPath, repliesPath], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`${process.execPath} could not be started`);
  // Opening a pipe waits until the program has opened the other end of the pipe. The program exits when this process
  // closes `requests`.
  const pipes = { requests: openSync(requestsPath, 'w'), replies: openSync(repliesPath, 'r') };
  rmSync(folder, { recursive: true });
  return pipes;
}

/**
 * Like `execFileSync`, but a small process starts the program: a test process has hundreds of megabytes in use, so
 * starting the program from it takes twice the CPU time. Returns the output as text.
 * @throws an Error with the program's error output if it fails
 */
export function runSync(file: string, args: readonly string[], { cwd, env }: { cwd: string; env: object }): string {
  open ??= openPipes();
  const request = Buffer.from(`${JSON.stringify({ file, args, cwd, env })}\n`);
  for (let sent = 0; sent < request.length; ) sent += writeSync(open.requests, request, sent);
  const chunks: Buffer[] = [];
  do {
    const chunk = Buffer.alloc(65_536);
    const size = readSync(open.replies, chunk);
    if (size === 0) {
      closeSync(open.requests);
      open = undefined;
      throw new Error(`The program that runs ${file} for the tests has exited`);
    }
    chunks.push(chunk.subarray(0, size));
  } while (chunks.at(-1)?.at(-1) !== 0x0a);
  const { status, signal, stdout, stderr, error } = JSON.parse(Buffer.concat(chunks).toString()) as Reply;
  if (error !== null || status !== 0) {
    const end = error ?? (signal === null ? `exit status ${status}` : `signal ${signal}`);
    throw new Error(`${file} ${args.join(' ')} failed (${end}): ${stderr}`);
  }
  return stdout;
}
