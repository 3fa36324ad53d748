import { ConsoleError } from '@agent-console/shared/errors';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { RUNNER_LOG_RETRY_MS, RUNNER_RESIZES_KEPT } from '@agent-console/shared/limits/runner';
import { LogWriter } from '../log.ts';
import { outputFolder, workerFolder } from '../paths.ts';
import type { InputReceipt, ProcessExit, ProcessInfo, SpawnSpec } from '../port.ts';
import { readStat, sendSignal, signalName, startTimeOf } from '../processes.ts';
import { appendRecord, type RecordLine } from '../record.ts';
import type { Connection } from './connection.ts';
import type { Driver, DriverExit } from './driver.ts';
import { endSession } from './ending.ts';
import { endedError, InputQueue } from './input.ts';
import { journal } from './journal.ts';
import { Output } from './output.ts';
import { openPipe } from './pipe.ts';
import { openPty } from './pty.ts';
import { openPtyPortably } from './pty-portable.ts';
import type { Slab } from './slab.ts';
import { type Followed, type Resize, Subscription } from './subscription.ts';

export interface WorkerEvents {
  exited(worker: Worker, exit: ProcessExit): void;
  /** Called when the log cannot be written. A null `reason` means that it can be written again. */
  logBlocked(worker: Worker, reason: string | null): void;
}

/** A worker's process, with its log and the readers of its output. */
export class Worker implements Followed {
  readonly id: string;
  /** The port that the server had when the process was started. The environment of the process contains this port. */
  readonly announcedPort: number | null;
  readonly #home: string;
  readonly #mode: SpawnSpec['mode'];
  readonly #events: WorkerEvents;
  readonly #output: Output;
  readonly #input: InputQueue;
  readonly #readers = new Map<Connection, Subscription>();
  readonly #exited: Promise<ProcessExit>;
  #announceExit: (exit: ProcessExit) => void = () => undefined;
  #driver: Driver | undefined;
  #pid = 0;
  #startTime = '';
  #cols: number;
  #rows: number;
  #resizes: Resize[] = [];
  #resizesDropped = 0;
  #leaderExit: DriverExit | undefined;
  #exit: ProcessExit | null = null;
  #isBlockReported = false;
  #failed = false;

  /**
   * Starts the process.
   * @throws AGENT_UNAVAILABLE or BUSY if the process or its log cannot be created.
   */
  static async start(
    home: string,
    spec: SpawnSpec,
    announcedPort: number | null,
    events: WorkerEvents,
  ): Promise<Worker> {
    const worker = new Worker(home, spec, announcedPort, events);
    try {
      await worker.#open(spec);
    } catch (error) {
      worker.#abandon();
      throw asStartError(error, spec);
    }
    return worker;
  }

