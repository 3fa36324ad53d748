import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  RUNNER_REQUEST_MS,
  RUNNER_START_MS,
  SERVER_READY_MS,
  SERVER_STOP_MS,
} from '@agent-console/shared/limits/runner';
import * as v from 'valibot';
import { openConnection, type RunnerConnection } from './connect.ts';
import { logTail } from './log-tail.ts';
import { type RunnerStatus, RunningServer, type ServerSettings, Status } from './messages.ts';
import { existingHome, prepareHome, readJson, runnerLogPath } from './paths.ts';
import { isRunning, LOW_MEMORY_ENV } from './processes.ts';

/** Interval in milliseconds between checks whether a new runner answers or an old server has ended. */
const POLL_MS = 2;
/**
 * Environment variables that a runner inherits. Requests to the runner contain the variables of workers and of the
 * server.
 */
const RUNNER_ENV = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

export interface EnsureOptions {
  home: string;
  /** Absolute path of the built runner program. */
  program: string;
  /** Version of Agent Console, shown by `status`. */
  version?: string;
  /** Additional command-line options for the runner program. */
  programArgs?: string[];
  /** Maximum time in milliseconds to wait until a started runner answers. Default: RUNNER_START_MS. */
  startMs?: number;
}

/** Requests of `serve`, `stop` and `doctor` to the runner. `close` ends the connection, but not the runner. */
export interface RunnerControl {
  /** Capabilities added to this runner since the first build of its protocol, see `RUNNER_CAPABILITIES`. */
  readonly capabilities: readonly string[];
  /**
   * Runs a server and resolves when it is ready. A running server with the same settings stays, unless `restart` is
   * set.
   * @throws CONFLICT for a port in use or if the server is stopped meanwhile; RUNNER_UNAVAILABLE if the runner is
   * stopping; PERMISSION_DENIED for a reserved port; VALIDATION for an address that does not belong to this machine;
   * the error with which the server refuses to start; INTERNAL with the last 2 kB of the server's log when the server
   * dies without reporting an error; TIMEOUT.
   */
  runServer(settings: ServerSettings, options?: { restart?: boolean }): Promise<RunningServer>;
  /** Stops the server and resolves when it has ended. Agents keep running. */
  stopServer(): Promise<void>;
  /** Ends every worker, the server and the runner. Resolves when the runner has ended. */
  stopAll(): Promise<void>;
  status(): Promise<RunnerStatus>;
  close(): void;
}

/**
 * Finds the runner of a data directory, or starts one in its own Unix session, so that the runner outlives the caller.
 * @throws RUNNER_UNAVAILABLE with the end of the runner's log when it does not start within RUNNER_START_MS; the errors
 * of `prepareHome`; UNSUPPORTED or TIMEOUT for a runner that uses another protocol or does not answer.
 */
export async function ensureRunner(options: EnsureOptions): Promise<RunnerControl> {
  const home = prepareHome(options.home);
  const present = await tryConnect(home);
  if (present !== undefined) return control(present);
  await endOrphanedServer(home);
  const logStart = fs.statSync(runnerLogPath(home), { throwIfNoEntry: false })?.size ?? 0;
  const child = startDetached(home, options);
  const until = performance.now() + (options.startMs ?? RUNNER_START_MS);
  while (performance.now() < until) {
    const connection = await tryConnect(home);
    if (connection !== undefined) return control(connection);
    if (child.signalCode !== null || (child.exitCode ?? 0) !== 0) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const file = runnerLogPath(home);
  const message = `The runner did not start. Its log ${file} says:\n${logTail(file, logStart)}`;
  throw new ConsoleError('RUNNER_UNAVAILABLE', message);
}

/**
 * Connects to the runner of a data directory; undefined if no runner is running. @throws UNSUPPORTED for another
 * protocol, TIMEOUT.
 */
export async function findRunner(home: string): Promise<RunnerControl | undefined> {
  if (!fs.existsSync(home)) return undefined;
  const connection = await tryConnect(existingHome(home));
  return connection === undefined ? undefined : control(connection);
}

function control(connection: RunnerConnection): RunnerControl {
  return {
    capabilities: connection.greeting.capabilities,
    runServer: (settings, { restart = false } = {}) =>
      connection.request(
        RunningServer,
        { op: 'runServer', settings, restart },
        undefined,
        SERVER_STOP_MS + SERVER_READY_MS + RUNNER_REQUEST_MS,
      ),
    async stopServer() {
      await connection.request(v.unknown(), { op: 'stopServer' }, undefined, SERVER_STOP_MS + RUNNER_REQUEST_MS);
    },
    async stopAll() {
      await connection.request(v.unknown(), { op: 'stopAll' }, undefined, SERVER_STOP_MS + RUNNER_REQUEST_MS);
      await connection.closed();
    },
    status: () => connection.request(Status, { op: 'status' }),
    close: () => connection.close(),
  };
}

async function tryConnect(home: string): Promise<RunnerConnection | undefined> {
  try {
    const nothing = () => undefined;
    return await openConnection(home, { frame: nothing, event: nothing, gone: nothing });
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'RUNNER_UNAVAILABLE') return undefined;
    throw error;
  }
}

const ServerFile = v.object({ pid: v.number(), startTime: v.string() });

/**
 * Ends the server named in `server.json` if its runner has died, because the server still listens on ports that a new
 * runner needs. Returns whether a server was ended.
 */
export async function endOrphanedServer(home: string): Promise<boolean> {
  const server = readJson(join(home, 'server.json'), ServerFile);
  if (server === undefined) return false;
  const runner = await tryConnect(home);
  runner?.close();
  const isAlive = () => isRunning(server);
  if (runner !== undefined || !isAlive()) return false;
  process.kill(server.pid, 'SIGTERM');
  const force = performance.now() + SERVER_STOP_MS;
  while (isAlive()) {
    if (performance.now() > force) process.kill(server.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}

function startDetached(home: string, options: EnsureOptions): ChildProcess {
  const log = fs.openSync(runnerLogPath(home), 'a', 0o600);
  try {
    const version = options.version === undefined ? [] : ['--version', options.version];
    const program = [options.program, '--home', home, ...version, ...(options.programArgs ?? [])];
    const child = spawn(process.execPath, program, {
      cwd: '/',
      detached: true,
      env: {
        ...LOW_MEMORY_ENV,
        ...Object.fromEntries(RUNNER_ENV.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      },
      stdio: ['ignore', log, log],
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    fs.closeSync(log);
  }
}
