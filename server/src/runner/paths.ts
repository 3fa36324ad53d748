import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import { isRunning } from './processes.ts';

/** Maximum length of the socket path, in bytes. The kernel's limit is 107 on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;

/** The sticky bit, which is set on folders that all users share, such as /tmp. */
const STICKY = 0o1000;

/**
 * A worker id, which is also a folder name. It contains no separator and no leading dot, so the folder cannot be
 * outside `<home>/workers`.
 */
export const WorkerId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be a worker id'));

/** Content of `<home>/runner.json`, which describes the running runner. */
const RunnerFile = v.object({
  socket: v.string(),
  pid: v.pipe(v.number(), v.integer()),
  startTime: v.string(),
  protocol: v.pipe(v.number(), v.integer()),
});
export type RunnerFile = v.InferOutput<typeof RunnerFile>;

export const runnerFilePath = (home: string) => path.join(home, 'runner.json');
export const runnerLogPath = (home: string) => path.join(home, 'runner.log');
export const serverLogPath = (home: string) => path.join(home, 'server.log');

/** Returns the folder of a worker. @throws VALIDATION for an invalid worker id. */
export function workerFolder(home: string, workerId: string): string {
  if (!v.is(WorkerId, workerId)) {
    throw new ConsoleError('VALIDATION', `"${workerId}" is not a worker id`, { workerId });
  }
  return path.join(home, 'workers', workerId);
}

export const outputFolder = (home: string, workerId: string) => path.join(workerFolder(home, workerId), 'output');

/**
 * Deletes the files of workers' processes, including tokens. No worker may be running. A running server deletes the
 * files of a worker when the worker ends (`machine/worker-files.ts`). Links are removed, never followed.
 */
export function clearProcessFiles(home: string): void {
  const workers = path.join(home, 'workers');
  if (!fs.existsSync(workers)) return;
  for (const name of fs.readdirSync(workers)) {
    fs.rmSync(path.join(workers, name, 'process'), { recursive: true, force: true, maxRetries: 2 });
  }
}

/**
 * Creates the data directory, or makes an existing one private (0700), and returns its real path.
 * @throws VALIDATION for a folder that cannot be created or written, and for one that other users need, because the
 * private mode would lock them out.
 */
export function prepareHome(home: string): string {
  try {
    createFolder(home);
    const real = fs.realpathSync(home);
    makePrivate(home, real);
    fs.accessSync(real, fs.constants.W_OK | fs.constants.X_OK);
    return real;
  } catch (cause) {
    if (cause instanceof ConsoleError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = 'Set AGENT_CONSOLE_HOME to a folder that you can create and write';
    throw new ConsoleError('VALIDATION', `${home} cannot be the data directory (${why}). ${hint}`, { home }, { cause });
  }
}

/** Creates a folder and its parents. The option `recursive` of `mkdirSync` never returns for a path such as `/proc/x`. */
function createFolder(folder: string): void {
  const isFolder = () => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder()) return;
  createFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the folder at the same time.
    if (!isFolder()) throw error;
  }
}

function makePrivate(home: string, real: string): void {
  const { mode } = fs.statSync(real);
  if ((mode & 0o077) === 0) return;
  const isShared = (mode & STICKY) !== 0 || real === '/' || real === os.homedir();
  if (isShared) {
    const hint = 'Set AGENT_CONSOLE_HOME to a separate folder';
    const message = `${home} cannot be the data directory, because other users share it. ${hint}`;
    throw new ConsoleError('VALIDATION', message, { home });
  }
  fs.chmodSync(real, 0o700);
}

/**
 * Returns the real path of the data directory. @throws RUNNER_UNAVAILABLE when the data directory does not exist,
 * because then nothing runs in it.
 */
export function existingHome(home: string): string {
  try {
    return fs.realpathSync(home);
  } catch (cause) {
    throw new ConsoleError(
      'RUNNER_UNAVAILABLE',
      `The data directory ${home} does not exist. Run \`agent-console serve\` to create it, or correct AGENT_CONSOLE_HOME`,
      { home },
      { cause },
    );
  }
}

/**
 * Returns the socket path for a new runner of `home`:
 * - in the data directory;
 * - if that path is too long for a socket, in a private folder (0700, owned by this user) in the temporary directory;
 * - if another user has a folder with that name, in a folder with a random name, which only `runner.json` stores.
 */
export function newSocketPath(home: string): string {
  const socket = defaultSocketPath(home);
  const folder = path.dirname(socket);
  if (folder === home) return socket;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isPrivate(folder)) return socket;
  } catch {
    // Another user has a file at the path of this folder, so a random suffix is added to the folder's name.
  }
  return path.join(fs.mkdtempSync(`${folder.slice(0, -RANDOM_SUFFIX_LENGTH)}-`), 'runner.sock');
}

/**
 * Returns the possible socket paths of the runner of `home`, most likely first: the path in `runner.json`, if the
 * process named there is alive, then the default path. Returns only paths in a private folder of this user.
 */
export function socketPaths(home: string): string[] {
  const file = readRunnerFile(home);
  const named = file !== undefined && isRunning(file) ? [file.socket] : [];
  return [...new Set([...named, defaultSocketPath(home)])].filter((socket) => isPrivate(path.dirname(socket)));
}

/** Length of the random suffix of a folder's name: a hyphen and the six characters that `mkdtemp` adds. */
const RANDOM_SUFFIX_LENGTH = 7;

function defaultSocketPath(home: string): string {
  const inside = path.join(home, 'runner.sock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_MAX_BYTES) return inside;
  const name = `agent-console-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  const folder = [os.tmpdir(), '/tmp']
    .map((parent) => path.join(parent, name))
    .find((candidate) => Buffer.byteLength(path.join(candidate, 'runner.sock')) <= SOCKET_PATH_MAX_BYTES);
  if (folder === undefined)
    throw new ConsoleError(
      'VALIDATION',
      `The data directory path ${home} is too long. Set AGENT_CONSOLE_HOME to a shorter path`,
    );
  return path.join(folder, 'runner.sock');
}

/** Reads a JSON file. Returns undefined if the file is missing, damaged or does not match the schema. */
export function readJson<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  try {
    return v.parse(schema, JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Reads `<home>/runner.json`, which may be missing. */
export const readRunnerFile = (home: string) => readJson(runnerFilePath(home), RunnerFile);

/** Replaces `<home>/runner.json` atomically. */
export function writeRunnerFile(home: string, content: RunnerFile): void {
  const temporary = `${runnerFilePath(home)}.new`;
  fs.writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  fs.renameSync(temporary, runnerFilePath(home));
}

/** Whether a folder exists, belongs to this user and cannot be entered by others. */
function isPrivate(folder: string): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  const uid = process.getuid?.();
  return stat?.isDirectory() === true && (uid === undefined || stat.uid === uid) && (stat.mode & 0o077) === 0;
}
