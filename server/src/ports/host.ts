import type { Overlay } from './agents.ts';

/** Folders and addresses of this console, and the few files that operations keep beside the database. */
export interface Host {
  /** Where workers reach the console, e.g. `http://127.0.0.1:3457`. */
  baseUrl(): string;
  port(): number;
  repositoriesDir: string;
  transcriptsDir: string;
  /** Whether a folder is there; also false for a file. */
  isFolder(path: string): Promise<boolean>;
  /** Whether the folder that a process runs in was deleted; false where the machine does not tell. */
  isDeletedUnder(pid: number): Promise<boolean>;
  /** What a path relative to an existing folder leads to, symlinks followed; absolute ones are `outside`. */
  findInside(folder: string, path: string): Promise<'file' | 'folder' | 'other' | 'missing' | 'outside'>;
  /** The real path of an existing folder, symlinks resolved. */
  realPath(path: string): Promise<string>;
  /** Absolute path of a program on PATH, or null. */
  which(program: string): Promise<string | null>;
  /** Where the files of a worker's process are and where its hooks report, outside every worktree. */
  workerPaths(workerId: string): { folder: string; signalsFile: string };
  /** Writes the files (0600) of a worker's process, in place of those of an earlier one. */
  writeWorkerFiles(workerId: string, files: Readonly<Record<string, string>>, overlay: Overlay | null): Promise<void>;
  /** Texts of files of the person, by names relative to HOME; those that are not there or too large are missing. */
  readUserFiles(names: readonly string[]): Promise<Record<string, string>>;
  /** The absolute path of a file of the person by its name relative to HOME, whether it is there or not. */
  userPath(name: string): string;
  /** Removes what was kept for a worker's process, secrets first of all. */
  clearWorker(workerId: string): Promise<void>;
  /** Removes everything that was kept beside the output of a worker that is no more. */
  removeWorker(workerId: string): Promise<void>;
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
