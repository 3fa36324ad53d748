/** What the application layer needs from whoever owns the processes. Nothing here may assume that it is local. */

/** How to start one process. A repeat with the same `workerId` answers with the process that is already there. */
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
  /** Start time in clock ticks since boot (`/proc/<pid>/stat` field 22); with the pid it names one process for ever. */
  startTime: string;
}

export interface ProcessExit {
  /** Log offset behind the last byte; everything before it is readable when this is known. */
  offset: number;
  exitCode: number | null;
  signal: string | null;
}

export interface ProcessInfo extends ProcessIdentity {
  workerId: string;
  /** Bytes ever written by the process, which is the offset of the next one. */
  logOffset: number;
  cols: number;
  rows: number;
  exit: ProcessExit | null;
}

interface OutputChunk {
  /** Absolute offset of the first byte of `data`. May be above the one asked for: older bytes were dropped. */
  offset: number;
  data: Buffer;
}

export interface InputReceipt {
  /** Log offset at the moment the bytes were taken: whatever the process prints because of them stands behind it. */
  offset: number;
  /** True when this input id had been taken before; the bytes were not typed again. */
  duplicate: boolean;
}

export interface OutputReader {
  /** Called in order, without gap or double. The buffer may be reused after the call returns: copy what is kept. */
  onData(chunk: OutputChunk): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called after the last byte. */
  onExit(exit: ProcessExit): void;
  /** The output cannot be followed any further; nothing comes after this. */
  onFailed(error: unknown): void;
}

export interface OutputSubscription {
  /** Says that everything below `offset` is processed; at most STREAM_WINDOW_BYTES travel beyond it. */
  ack(offset: number): void;
  close(): void;
}

export interface Runner {
  /**
   * Rejects with RUNNER_UNAVAILABLE, or AGENT_UNAVAILABLE when the binary or directory does not exist. Waits for as long
   * as the runner lives, since only its answer says whether there is a process.
   */
  spawn(spec: SpawnSpec): Promise<ProcessInfo>;
  /** Processes the runner knows: living ones, and ended ones until `forget`. */
  list(): Promise<ProcessInfo[]>;
  /** Types bytes once per `inputId`; resolves when the runner has taken them. NOT_FOUND for an unknown or ended worker. */
  input(workerId: string, inputId: string, data: Buffer): Promise<InputReceipt>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
  /** Sends a signal to the process group that is in the foreground (an interrupt as Ctrl-C would). */
  signal(workerId: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<void>;
  /**
   * Ends the whole process group: asks, waits `graceMs`, forces. Resolves with the exit. A start that is under way is
   * prevented, or ended. NOT_FOUND for an unknown worker.
   */
  end(workerId: string, graceMs: number): Promise<ProcessExit>;
  /** Forgets an ended worker and its input ids; its log stays readable. */
  forget(workerId: string): Promise<void>;
  /** Reads stored output from `offset`, at most `maxBytes`, also of ended and forgotten workers. */
  read(workerId: string, offset: number, maxBytes: number): Promise<OutputChunk>;
  /**
   * The same for whoever reads block after block: the answer is a part of `target`, and may be shorter than what is
   * stored. No bytes mean that nothing is stored from `offset` on.
   */
  readInto(workerId: string, offset: number, target: Buffer): Promise<OutputChunk>;
  /** First kept and next offset of a log, also of ended and forgotten workers; zeros when there is none. */
  extent(workerId: string): Promise<{ first: number; next: number }>;
  /** Deletes the stored output of an ended worker. */
  dropLog(workerId: string): Promise<void>;
  /**
   * Output from `fromOffset` on: first the size in force there, then what is stored, then live. One reader per
   * worker; a second call replaces it.
   */
  subscribe(workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription;
  /** Whether the runner answers now: false when it is stopped, overloaded or gone. */
  isResponsive(): Promise<boolean>;
  /** Called for every exit that happens while connected. */
  onExit(listener: (workerId: string, exit: ProcessExit) => void): void;
  /** Called once when the runner is gone: its workers are lost. */
  onGone(listener: () => void): void;
  /** From when it is gone: nothing can be started or reached until a server meets the next one. */
  readonly gone: boolean;
  readonly identity: ProcessIdentity;
}
