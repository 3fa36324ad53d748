export interface OneShotEnd {
  /** Standard output, cut at ONE_SHOT_OUTPUT_MAX_BYTES. */
  stdout: string;
  exitCode: number | null;
  /**
   * Reason why the console ended the run: it exceeded its time limit (`timeout`) or ONE_SHOT_OUTPUT_MAX_BYTES
   * (`flood`), or its signal aborted (`stopped`). Null if the process exited by itself.
   */
  ended: 'timeout' | 'flood' | 'stopped' | null;
}

/** Runs agents that answer one prompt without a terminal, and creates scratch repositories. */
export interface OneShots {
  /**
   * Runs an executable in an empty folder without standard input. When the executable has exited, ends the processes
   * that it left running.
   * @param spec.file absolute path. Neither `file` nor `args` is interpreted by a shell.
   * @throws BUSY while ONE_SHOTS_MAX are running, AGENT_UNAVAILABLE if the executable cannot be started.
   */
  run(spec: {
    file: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    limitMs: number;
    signal?: AbortSignal | undefined;
  }): Promise<OneShotEnd>;
  /** Creates a git repository with one empty commit. Returns its path. */
  makeRepository(): Promise<string>;
  removeRepository(path: string): Promise<void>;
  /** Returns the path of the folder that contains all scratch repositories. The path contains no symbolic links. */
  folder(): Promise<string>;
  /** Ends one-shot processes that earlier servers started, and deletes all scratch folders. Called once, at start. */
  sweep(): Promise<void>;
}
