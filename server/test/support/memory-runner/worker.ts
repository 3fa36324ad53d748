import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import type { InputReceipt, ProcessExit, ProcessIdentity, ProcessInfo, SpawnSpec } from '../../../src/ports/runner.ts';
import { endedError, InputQueue } from '../../../src/runner/program/input.ts';
import { MemoryLog } from './log.ts';
import type { MemoryProgram, OpenProgram, ProgramExit } from './programs.ts';

export interface Size {
  offset: number;
  cols: number;
  rows: number;
}

/** The stored data of a worker: its output, the sizes of its terminal, and its exit. */
export class Stored {
  readonly log = new MemoryLog();
  sizes: Size[] = [];
  exit: ProcessExit | null = null;
}

/** A worker of a memory runner, which runs or has ended. */
export class MemoryWorker {
  readonly stored: Stored;
  readonly spec: SpawnSpec;
  readonly #identity: ProcessIdentity;
  readonly #program: MemoryProgram;
  readonly #input: InputQueue;
  readonly #exited: Promise<ProcessExit>;
  #announceExit: (exit: ProcessExit) => void = () => undefined;
  readonly #changed: () => void;
  #exit: ProcessExit | null = null;
  #cols: number;
  #rows: number;

  /** @param changed called when the worker has new output, a new size or an exit for its readers. */
  constructor(options: {
    spec: SpawnSpec;
    identity: ProcessIdentity;
    stored: Stored;
    open: OpenProgram;
    changed: () => void;
    exited: (exit: ProcessExit) => void;
  }) {
    const { spec, identity, stored, open, changed, exited } = options;
    this.spec = spec;
    this.#identity = identity;
    this.stored = stored;
    this.#changed = changed;
    this.#cols = spec.cols;
    this.#rows = spec.rows;
    stored.exit = null;
    stored.sizes.push({ offset: stored.log.next, cols: spec.cols, rows: spec.rows });
    this.#exited = new Promise((resolve) => {
      this.#announceExit = (exit) => {
        resolve(exit);
        exited(exit);
      };
    });
    this.#input = new InputQueue({
      workerId: spec.workerId,
      write: (data) => this.#type(data),
      offset: () => stored.log.next,
    });
    this.#program = open({
      spec,
      print: (text) => this.#print(text),
      ended: (exit) => this.#finish(exit),
    });
  }

  get info(): ProcessInfo {
    const { workerId } = this.spec;
    const { log } = this.stored;
    return {
      workerId,
      ...this.#identity,
      logOffset: log.next,
      cols: this.#cols,
      rows: this.#rows,
      exit: this.#exit,
    };
  }

  get exit(): ProcessExit | null {
    return this.#exit;
  }

  input(inputId: string, data: Buffer): Promise<InputReceipt> {
    return this.#input.add(inputId, data);
  }

  resize(cols: number, rows: number): void {
    this.#assertLives();
    if (cols === this.#cols && rows === this.#rows) return;
    this.#cols = cols;
    this.#rows = rows;
    this.stored.sizes.push({ offset: this.stored.log.next, cols, rows });
    this.#changed();
  }

  signal(signal: NodeJS.Signals): void {
    this.#assertLives();
    if (signal === 'SIGKILL') this.kill();
    else this.#program.signal(signal);
  }

  kill(): void {
    this.#finish({ exitCode: null, signal: 'SIGKILL' });
  }

  async end(graceMs: number = END_GRACE_MS): Promise<ProcessExit> {
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) if (this.#exit === null) this.#program.signal(signal);
    if (this.#exit === null) {
      const force = setTimeout(() => this.kill(), graceMs);
      await this.#exited;
      clearTimeout(force);
    }
    return this.#exited;
  }

  /**
   * Takes input, and returns its size in bytes. Passes the input to the program in a later tick of the event loop, so
   * that the resulting output comes after the offset in the receipt.
   */
  #type(data: Buffer): number {
    const copy = Buffer.from(data);
    setImmediate(() => {
      if (this.#exit === null) this.#program.input(copy);
    });
    return data.length;
  }

  #print(text: string): void {
    if (this.#exit !== null) return;
    this.stored.log.append(Buffer.from(this.spec.mode === 'pty' ? text.replaceAll('\n', '\r\n') : text));
    this.#changed();
  }

  #finish({ exitCode, signal }: ProgramExit): void {
    if (this.#exit !== null) return;
    this.#exit = { offset: this.stored.log.next, exitCode, signal };
    this.stored.exit = this.#exit;
    this.#input.end();
    this.#program.stop();
    this.#changed();
    this.#announceExit(this.#exit);
  }

  #assertLives(): void {
    if (this.#exit !== null) throw endedError(this.spec.workerId);
  }
}
