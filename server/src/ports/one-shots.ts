/** How a program ended that was asked one question. */
export interface OneShotEnd {
  /** What it printed, cut at ONE_SHOT_OUTPUT_MAX_BYTES. */
  stdout: string;
  exitCode: number | null;
  /** Why we ended it, if we did: its time was over, or it printed more than an answer. */
  ended: 'timeout' | 'flood' | null;
}

/** Agents' programs that answer one question without a terminal, and folders that are nobody's. */
export interface OneShots {
  /**
   * Runs a program in an empty folder of its own, with nothing to read, and ends it with all it started when it has
   * answered. BUSY while ONE_SHOTS_MAX of them run; AGENT_UNAVAILABLE when it cannot be started.
   * @param spec.file absolute path; no shell reads it or `args`.
   */
  run(spec: {
    file: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    limitMs: number;
  }): Promise<OneShotEnd>;
  /** Makes a folder with an empty git repository that has one commit; answers its path. */
  makeRepository(): Promise<string>;
  removeRepository(path: string): Promise<void>;
  /** Ends what a dead server left running, and removes every folder; once, at start. */
  sweep(): Promise<void>;
}
