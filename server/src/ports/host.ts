import type { Overlay } from './agents.ts';
import type { SessionRow, WorkerRow, WorktreeRow } from './rows.ts';

/**
 * The machine that worktrees and workers are on: its directories, files, programs and environment. What exists as a row is
 * passed as that row, so that another machine can have it; paths are those that people or the console choose.
 */
export interface Host {
  /** Where workers reach the console, for example `http://127.0.0.1:3457`. */
  baseUrl(): string;
  port(): number;
  repositoriesDir: string;
  transcriptsDir: string;
  /** Whether a path is an existing folder. */
  isFolder(path: string): Promise<boolean>;
  /** Whether the worktree's folder exists. */
  isPresent(worktree: Pick<WorktreeRow, 'path'>): Promise<boolean>;
  /** Whether the session's cwd exists. */
  hasCwd(session: Pick<SessionRow, 'cwd'>): Promise<boolean>;
  /** Whether the cwd of the worker's process was deleted; false where the platform does not report it. */
  isCwdDeleted(worker: Pick<WorkerRow, 'pid'>): Promise<boolean>;
  /** What a path relative to the session's cwd refers to, symlinks followed. Absolute paths are `outside`. */
  findInside(
    session: Pick<SessionRow, 'cwd'>,
    path: string,
  ): Promise<'file' | 'folder' | 'other' | 'missing' | 'outside'>;
  /** The real path of an existing folder, symlinks resolved. */
  realPath(path: string): Promise<string>;
  /** Absolute path of a program on PATH, or null. */
  which(program: string): Promise<string | null>;
  /** The folder for the files of a worker's process, and the file its hooks append to. Both are outside every worktree. */
  workerPaths(workerId: string): { folder: string; signalsFile: string };
  /** Writes the files (0600) of a worker's process, replacing those of an earlier one. */
  writeWorkerFiles(workerId: string, files: Readonly<Record<string, string>>, overlay: Overlay | null): Promise<void>;
  /** Contents of files of the user, by names relative to HOME, without files that do not exist or are too large. */
  readUserFiles(names: readonly string[]): Promise<Record<string, string>>;
  /** The absolute path of a file of the user, by its name relative to HOME. The file need not exist. */
  userPath(name: string): string;
  /** Deletes the files of a worker's process, which contain secrets. */
  clearWorker(workerId: string): Promise<void>;
  /** Deletes all files of a removed worker. */
  removeWorker(workerId: string): Promise<void>;
  /** Runs a saved command in a worktree by `sh -c`. Never rejects for its exit status. */
  runCommand(
    worktree: Pick<WorktreeRow, 'path'>,
    spec: { command: string; env: Record<string, string>; limitMs: number },
  ): Promise<{ exitCode: number | null; signal: string | null; timedOut: boolean; output: string }>;
  /** The environment the server was started with. */
  environment: Readonly<Record<string, string | undefined>>;
}
