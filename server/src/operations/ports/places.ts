/** Folders and addresses of this console, and the few files that operations keep beside the database. */
export interface Places {
  /** Where workers reach the console, e.g. `http://127.0.0.1:3457`. */
  baseUrl(): string;
  port(): number;
  repositoriesDir: string;
  transcriptsDir: string;
  /** Whether a folder is there; also false for a file. */
  isFolder(path: string): Promise<boolean>;
  /** The real path of an existing folder, symlinks resolved. */
  realPath(path: string): Promise<string>;
  /** Absolute path of a program on PATH, or null. */
  which(program: string): Promise<string | null>;
  /** Writes a worker's token (0600, outside every worktree) and answers where. */
  writeWorkerToken(workerId: string, token: string): Promise<string>;
  /** Removes what was kept for a worker's process: its token. */
  clearWorker(workerId: string): Promise<void>;
  /** Runs a saved command by `sh -c`; resolves with how it ended, never rejects for its exit status. */
  runCommand(spec: {
    command: string;
    cwd: string;
    env: Record<string, string>;
    limitMs: number;
  }): Promise<{ exitCode: number | null; signal: string | null; timedOut: boolean; output: string }>;
  /** The environment the server was started with. */
  environment: Readonly<Record<string, string | undefined>>;
}
