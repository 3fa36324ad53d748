/** What engine and operations need from the owner of the processes. Nothing here may assume that it is local. */

/** How to start one process. A repetition with the same `workerId` returns the process that exists already. */
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
  /** Start time in clock ticks since boot (`/proc/<pid>/stat` field 22); with the pid it identifies one process forever. */
  startTime: string;
}

export interface ProcessExit {
  /** Log offset behind the last byte. All output before it is readable once the exit is known. */
  offset: number;
  exitCode: number | null;
  signal: string | null;
}

export interface ProcessInfo extends ProcessIdentity {
  workerId: string;
  /** Bytes written by the process so far, which is the offset of the next one. */
  logOffset: number;
  cols: number;
  rows: number;
  exit: ProcessExit | null;
}

interface OutputChunk {
  /** Absolute offset of the first byte of `data`; above the requested one when older bytes were dropped. */
  offset: number;
  data: Buffer;
}

export interface InputReceipt {
  /** Log offset when the bytes were typed: all output caused by them is behind it. */
  offset: number;
  /** True when this input id was typed before; the bytes were not typed again. */
  duplicate: boolean;
}

export interface OutputReader {
  /** Called in order, without gaps or repetitions. The buffer may be reused after the call: copy what is retained. */
  onData(chunk: OutputChunk): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called after the last byte. */
  onExit(exit: ProcessExit): void;
  /** The output cannot be followed any further; no other call follows. */
  onFailed(error: unknown): void;
}

export interface OutputSubscription {
  /** Acknowledges all output below `offset`; at most STREAM_WINDOW_BYTES are sent beyond it. */
  ack(offset: number): void;
  close(): void;
}

export interface Runner {
  /**
   * Waits as long as the runner lives, because only its answer tells whether there is a process.
   * @throws RUNNER_UNAVAILABLE, or AGENT_UNAVAILABLE when the binary or directory does not exist.
   */
  spawn(spec: SpawnSpec): Promise<ProcessInfo>;
  /** All processes of the runner: living ones, and ended ones until `forget`. */
  list(): Promise<ProcessInfo[]>;
  /** Types bytes once per `inputId`; resolves when the runner accepted them. NOT_FOUND for an unknown or ended worker. */
  input(workerId: string, inputId: string, data: Buffer): Promise<InputReceipt>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
  /** Sends a Unix signal to the foreground process group, as Ctrl-C sends SIGINT. */
  signal(workerId: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<void>;
  /**
   * Ends the whole process group: SIGHUP and SIGTERM, then after `graceMs` SIGKILL. Resolves with the exit. A start in progress is
   * prevented or ended. NOT_FOUND for an unknown worker.
   */
  end(workerId: string, graceMs: number): Promise<ProcessExit>;
  /** Forgets an ended worker and its input ids; its log stays readable. */
  forget(workerId: string): Promise<void>;
  /** Reads stored output from `offset`, at most `maxBytes`, also of ended and forgotten workers. */
  read(workerId: string, offset: number, maxBytes: number): Promise<OutputChunk>;
  /**
   * `read` into a buffer, for reading block after block: the returned data is a part of `target` and may be shorter than
   * what is stored. No bytes mean that nothing is stored from `offset` on.
   */
  readInto(workerId: string, offset: number, target: Buffer): Promise<OutputChunk>;
  /** First stored and next offset of a log, also of ended and forgotten workers; zeros without a log. */
  extent(workerId: string): Promise<{ first: number; next: number }>;
  /** Deletes the stored output of an ended worker. */
  dropLog(workerId: string): Promise<void>;
  /**
   * Output from `fromOffset` on: first the terminal size in force there, then stored output, then live output. One reader
   * per worker; a second call replaces it.
   */
  subscribe(workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription;
  /** Whether the runner answers now; false when it is stopped, overloaded or gone. */
  isResponsive(): Promise<boolean>;
  /** Called for every exit while connected. */
  onExit(listener: (workerId: string, exit: ProcessExit) => void): void;
  /** Called once when the runner is gone and its workers are lost. */
  onGone(listener: () => void): void;
  /** True once it is gone: nothing can be started or reached until a server connects to the next runner. */
  readonly gone: boolean;
  readonly identity: ProcessIdentity;
}
