import { ConsoleError } from '@agent-console/shared/errors';
import type { ProcessExit, ProcessIdentity, ProcessInfo, SpawnSpec } from '../../../src/ports/runner.ts';
import type { LocalRunner } from '../../../src/runner/client.ts';
import { workerFolder } from '../../../src/runner/paths.ts';
import { assertStartable } from '../../../src/runner/program/executable.ts';
import { endedError } from '../../../src/runner/program/input.ts';
import { createConnection } from './connection.ts';
import type { OpenProgram } from './programs.ts';
import { MemoryWorker, Stored } from './worker.ts';

/** Larger than any pid of Linux, so that the pids of a memory runner never match a process. */
const FIRST_PID = 10_000_000;

let lastPid = FIRST_PID;

function newIdentity(): ProcessIdentity {
  lastPid += 1;
  return { pid: lastPid, startTime: String(lastPid) };
}

/** Checks that the id is valid as the name of a folder. @throws VALIDATION if it is not */
function assertName(workerId: string): void {
  workerFolder('/', workerId);
}

export interface MemoryRunnerOptions {
  /** Returns the program that a worker with this specification runs; undefined if there is none. */
  program(spec: SpawnSpec): OpenProgram | undefined;
  /** Called before a program starts. The start waits until the returned promise resolves. */
  beforeStart?: ((spec: SpawnSpec) => Promise<void>) | undefined;
}

/** The members of the runner that its connections use. */
export interface RunnerSide {
  readonly identity: ProcessIdentity;
  readonly gone: boolean;
  readonly connections: Set<{ changed(workerId: string): void; exited(workerId: string, exit: ProcessExit): void }>;
  spawn(spec: SpawnSpec): Promise<ProcessInfo>;
  list(): ProcessInfo[];
  /** Returns the worker with this id. @throws NOT_FOUND if there is none */
  worker(workerId: string): MemoryWorker;
  forget(workerId: string): void;
  dropLog(workerId: string): void;
  /**
   * Returns the stored output of a worker; it is empty if nothing is stored. @throws VALIDATION for an id that is not a
   * plain name.
   */
  stored(workerId: string): Stored;
  /** Returns the output and exit of a worker for a reader. The exit is kept even if the log was dropped. */
  followed(workerId: string): Stored;
  lives(workerId: string): boolean;
  onGone(listener: () => void): void;
}

export interface MemoryRunner {
  /** Connects a server. Closing the connection does not affect programs, and other servers can connect. */
  connect(): LocalRunner;
  /** Returns the running workers, and the ended workers that no server has told the runner to forget. */
  list(): ProcessInfo[];
  /** Returns the specification of a worker that runs or has ended. @throws NOT_FOUND if there is none */
  specOf(workerId: string): SpawnSpec;
  lives(workerId: string): boolean;
  /** Ends one program as a SIGKILL from another process would. @throws NOT_FOUND if there is none */
  kill(workerId: string): void;
  /** Ends the runner and all programs in it, like a crash. */
  die(): void;
  close(): Promise<void>;
}

/**
 * A runner in the process of a test. Its programs are objects, not processes. As with the real runner, each response,
 * byte and event arrives asynchronously, in the order in which it was sent.
 */
export function createMemoryRunner(options: MemoryRunnerOptions): MemoryRunner {
  const workers = new Map<string, MemoryWorker>();
  const starting = new Map<string, Promise<ProcessInfo>>();
  const storage = new Map<string, Stored>();
  const goneListeners: (() => void)[] = [];
  let gone = false;

  async function start(spec: SpawnSpec): Promise<ProcessInfo> {
    await assertStartable(spec);
    await options.beforeStart?.(spec);
    if (gone)
      throw new ConsoleError('RUNNER_UNAVAILABLE', 'The runner is stopping. Start it again with `agent-console serve`');
    const open = options.program(spec);
    if (open === undefined) {
      throw new Error(
        `the memory runner has no program for ${[spec.file, ...spec.args].join(' ')}; use a real console in this test`,
      );
    }
    const { workerId } = spec;
    const stored = storage.get(workerId) ?? new Stored();
    storage.set(workerId, stored);
    const worker = new MemoryWorker({
      spec,
      identity: newIdentity(),
      stored,
      open,
      changed: () => {
        for (const connection of side.connections) connection.changed(workerId);
      },
      exited: (exit) => {
        for (const connection of side.connections) connection.exited(workerId, exit);
      },
    });
    workers.set(workerId, worker);
    return worker.info;
  }

  function assertEnded(workerId: string): void {
    const worker = workers.get(workerId);
    if (starting.has(workerId) || (worker !== undefined && worker.exit === null)) {
      throw new ConsoleError('CONFLICT', `Worker ${workerId} is still running. End it first`, { workerId });
    }
  }

  const side: RunnerSide = {
    identity: newIdentity(),
    get gone() {
      return gone;
    },
    connections: new Set(),
    async spawn(spec) {
      assertName(spec.workerId);
      const known = workers.get(spec.workerId);
      if (known !== undefined) return known.info;
      const joined = starting.get(spec.workerId) ?? start(spec);
      starting.set(spec.workerId, joined);
      try {
        return await joined;
      } finally {
        starting.delete(spec.workerId);
      }
    },
    list: () => [...workers.values()].map((worker) => worker.info),
    worker(workerId) {
      const worker = workers.get(workerId);
      if (worker === undefined) throw endedError(workerId);
      return worker;
    },
    forget(workerId) {
      assertEnded(workerId);
      workers.delete(workerId);
    },
    dropLog(workerId) {
      assertEnded(workerId);
      storage.get(workerId)?.log.drop();
      storage.delete(workerId);
    },
    stored(workerId) {
      assertName(workerId);
      return storage.get(workerId) ?? new Stored();
    },
    followed: (workerId) => workers.get(workerId)?.stored ?? side.stored(workerId),
    lives: (workerId) => workers.get(workerId)?.exit === null,
    onGone: (listener) => void goneListeners.push(listener),
  };

  return {
    connect: () => createConnection(side),
    list: side.list,
    specOf: (workerId) => side.worker(workerId).spec,
    lives: side.lives,
    kill: (workerId) => side.worker(workerId).kill(),
    die() {
      gone = true;
      // Drops the connections first, so that they do not receive the exits of the workers, as after a real crash.
      side.connections.clear();
      for (const worker of workers.values()) {
        worker.kill();
        // A runner that has died cannot record how its workers ended.
        worker.stored.exit = null;
      }
      workers.clear();
      for (const listener of goneListeners.splice(0)) listener();
    },
    async close() {
      await Promise.allSettled(starting.values());
      for (const worker of workers.values()) worker.kill();
    },
  };
}
