import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { ConsoleError } from '@agent-console/shared/errors';
import { SERVER_STOP_MS } from '@agent-console/shared/limits/runner';
import type { LastCrash, ServerSettings } from '../messages.ts';
import { serverLogPath } from '../paths.ts';
import { LEAN } from '../processes.ts';
import { withoutTerminals } from './descriptors.ts';
import { putAside } from './log-files.ts';
import type { HeldPorts } from './ports.ts';

/** Descriptors before the inherited sockets: input, output, errors. */
const FIRST_FD = 3;
/** So much of its log is shown when a server dies before it is ready. */
const LOG_TAIL_BYTES = 2_048;

export interface ServerExit {
  exitCode: number | null;
  signal: string | null;
}

/** One life of the server. */
export class ServerProcess {
  readonly pid: number;
  /** ISO time. */
  readonly startedAt = new Date().toISOString();
  /** Rejects with INTERNAL when the server dies first. */
  readonly ready: Promise<void>;
  readonly gone: Promise<ServerExit>;
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #logStart: number;
  readonly #since = performance.now();
  #ready = false;
  #livedMs: number | undefined;

  /** @throws INTERNAL when the system refuses to start it. */
  constructor(home: string, settings: ServerSettings, ports: HeldPorts, lastCrash: LastCrash | null) {
    const { fds, listeners } = ports.inheritance(FIRST_FD);
    const readyFd = FIRST_FD + fds.length;
    this.#home = home;
    putAside(serverLogPath(home));
    const log = fs.openSync(serverLogPath(home), 'a', 0o600);
    this.#logStart = fs.fstatSync(log).size;
    try {
      this.#child = spawn(process.execPath, [settings.script, ...settings.args], {
        cwd: home,
        env: {
          ...LEAN,
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
    if (this.#child.pid === undefined) throw new ConsoleError('INTERNAL', 'The system refused to start the server');
    this.pid = this.#child.pid;
    this.gone = new Promise((resolve) => {
      this.#child.once('exit', (exitCode, signal) => {
        this.#livedMs = performance.now() - this.#since;
        resolve({ exitCode, signal });
      });
    });
    this.ready = this.#untilReady(readyFd);
  }

  get isReady(): boolean {
    return this.#ready;
  }

  get livedMs(): number {
    return this.#livedMs ?? performance.now() - this.#since;
  }

  /** Asks it to stop, forces it after SERVER_STOP_MS, and resolves when it is gone. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const force = setTimeout(() => this.#child.kill('SIGKILL'), SERVER_STOP_MS);
    await this.gone;
    clearTimeout(force);
  }

  /** The server writes `ready` into a pipe that it inherits. */
  #untilReady(readyFd: number): Promise<void> {
    const pipe = this.#child.stdio[readyFd];
    let said = '';
    return new Promise((resolve, reject) => {
      pipe?.on('error', () => undefined);
      pipe?.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString('latin1')).slice(0, 64);
        if (!said.startsWith('ready\n')) return;
        this.#ready = true;
        pipe.destroy();
        resolve();
      });
      this.gone.then((exit) => {
        pipe?.destroy();
        reject(this.#startError(exit));
      });
    });
  }

  #startError(exit: ServerExit): ConsoleError {
    const how = exit.signal === null ? `with exit status ${exit.exitCode}` : `by ${exit.signal}`;
    const log = this.#logTail();
    return new ConsoleError('INTERNAL', `The server ended ${how} before it was ready.\n${log}`, { ...exit, log });
  }

  /** The last lines it wrote in this life. */
  #logTail(): string {
    try {
      const file = fs.openSync(serverLogPath(this.#home), 'r');
      try {
        const { size } = fs.fstatSync(file);
        const from = Math.max(this.#logStart > size ? 0 : this.#logStart, size - LOG_TAIL_BYTES);
        const tail = Buffer.alloc(size - from);
        return tail
          .subarray(0, fs.readSync(file, tail, 0, tail.length, from))
          .toString('utf8')
          .trim();
      } finally {
        fs.closeSync(file);
      }
    } catch {
      return '';
    }
  }
}
