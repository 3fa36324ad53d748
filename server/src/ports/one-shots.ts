export interface OneShotEnd {
  /** Standard output, cut at ONE_SHOT_OUTPUT_MAX_BYTES. */
  stdout: string;
  exitCode: number | null;
  /**
   * Why the console ended the run: it exceeded its time limit (`timeout`) or ONE_SHOT_OUTPUT_MAX_BYTES (`flood`). Null
   * if the process exited by itself.
   */
  ended: 'timeout' | 'flood' | null;
}

/** Runs agents that answer one prompt without a terminal, and creates scratch repositories. */
export interface OneShots {
  /**
   * Runs an executable in an empty folder without standard input, and ends all its processes once it has exited. BUSY
   * while ONE_SHOTS_MAX are running; AGENT_UNAVAILABLE if it cannot be started.
   * @param spec.file absolute path. Neither `file` nor `args` is interpreted by a shell.
   */
  run(spec: {
    file: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    limitMs: number;
  }): Promise<OneShotEnd>;
  /** Creates an empty git repository with one commit. Returns its path. */
  makeRepository(): Promise<string>;
  removeRepository(path: string): Promise<void>;
  /** Path of the folder that contains all scratch repositories, without symbolic links. */
  folder(): Promise<string>;
  /** Ends one-shot processes that earlier servers started, and deletes all scratch folders. Called once, at start. */
  sweep(): Promise<void>;
}
