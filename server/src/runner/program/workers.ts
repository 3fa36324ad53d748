import fs from 'node:fs';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { RUNNER_ENDED_KEPT } from '@agent-console/shared/limits/runner';
import { workerFolder } from '../paths.ts';
import type { ProcessExit, ProcessInfo, SpawnSpec } from '../port.ts';
import { livingSessions } from '../processes.ts';
import type { Connection } from './connection.ts';
import { assertStartable } from './executable.ts';
import { endedError } from './input.ts';
import { journal } from './journal.ts';
import { Worker, type WorkerEvents } from './worker.ts';

export interface WorkersOptions {
  home: string;
  /** Returns the server's current port, which a new worker gets in its environment; null without a server. */
  primaryPort(): number | null;
  events: WorkerEvents;
}

/** A start in progress. `cancelled` is set when the end of the worker is requested. */
interface Starting {
  worker: Promise<Worker>;
  cancelled: boolean;
}

/** All processes of this runner by worker id, including ended processes until they are forgotten. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers = new Map<string, Worker>();
  readonly #starting = new Map<string, Starting>();
  #closing = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Starts at most one process per worker id. Repeated calls return the pending start or the existing process. */
  async spawn(spec: SpawnSpec): Promise<ProcessInfo> {
    const known = this.#workers.get(spec.workerId);
    if (known !== undefined) return known.info;
    const joined = this.#starting.get(spec.workerId);
    if (joined !== undefined) return (await joined.worker).info;
    const isCancelled = () => starting.cancelled;
    const starting: Starting = { worker: this.#start(spec, isCancelled), cancelled: false };
    this.#starting.set(spec.workerId, starting);
    try {
      return (await starting.worker).info;
    } finally {
      this.#starting.delete(spec.workerId);
    }
  }

  /**
   * Ends a process, or cancels a start in progress. After this request, no process of the worker may appear.
   * @throws NOT_FOUND if the worker has no process, also after its start was cancelled; TIMEOUT if a process survives
   * SIGKILL.
   */
  async end(workerId: string, graceMs: number): Promise<ProcessExit> {
    const starting = this.#starting.get(workerId);
    if (starting !== undefined) {
      starting.cancelled = true;
      await starting.worker.catch(() => undefined);
    }
    return this.get(workerId).end(graceMs);
  }

  list(): ProcessInfo[] {
    return [...this.#workers.values()].map((worker) => worker.info);
  }

  /** @throws NOT_FOUND if the runner has no worker with this id. */
  get(workerId: string): Worker {
    const worker = this.#workers.get(workerId);
    if (worker === undefined) throw endedError(workerId);
    return worker;
  }

  /** Started workers that have not exited. */
  get alive(): Worker[] {
    return [...this.#workers.values()].filter((worker) => worker.exit === null);
  }

  get isIdle(): boolean {
    return this.#starting.size === 0 && this.alive.length === 0;
  }

  /** Removes an ended worker from the list of workers. @throws CONFLICT while the process lives. */
  forget(workerId: string): void {
    this.#assertEnded(workerId);
    this.#workers.delete(workerId);
  }

  /** Deletes a worker's output, record and error log. @throws CONFLICT while the process lives. */
  dropLog(workerId: string): void {
    this.#assertEnded(workerId);
    const folder = workerFolder(this.#options.home, workerId);
    for (const name of ['output', 'record.ndjson', 'stderr.log', 'stderr.log.1']) {
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }

  /** Removes a closed connection from the readers of all workers. */
  disconnected(connection: Connection): void {
    for (const worker of this.#workers.values()) worker.unfollow(connection);
  }

  /**
   * Ends every process, including those that remain in the Unix session of an ended worker, and prevents further
   * starts.
   */
  async endAll(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled([...this.#starting.values()].map((starting) => starting.worker));
    const sessions = await livingSessions();
    const remaining = [...this.#workers.values()].filter((each) => each.exit === null || sessions.has(each.info.pid));
    const ends = await Promise.allSettled(remaining.map((worker) => worker.end(END_GRACE_MS)));
    for (const end of ends) if (end.status === 'rejected') journal(`ending a worker failed: ${String(end.reason)}`);
  }

  async #start(spec: SpawnSpec, isCancelled: () => boolean): Promise<Worker> {
    await assertStartable(spec);
    if (isCancelled()) {
      const { workerId } = spec;
      throw new ConsoleError('CONFLICT', `Worker ${workerId} was stopped while it was starting`, { workerId });
    }
    if (this.#closing)
      throw new ConsoleError('RUNNER_UNAVAILABLE', 'The runner is stopping. Start it again with `agent-console serve`');
    const worker = await Worker.start(this.#options.home, spec, this.#options.primaryPort(), this.#options.events);
    this.#workers.set(spec.workerId, worker);
    this.#forgetOldest();
    return worker;
  }

  #assertEnded(workerId: string): void {
    const worker = this.#workers.get(workerId);
    if (this.#starting.has(workerId) || (worker !== undefined && worker.exit === null)) {
      throw new ConsoleError('CONFLICT', `Worker ${workerId} is still running. End it first`, { workerId });
    }
  }

  #forgetOldest(): void {
    const ended = [...this.#workers.values()].filter((worker) => worker.exit !== null);
    for (const worker of ended.slice(0, Math.max(0, ended.length - RUNNER_ENDED_KEPT))) this.#workers.delete(worker.id);
  }
}