  private constructor(home: string, spec: SpawnSpec, announcedPort: number | null, events: WorkerEvents) {
    this.id = spec.workerId;
    this.announcedPort = announcedPort;
    this.#home = home;
    this.#mode = spec.mode;
    this.#events = events;
    this.#cols = spec.cols;
    this.#rows = spec.rows;
    this.#exited = new Promise((resolve) => {
      this.#announceExit = resolve;
    });
    this.#output = new Output(openLog(outputFolder(home, spec.workerId), spec), {
      written: (offset, data, slab) => this.#written(offset, data, slab),
      blocked: (error) => this.#blocked(error),
      unblocked: () => this.#unblocked(),
    });
    this.#input = new InputQueue({
      workerId: this.id,
      write: (data) => this.#driver?.write(data) ?? 0,
      offset: () => this.#output.readOffset,
    });
  }

  get offset(): number {
    return this.#output.offset;
  }

  get exit(): ProcessExit | null {
    return this.#exit;
  }

  get info(): ProcessInfo {
    return {
      workerId: this.id,
      pid: this.#pid,
      startTime: this.#startTime,
      logOffset: this.offset,
      cols: this.#cols,
      rows: this.#rows,
      exit: this.#exit,
    };
  }

  input(inputId: string, data: Buffer): Promise<InputReceipt> {
    return this.#input.add(inputId, data);
  }

  /**
   * Changes the terminal's size. First writes the output printed at the old size to the log, so that the offset of the
   * size change is exact.
   */
  resize(cols: number, rows: number): void {
    if (this.#leaderExit !== undefined) throw endedError(this.id);
    if (cols === this.#cols && rows === this.#rows) return;
    this.#output.flush();
    this.#driver?.resize(cols, rows);
    this.#cols = cols;
    this.#rows = rows;
    if (this.#mode === 'pipe') return;
    this.#addResize();
    for (const reader of this.#readers.values()) reader.pump();
    this.#record({ kind: 'resized', offset: this.#output.readOffset, at: now(), cols, rows });
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#leaderExit !== undefined) throw endedError(this.id);
    const foreground = readStat(this.#pid)?.foreground ?? -1;
    sendSignal(foreground > 0 ? -foreground : -this.#pid, signal);
  }

  async end(graceMs: number): Promise<ProcessExit> {
    const leader = { pid: this.#pid, startTime: this.#startTime };
    await endSession(leader, graceMs, () => this.#leaderExit !== undefined);
    return this.#exited;
  }

  /**
   * Starts sending the worker's output to a connection. Replaces that connection's existing subscription to this
   * worker.
   */
  follow(connection: Connection, handle: number, fromOffset: number): Subscription {
    const done = () => this.unfollow(connection, subscription);
    const subscription: Subscription = new Subscription(connection, handle, this, fromOffset, done);
    const before = this.#readers.get(connection);
    if (before !== undefined) connection.removeSubscription(before.handle);
    this.#readers.set(connection, subscription);
    connection.addSubscription(subscription);
    return subscription;
  }

  unfollow(connection: Connection, subscription = this.#readers.get(connection)): void {
    if (subscription === undefined) return;
    connection.removeSubscription(subscription.handle);
    if (this.#readers.get(connection) === subscription) this.#readers.delete(connection);
  }

  read(offset: number, target: Buffer): { offset: number; bytes: number } {
    return this.#output.read(offset, target);
  }

  resizeFrom(n: number): { n: number; resize: Resize } | undefined {
    const at = Math.max(n, this.#resizesDropped);
    const resize = this.#resizes[at - this.#resizesDropped];
    return resize === undefined ? undefined : { n: at, resize };
  }

  resizeAt(offset: number): number {
    const index = this.#resizes.findLastIndex((resize) => resize.offset <= offset);
    return this.#resizesDropped + Math.max(index, 0);
  }

  async #open(spec: SpawnSpec): Promise<void> {
    const offset = this.offset;
    const onExit = (exit: DriverExit) => {
      this.#leaderExit = exit;
      // When the worker's first process ends, its terminal hangs up, which ends the remaining processes. Without a
      // terminal, the runner must end them.
      if (this.#mode === 'pipe') this.end(END_GRACE_MS).catch((error: Error) => journal(error.message));
      this.#finish();
    };
    if (spec.mode === 'pipe') {
      this.#driver = await openPipe(spec, workerFolder(this.#home, this.id), this.#output, onExit);
    } else {
      const open = process.platform === 'linux' ? openPty : openPtyPortably;
      this.#driver = open(spec, this.#output, onExit);
      this.#addResize();
    }
    this.#pid = this.#driver.pid;
    this.#startTime = startTimeOf(this.#pid);
    const { mode, cols, rows } = spec;
    const identity = { pid: this.#pid, startTime: this.#startTime };
    this.#record({ kind: 'spawned', offset, at: now(), ...identity, mode, cols, rows });
  }

  /**
   * Ends the process after a start that failed half-way. No request could end it, because the worker is not registered.
   */
  #abandon(): void {
    this.#failed = true;
    if (this.#driver !== undefined) {
      sendSignal(-this.#driver.pid, 'SIGKILL');
      this.#driver.close();
    }
    this.#output.close();
  }

  #addResize(): void {
    this.#resizes.push({ offset: this.#output.readOffset, cols: this.#cols, rows: this.#rows });
    if (this.#resizes.length <= RUNNER_RESIZES_KEPT) return;
    this.#resizes.shift();
    this.#resizesDropped += 1;
  }

  #written(offset: number, data: Buffer, slab: Slab): void {
    for (const reader of this.#readers.values()) reader.live(offset, data, slab);
  }

  #blocked(error: Error): void {
    this.#driver?.pause();
    if (this.#isBlockReported) return;
    this.#isBlockReported = true;
    journal(`the log of worker ${this.id} cannot be written, so its process waits: ${error.message}`);
    this.#events.logBlocked(this, error.message);
  }

  #unblocked(): void {
    this.#reportUnblocked();
    for (const reader of this.#readers.values()) reader.pump();
    if (this.#leaderExit === undefined) this.#driver?.resume();
    else this.#finish();
  }

  #reportUnblocked(): void {
    if (!this.#isBlockReported) return;
    this.#isBlockReported = false;
    journal(`the log of worker ${this.id} can be written again`);
    this.#events.logBlocked(this, null);
  }

  /** Called after the process has ended. Logs the rest of its output, then reports the exit. */
  #finish(): void {
    if (this.#exit !== null || this.#failed) return;
    const { code, signal } = this.#leaderExit ?? { code: 0, signal: 0 };
    this.#input.end();
    if (this.#driver?.drain() === false || !this.#output.flush()) return;
    const ending = signal === 0 ? { exitCode: code, signal: null } : { exitCode: null, signal: signalName(signal) };
    const exit: ProcessExit = { offset: this.offset, ...ending };
    try {
      this.#record({ kind: 'exited', at: now(), ...exit });
    } catch (error) {
      // A deleted folder (ENOENT) does not reappear, so writing to it is not retried. Every other error is retried, for
      // example until a full disk has space again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#blocked(error as Error);
        setTimeout(() => this.#finish(), RUNNER_LOG_RETRY_MS);
        return;
      }
    }
    this.#driver?.close();
    this.#driver = undefined;
    this.#output.close();
    this.#exit = exit;
    this.#reportUnblocked();
    for (const reader of [...this.#readers.values()]) reader.pump();
    this.#announceExit(exit);
    this.#events.exited(this, exit);
  }

  #record(line: RecordLine): void {
    appendRecord(this.#home, this.id, line);
  }
}

const now = () => new Date().toISOString();

function openLog(folder: string, spec: SpawnSpec): LogWriter {
  try {
    return new LogWriter(folder);
  } catch (error) {
    throw asStartError(error, spec);
  }
}

function asStartError(error: unknown, { workerId, file }: SpawnSpec): ConsoleError {
  if (error instanceof ConsoleError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const hint = 'Free some disk space or end other workers, then try again';
  return new ConsoleError('BUSY', `${file} could not be started: ${reason}. ${hint}`, { workerId }, { cause: error });
}
