import type { Overlay } from './agents.ts';
import type { SessionRow, WorkerRow, WorktreeRow } from './rows.ts';

/** A folder of the machine, shown to a person who chooses a folder. */
export interface FolderEntry {
  name: string;
  path: string;
  /** Whether the folder is the top directory of a git checkout. */
  isRepository: boolean;
}

/**
 * The machine that contains the worktrees and runs the workers: its directories, files, executables and environment.
 * Methods take database rows of worktrees and sessions instead of paths, so that another implementation can serve other
 * machines. Only paths that a person, an agent or the console chooses are passed as text.
 */
export interface Host {
  /** Returns the address at which workers reach the console, for example `http://127.0.0.1:3457`. */
  baseUrl(): string;
  port(): number;
  repositoriesDir: string;
  transcriptsDir: string;
  isFolder(path: string): Promise<boolean>;
  /** Whether the worktree's folder exists. */
  isPresent(worktree: Pick<WorktreeRow, 'path'>): Promise<boolean>;
  /**
   * Returns the size of a worktree's folder on disk in bytes, as measured at most a few minutes ago. Null if the size
   * cannot be measured in time.
   */
  diskUsage(worktree: Pick<WorktreeRow, 'path'>): Promise<number | null>;
  hasCwd(session: Pick<SessionRow, 'cwd'>): Promise<boolean>;
  /** Whether the cwd of the worker's process was deleted; false if the platform does not report it. */
  isCwdDeleted(worker: Pick<WorkerRow, 'pid'>): Promise<boolean>;
  /**
   * Returns the type of the file at a path relative to the session's cwd, following symbolic links. `outside` if the
   * file is outside the cwd or the path is absolute, `missing` also if the cwd was deleted.
   */
  findInside(
    session: Pick<SessionRow, 'cwd'>,
    path: string,
  ): Promise<'file' | 'folder' | 'other' | 'missing' | 'outside'>;
  /**
   * Lists the visible folders in a folder that a person chose; undefined if the path is not a folder or cannot be read.
   * The returned paths begin with the real path of that folder.
   */
  listFolders(path: string): Promise<(FolderEntry & { folders: FolderEntry[] }) | undefined>;
  /** Returns an absolute path with symbolic links resolved. Its last folders need not exist. */
  realPath(path: string): Promise<string>;
  /** Returns the absolute path of an executable on PATH, or null. */
  which(program: string): Promise<string | null>;
  /**
   * Returns the folder of a worker's process, and the file to which the worker's hooks append. Both are outside every
   * worktree.
   */
  workerPaths(workerId: string): { folder: string; signalsFile: string };
  /** Writes the files (mode 0600) of a worker's process, replacing the files of the worker's earlier process. */
  writeWorkerFiles(workerId: string, files: Readonly<Record<string, string>>, overlay: Overlay | null): Promise<void>;
  /** Reads a file of a worker's process; null if it does not exist. */
  readWorkerFile(workerId: string, name: string): Promise<string | null>;
  /** Returns the end of the standard error output of a process without a terminal. Control sequences are removed. */
  readErrors(workerId: string): Promise<string>;
  /** Writes one file (mode 0600) of a worker's process. The process's other files stay unchanged. */
  writeWorkerFile(workerId: string, name: string, text: string): Promise<void>;
  /** Removes a file of a worker's process, if it exists. */
  removeWorkerFile(workerId: string, name: string): Promise<void>;
  /**
   * Reads a text file in one of `folders`, by its absolute path.
   * @throws PERMISSION_DENIED if the path leads outside the folders or into a git directory, or names a symbolic link;
   * VALIDATION if it is not absolute or names no readable file; NOT_FOUND; TOO_LARGE.
   */
  readText(folders: readonly string[], path: string): Promise<string>;
  /** Writes a text file in one of `folders`, with the same restrictions as `readText`. Missing folders are created. */
  writeText(folders: readonly string[], path: string, text: string): Promise<void>;
  /**
   * Returns the real path of a folder in the session's cwd, or of the cwd itself, by the folder's absolute path.
   * @throws PERMISSION_DENIED if the real path is outside the cwd or in a git directory; VALIDATION if the path is not
   * absolute or names no readable folder; NOT_FOUND.
   */
  realFolder(session: Pick<SessionRow, 'cwd'>, path: string): Promise<string>;
  /** Reads files of the user, by names relative to HOME. Files that do not exist or are too large are left out. */
  readUserFiles(names: readonly string[]): Promise<Record<string, string>>;
  /** Returns the absolute path of a file of the user, by its name relative to HOME. The file need not exist. */
  userPath(name: string): string;
  /** Deletes the files of a worker's process, which contain secrets. */
  clearWorker(workerId: string): Promise<void>;
  /** Deletes all files of a removed worker. */
  removeWorker(workerId: string): Promise<void>;
  /**
   * Runs a command of a repository in a worktree with `sh -c`. The promise does not reject if the command fails. If
   * `cancelled` aborts, the command is ended.
   */
  runCommand(
    worktree: Pick<WorktreeRow, 'path'>,
    spec: { command: string; env: Record<string, string>; limitMs: number; cancelled?: AbortSignal | undefined },
  ): Promise<{ exitCode: number | null; signal: string | null; timedOut: boolean; output: string }>;
  /**
   * Ends commands that an earlier server started with `runCommand` and left running, and waits until they have ended.
   * Called once, at the start.
   */
  endLeftoverCommands(): Promise<void>;
  /**
   * Starts a program that outlives the server, without a shell. Resolves when the program has ended, or after
   * EDITOR_START_MS with the `exitCode` null. `output` is the end of the program's standard error output.
   */
  startProgram(
    file: string,
    args: readonly string[],
    options: { cwd: string; env: Record<string, string> },
  ): Promise<{ exitCode: number | null; output: string }>;
  /** The environment with which the server was started. */
  environment: Readonly<Record<string, string | undefined>>;
}
