import util from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  SERVER_BACKOFF_MAX_MS,
  SERVER_BACKOFF_MIN_MS,
  SERVER_BACKOFF_READY_MAX_MS,
  SERVER_STABLE_MS,
} from '@agent-console/shared/limits/runner';
import type { LastCrash, RunningServer, ServerSettings } from '../messages.ts';
import { journal } from './journal.ts';
import type { ListeningPorts } from './ports.ts';
import { type ServerExit, type ServerLimits, ServerProcess } from './server-process.ts';
import { isPortTaken } from './sockets.ts';

/** The server that a client requested: its settings, and the port that was bound for it. */
interface DesiredServer {
  settings: ServerSettings;
  port: number;
}

/** Ensures that one server runs: starts, restarts, replaces and stops it. */
export class ServerKeeper {
  readonly #home: string;
  readonly #ports: ListeningPorts;
  readonly #limits: ServerLimits;
  #desired: DesiredServer | null = null;
  #process: ServerProcess | null = null;
  #restart: NodeJS.Timeout | undefined;
  #crashes = 0;
  #quickCrashes = 0;
  /** Number of calls of `stop`. A waiting call of `run` fails if this number has changed since the call was made. */
  #stops = 0;
  #isClosed = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(home: string, ports: ListeningPorts, limits: ServerLimits) {
    this.#home = home;
    this.#ports = ports;
    this.#limits = limits;
  }

  /** The current server; null while it is being restarted, or if no server should run. */
  get running(): RunningServer | null {
    if (this.#process === null || this.#desired === null) return null;
    const { port } = this.#desired;
    const { pid, startedAt } = this.#process;
    return { pid, port, hosts: this.#ports.hostsOf(port), startedAt, crashes: this.#crashes };
  }

  get isWanted(): boolean {
    return this.#desired !== null;
  }

  /**
   * Resolves when a server with these settings is ready. A server that already runs with the same settings stays,
   * unless `restart` is set; a server with other settings is stopped first.
   * @throws the errors of `ListeningPorts.bind`, for example CONFLICT for a port in use (the current server stays,
   * unless it has the same port); CONFLICT if the server is stopped meanwhile; RUNNER_UNAVAILABLE after `close`; and
   * the errors of `ServerProcess` and its `ready`.
   */
  run(settings: ServerSettings, restart: boolean): Promise<RunningServer> {
    const stops = this.#stops;
    const assertWanted = () => {
      if (this.#isClosed) throw stoppingError();
      if (this.#stops !== stops) throw stoppedError();
    };
    const turn = this.#turn.then(() => this.#run(settings, restart, assertWanted));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Stops the server, even while it is starting, and cancels earlier requests to run one. Ports that living workers use
   * stay open.
   */
  async stop(): Promise<void> {
    this.#stops += 1;
    await this.#stopAndRelease();
  }

  /** Stops the server, and prevents further starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  async #stopAndRelease(): Promise<void> {
    await this.#stopProcess();
    if (this.#desired === null) this.#ports.setPrimary(null);
  }

  async #stopProcess(): Promise<void> {
    this.#desired = null;
    clearTimeout(this.#restart);
    await this.#process?.stop();
  }

  /**
   * Binds the address for the next server while the current server still runs. Stops the current server first if the
   * new address conflicts with an address on which that server listens.
   */
  async #bind(host: string | null, port: number): Promise<number> {
    try {
      return this.#ports.bind(host, port);
    } catch (error) {
      if (!isPortTaken(error) || this.#ports.hostsOf(port).length === 0) throw error;
      await this.#stopProcess();
      return this.#ports.bindInstead(host, port);
    }
  }

  async #run(settings: ServerSettings, restart: boolean, assertWanted: () => void): Promise<RunningServer> {
    assertWanted();
    const same = this.#desired !== null && util.isDeepStrictEqual(this.#desired.settings, settings);
    if (same && !restart && this.#process !== null) {
      await this.#process.ready;
      return this.#runningServer();
    }
    const port = await this.#bind(settings.host, same && this.#desired !== null ? this.#desired.port : settings.port);
    await this.#stopProcess();
    try {
      assertWanted();
    } catch (error) {
      this.#ports.setPrimary(null);
      throw error;
    }
    this.#desired = { settings, port };
    this.#crashes = 0;
    this.#quickCrashes = 0;
    this.#ports.setPrimary(port);
    try {
      await this.#start(null).ready;
    } catch (error) {
      await this.#stopAndRelease();
      throw error;
    }
    return this.#runningServer();
  }

  #runningServer(): RunningServer {
    const { running } = this;
    if (running === null) throw stoppedError();
    return running;
  }

  #start(lastCrash: LastCrash | null): ServerProcess {
    if (this.#desired === null) throw new Error('cannot start a server before a client requests one');
    const started = new ServerProcess(this.#home, this.#desired.settings, this.#ports, lastCrash, this.#limits);
    this.#process = started;
    journal(`server started, pid ${started.pid}, port ${this.#desired.port}`);
    started.ready.catch(() => undefined);
    started.gone.then((exit) => this.#ended(started, exit));
    return started;
  }

  #ended(ended: ServerProcess, exit: ServerExit): void {
    if (this.#process === ended) this.#process = null;
    const description = `server ${ended.pid} ended, ${exit.signal ?? `exit code ${exit.exitCode}`}`;
    // A server that ends before it was ready for the first time is not restarted, because the caller that requested it
    // gets the error.
    if (this.#desired === null || (this.#crashes === 0 && !ended.isReady)) {
      journal(description);
      return;
    }
    this.#crashes += 1;
    this.#quickCrashes = ended.livedMs >= SERVER_STABLE_MS ? 0 : this.#quickCrashes + 1;
    const crash: LastCrash = { ...exit, at: new Date().toISOString(), count: this.#crashes, hung: ended.hung };
    const delay = this.#delay(ended.isReady);
    journal(`${description}; restarting it in ${delay} ms`);
    this.#restart = setTimeout(() => this.#restartServer(crash), delay);
  }

  /**
   * Returns the delay in milliseconds before a restart. The maximum delay is lower for a server that became ready,
   * because such a server answers some requests before it crashes again.
   */
  #delay(wasReady: boolean): number {
    if (this.#quickCrashes === 0) return 0;
    const longest = wasReady ? SERVER_BACKOFF_READY_MAX_MS : SERVER_BACKOFF_MAX_MS;
    return Math.min(longest, SERVER_BACKOFF_MIN_MS * 2 ** (this.#quickCrashes - 1));
  }

  #restartServer(crash: LastCrash): void {
    try {
      this.#start(crash);
    } catch (error) {
      journal(`the server could not be restarted: ${String(error)}`);
      this.#restart = setTimeout(() => this.#restartServer(crash), SERVER_BACKOFF_MAX_MS);
    }
  }
}

const stoppedError = () => new ConsoleError('CONFLICT', 'The server was stopped while it was starting');
const stoppingError = () =>
  new ConsoleError('RUNNER_UNAVAILABLE', 'The runner is stopping. Start it again with `agent-console serve`');
