import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import type net from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import { SERVER_STOP_MS } from '@agent-console/shared/limits/runner';
import { logTail } from '../log-tail.ts';
import type { LastCrash, ServerSettings } from '../messages.ts';
import { serverLogPath } from '../paths.ts';
import { LOW_MEMORY_ENV } from '../processes.ts';
import { within } from '../within.ts';
import { withoutTerminals } from './descriptors.ts';
import { watchForHang } from './hang-watch.ts';
import { journal } from './journal.ts';
import type { ListeningPorts } from './ports.ts';
import { rotateLog } from './rotate-log.ts';

/**
 * V8 options that keep the space for new objects small, which saves 4 MiB of memory. Benchmarks in `bench/` show the
 * same throughput with and without these options.
 */
const SERVER_FLAGS = ['--semi-space-growth-factor=1'];

/** Number of descriptors before the inherited sockets: stdin, stdout, stderr. */
const FIRST_FD = 3;
/** Maximum length of a line from the server. The longest lines are errors with their details. Longer lines are cut. */
const SERVER_LINE_MAX = 16_384;
const LAST_LINES_MS = 200;

export interface ServerExit {
  exitCode: number | null;
  signal: string | null;
}

/** Times in milliseconds after which a server counts as hung, and is ended. */
export interface ServerLimits {
  /** Time within which the server must be ready after its start. */
  readyMs: number;
  /** Time within which a ready server must answer checks. */
  hangMs: number;
}

/** One process of the server. A restart creates another one. */
export class ServerProcess {
  readonly pid: number;
  /** Time at which the process was started, in ISO 8601. */
  readonly startedAt = new Date().toISOString();
  /**
   * Resolves when the server is ready. Rejects if the server dies before that, with the error that it reported or with
   * INTERNAL. Rejects with TIMEOUT if the server was ended because it was not ready in time.
   */
  readonly ready: Promise<void>;
  readonly gone: Promise<ServerExit>;
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #logStart: number;
  readonly #since = performance.now();
  readonly #limits: ServerLimits;
  #watch: ReturnType<typeof watchForHang> | undefined;
  #ready = false;
  #hung = false;
  #refusal: ConsoleError | undefined;
  #livedMs: number | undefined;

  /** @throws INTERNAL when the system refuses to start the server. */
  constructor(
    home: string,
    settings: ServerSettings,
    ports: ListeningPorts,
    lastCrash: LastCrash | null,
    limits: ServerLimits,
  ) {
    this.#limits = limits;
    const { fds, listeners } = ports.inheritance(FIRST_FD);
    const readyFd = FIRST_FD + fds.length;
    this.#home = home;
    rotateLog(serverLogPath(home));
    const log = fs.openSync(serverLogPath(home), 'a', 0o600);
    this.#logStart = fs.fstatSync(log).size;
    try {
      this.#child = spawn(process.execPath, [...SERVER_FLAGS, settings.script, ...settings.args], {
        cwd: home,
        env: {
          ...LOW_MEMORY_ENV,
          ...settings.env,
          AGENT_CONSOLE_LISTEN: JSON.stringify(listeners),
          AGENT_CONSOLE_READY_FD: String(readyFd),
          ...(lastCrash === null ? {} : { AGENT_CONSOLE_LAST_CRASH: JSON.stringify(lastCrash) }),
        },
        stdio: withoutTerminals(['ignore', log, log, ...fds, 'pipe']),
      });
    } finally {
      fs.closeSync(log);
    }
    this.#child.on('error', () => undefined);
    if (this.#child.pid === undefined)
      throw new ConsoleError('INTERNAL', 'The system refused to start the server. End some processes, then try again');
    this.pid = this.#child.pid;
    this.gone = new Promise((resolve) => {
      this.#child.once('exit', (exitCode, signal) => {
        this.#livedMs = performance.now() - this.#since;
        this.#watch?.close();
        resolve({ exitCode, signal });
      });
    });
    this.ready = this.#untilReady(readyFd);
    this.#limitStart();
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Whether the runner ended the server because the server was not ready in time or did not answer checks. */
  get hung(): boolean {
    return this.#hung;
  }

  get livedMs(): number {
    return this.#livedMs ?? performance.now() - this.#since;
  }

  /** Sends SIGTERM, and SIGKILL after SERVER_STOP_MS. Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#watch?.close();
    this.#child.kill('SIGTERM');
    const force = setTimeout(() => this.#child.kill('SIGKILL'), SERVER_STOP_MS);
    await this.gone;
    clearTimeout(force);
  }

  /** Reads the lines that the server writes to a socket inherited from the runner, see `inherited.ts`. */
  #untilReady(fd: number): Promise<void> {
    const channel = this.#child.stdio[fd] as net.Socket;
    let text = '';
    return new Promise((resolve, reject) => {
      channel.on('error', () => undefined);
      channel.on('data', (chunk: Buffer) => {
        const lines = (text + chunk.toString('utf8')).slice(0, SERVER_LINE_MAX).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          if (line === 'ready') this.#ready = true;
          if (line === 'ready') resolve();
          else this.#onLine(line, channel);
        }
      });
      this.gone.then(async (exit) => {
        await closed(channel);
        reject(this.#hung ? this.#notReadyError() : (this.#refusal ?? this.#startError(exit)));
      });
    });
  }

  /** Ends the server if it is not ready in time. */
  #limitStart(): void {
    const expired = () => {
      if (this.#ready || this.#livedMs !== undefined) return;
      journal(`server ${this.pid} was not ready within ${this.#limits.readyMs} ms; stopping it`);
      this.#hung = true;
      void this.stop();
    };
    // If the runner was stalled, it reads what the server has written in the meantime before `setImmediate` calls
    // `expired`.
    const timer = setTimeout(() => setImmediate(expired), this.#limits.readyMs);
    const clear = () => clearTimeout(timer);
    this.ready.then(clear, clear);
  }

  #onLine(line: string, channel: net.Socket): void {
    if (line === 'check') {
      this.#watch?.answered();
    } else if (line === 'checks' && this.#ready) {
      this.#watch ??= watchForHang({
        hangMs: this.#limits.hangMs,
        check: () => void channel.write('check\n'),
        hung: () => {
          journal(`server ${this.pid} has not answered for ${this.#limits.hangMs} ms; restarting it`);
          this.#hung = true;
          this.#child.kill('SIGKILL');
        },
      });
    } else if (line.startsWith('error ')) {
      this.#refusal = readError(line.slice('error '.length));
    }
  }

  #notReadyError(): ConsoleError {
    const seconds = this.#limits.readyMs / 1_000;
    return new ConsoleError(
      'TIMEOUT',
      `The server was not ready within ${seconds} s; see ${serverLogPath(this.#home)}`,
    );
  }

  #startError(exit: ServerExit): ConsoleError {
    const how = exit.signal === null ? `with exit status ${exit.exitCode}` : `with signal ${exit.signal}`;
    const log = logTail(serverLogPath(this.#home), this.#logStart);
    return new ConsoleError('INTERNAL', `The server ended ${how} before it was ready.\n${log}`, { ...exit, log });
  }
}

function readError(json: string): ConsoleError | undefined {
  try {
    return ConsoleError.fromBody(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/**
 * Resolves when everything was read from `channel`, at the latest LAST_LINES_MS after the process ended. After that
 * time, only a child of the process can still have the socket open.
 */
async function closed(channel: net.Socket): Promise<void> {
  if (channel.closed) return;
  const end = new Promise((resolve) => channel.once('close', resolve));
  await within(end, LAST_LINES_MS, () => undefined);
  channel.destroy();
}
