import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { ConsoleError } from '@agent-console/shared/errors';
import { stripControls } from '@agent-console/shared/text';
import { readConfig } from '../../config.ts';
import { serverLogPath } from '../../runner/paths.ts';
import { describeWorkers, printReplacement, type RunningServer, startServer } from './launch.ts';
import { print } from './output.ts';

/** Interval in milliseconds at which `serve` polls the log and the runner. */
const POLL_MS = 500;

export interface ServeFlags {
  port?: string | undefined;
  host?: string | undefined;
}

/**
 * Returns the flags if the command line is `serve` with no other arguments than `--port` and `--host`, otherwise
 * undefined.
 */
export function foregroundFlags([command, ...args]: readonly string[]): ServeFlags | undefined {
  if (command !== 'serve') return undefined;
  try {
    return parseArgs({ args, options: { port: { type: 'string' }, host: { type: 'string' } } }).values;
  } catch {
    return undefined;
  }
}

/**
 * Starts the console and prints the server's log until the server or runner ends, or a Unix signal stops the server.
 * Resolves to the exit status. This process runs for hours. To save memory, it loads no operations and no HTTP client,
 * and a separate process prints the introduction.
 * @throws ConsoleError when the console cannot start or its runner ends.
 */
export async function serveInForeground(flags: ServeFlags, programs: string): Promise<number> {
  // Limits V8's heap for new objects to its smallest size. That is enough to print a log, and saves 4 MiB.
  setFlagsFromString('--semi-space-growth-factor=1');
  const config = readConfig(process.env, flags);
  // The handler is registered before the start, so that Ctrl-C during the start also stops the server.
  const signalled = waitForSignal();
  const started = await startServer(config, programs, process.env);
  try {
    printReplacement(started);
    const introduced = await introduce(programs, started, signalled);
    if (introduced !== 'signal' && introduced !== 0) return introduced;
    const ended = introduced === 'signal' ? 'signal' : await followLog(started, config.home, signalled);
    if (ended === 'signal') {
      const { workersAlive } = await started.runner.status();
      await started.runner.stopServer();
      print(`\nStopped the server. ${describeWorkers(workersAlive)}`);
    } else if (ended === 'gone') {
      throw new ConsoleError(
        'RUNNER_UNAVAILABLE',
        'The runner and its agents have ended. Run `agent-console serve` again, then resume their sessions.',
      );
    } else {
      print('The server was stopped by another command.');
    }
    return 0;
  } finally {
    started.runner.close();
  }
}

/**
 * Prints the introduction in a separate process. Resolves to the exit status of that process, or to `signal` if a Unix
 * signal arrived first.
 */
async function introduce(
  programs: string,
  { port, pid, hosts }: RunningServer,
  signalled: Promise<'signal'>,
): Promise<number | 'signal'> {
  const args = ['introduce', String(port), String(pid), ...hosts];
  const child = spawn(process.execPath, [join(programs, 'cli.js'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 1));
  });
  const first = await Promise.race([signalled, exited]);
  if (first !== 'signal') return first;
  child.kill('SIGKILL');
  await exited;
  return 'signal';
}

function waitForSignal(): Promise<'signal'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('signal'));
  });
}

/** Prints the server's log until a Unix signal arrives, the server is stopped, or the runner ends. */
async function followLog(
  { runner }: RunningServer,
  home: string,
  signalled: Promise<'signal'>,
): Promise<'signal' | 'stopped' | 'gone'> {
  const log = await open(serverLogPath(home), 'a+');
  const printer = new LogPrinter();
  let offset = (await log.stat()).size;
  const printNew = async () => {
    const { size } = await log.stat();
    // A log that is smaller than before was rotated, so it is read from its beginning.
    if (size < offset) offset = 0;
    for (const buffer = Buffer.alloc(64 * 1024); offset < size; ) {
      const { bytesRead } = await log.read(buffer, 0, buffer.length, offset);
      if (bytesRead === 0) break;
      printer.push(buffer.toString('utf8', 0, bytesRead));
      offset += bytesRead;
    }
  };
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const tick = new Promise<'tick'>((resolve) => {
        timer = setTimeout(() => resolve('tick'), POLL_MS);
      });
      const next = await Promise.race([signalled, tick]);
      clearTimeout(timer);
      await printNew();
      if (next === 'signal') return 'signal';
      const status = await runner.status().catch((error: unknown) => {
        // A timeout means that the runner is slow, not that it has ended.
        return error instanceof ConsoleError && error.code === 'TIMEOUT' ? 'late' : undefined;
      });
      if (status === undefined) return 'gone';
      if (status === 'late') continue;
      // While the runner restarts a crashed server, no server runs, but the runner keeps the server's primary port
      // open. If this port is closed too, a command has stopped the server.
      if (status.server === null && !status.ports.some((port) => port.primary)) return 'stopped';
    }
  } finally {
    await log.close();
  }
}

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/** Prints the server's JSON log as readable lines. */
class LogPrinter {
  #incomplete = '';

  push(text: string): void {
    const lines = (this.#incomplete + text).split('\n');
    this.#incomplete = lines.pop() ?? '';
    for (const line of lines) if (line !== '') print(formatLogLine(line));
  }
}

function formatLogLine(line: string): string {
  try {
    const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string };
    const clock = new Date(time).toTimeString().slice(0, 8);
    const severity = LEVELS[level] === undefined ? '' : `${LEVELS[level]}: `;
    const rest = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
    return stripControls(`${clock} ${severity}${msg ?? ''}${rest}`);
  } catch {
    // A line that is not JSON was not written by the logger, for example a warning from Node.
    return stripControls(line);
  }
}
