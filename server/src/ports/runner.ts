/**
 * Port to the runner, the process that owns all worker processes. The types would also suit a runner on another
 * machine.
 */

/** Describes the process to start. Another `spawn` with the same `workerId` returns the existing process. */
export interface SpawnSpec {
  workerId: string;
  /** `pty`: a terminal of `cols` x `rows`. `pipe`: stdin, stdout and stderr without a terminal; stdout is the log. */
  mode: 'pty' | 'pipe';
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  cols: number;
  rows: number;
}

export interface ProcessIdentity {
  pid: number;
  /**
   * Start time in clock ticks since boot (`/proc/<pid>/stat` field 22). No other process ever has the same pid and
   * start time.
   */
  startTime: string;
}

export interface ProcessExit {
  /** Log offset after the last byte. When the exit is reported, all earlier output can be read. */
  offset: number;
  exitCode: number | null;
  signal: string | null;
}

export interface ProcessInfo extends ProcessIdentity {
  workerId: string;
  /** Number of bytes that the process has written so far, which is the offset of the next byte. */
  logOffset: number;
  cols: number;
  rows: number;
  exit: ProcessExit | null;
}

interface OutputChunk {
  /** Absolute offset of the first byte of `data`. Higher than the requested offset if older bytes were dropped. */
  offset: number;
  data: Buffer;
}

export interface InputReceipt {
  /** Log offset at which the bytes were typed. Output caused by them has a higher offset. */
  offset: number;
  /** Whether an input with this id was already typed. If so, the bytes were not typed again. */
  duplicate: boolean;
}

export interface OutputReader {
  /**
   * Called with all output in order, without gaps or repetitions. The buffer may be reused after the call, so retained
   * data must be copied.
   */
  onData(chunk: OutputChunk): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called once, after all output was passed to `onData`. */
  onExit(exit: ProcessExit): void;
  /** Called if the output can no longer be read. No other call follows. */
  onFailed(error: unknown): void;
}

export interface OutputSubscription {
  /** Acknowledges all output below `offset`. The runner sends at most STREAM_WINDOW_BYTES of unacknowledged output. */
  ack(offset: number): void;
  close(): void;
}

export interface Runner {
  /**
   * Starts a process. The call has no time limit while the runner lives, because only the runner's response shows
   * whether the process exists.
   * @throws RUNNER_UNAVAILABLE; AGENT_UNAVAILABLE if the executable or directory does not exist; BUSY if the machine
   * cannot run another process; CONFLICT if `end` was called for this worker during the start.
   */
  spawn(spec: SpawnSpec): Promise<ProcessInfo>;
  /**
   * Returns all processes of the runner: live ones, and the newest RUNNER_ENDED_KEPT ended ones until `forget` is
   * called for them.
   */
  list(): Promise<ProcessInfo[]>;
  /**
   * Types bytes, only once for each `inputId`. Resolves when the process's terminal or pipe has accepted the bytes.
   * @throws NOT_FOUND if the worker has no running process; BUSY if too much input already waits for the process;
   * CONFLICT if the process accepts no input; UNSUPPORTED for more than INPUT_MAX_BYTES to a runner of an earlier
   * build.
   */
  input(workerId: string, inputId: string, data: Buffer): Promise<InputReceipt>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
  /** Sends a Unix signal to the foreground process group, as Ctrl-C sends SIGINT. */
  signal(workerId: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<void>;
  /**
   * Ends the process and all others of its Unix session: SIGHUP and SIGTERM, then SIGKILL after `graceMs`. Also cancels
   * a start in progress.
   * @throws NOT_FOUND for an unknown worker or a cancelled start, TIMEOUT if a process survives SIGKILL.
   */
  end(workerId: string, graceMs: number): Promise<ProcessExit>;
  /**
   * Removes an ended worker and its input ids from the runner. The worker's log stays readable. @throws CONFLICT while
   * its process lives.
   */
  forget(workerId: string): Promise<void>;
  /** Reads stored output from `offset`, at most `maxBytes`, even for ended and forgotten workers. */
  read(workerId: string, offset: number, maxBytes: number): Promise<OutputChunk>;
  /**
   * Reads stored output from `offset` into `target`. The returned data is a part of `target`, and empty if nothing is
   * stored at or after `offset`.
   */
  readInto(workerId: string, offset: number, target: Buffer): Promise<OutputChunk>;
  /**
   * Returns the offset of the first stored byte of a log, and the offset at which its next byte is appended, even for
   * an ended worker. Both are 0 if there is no log.
   */
  extent(workerId: string): Promise<{ first: number; next: number }>;
  /**
   * Deletes the stored output, record and error output of an ended worker. @throws CONFLICT while its process lives.
   */
  dropLog(workerId: string): Promise<void>;
  /**
   * Streams the terminal size, and the stored and live output from `fromOffset` on. A worker has at most one reader: a
   * later call for the same worker replaces the earlier reader.
   */
  subscribe(workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription;
  /** Whether the runner responds now; false if it is stopped, overloaded or gone. */
  isResponsive(): Promise<boolean>;
  /** Registers a callback for the exit of every worker while the server is connected to the runner. */
  onExit(listener: (workerId: string, exit: ProcessExit) => void): void;
  /** Registers a callback that runs once when the runner is gone and its workers are lost. */
  onGone(listener: () => void): void;
  /** Whether the runner is gone. Nothing can then be started or reached until a server connects to the next runner. */
  readonly gone: boolean;
  readonly identity: ProcessIdentity;
}
