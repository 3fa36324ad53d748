import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';

/** Longest socket path in bytes; the kernel's own limit is 107 on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;

/** Mode bit of folders like /tmp, in which everybody keeps something. */
const STICKY = 0o1000;

/** A worker id as a folder name: no separator, no leading dot, so it cannot leave `<home>/workers`. */
export const WorkerId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'not a worker id'));

/** What `<home>/runner.json` tells about the living runner. */
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

/** Folder of one worker; throws VALIDATION for an id that is no plain name. */
export function workerFolder(home: string, workerId: string): string {
  if (!v.is(WorkerId, workerId)) {
    throw new ConsoleError('VALIDATION', `"${workerId}" is not a worker id`, { workerId });
  }
  return path.join(home, 'workers', workerId);
}

export const outputFolder = (home: string, workerId: string) => path.join(workerFolder(home, workerId), 'output');

/**
 * Makes the data directory, or an existing one private (0700), and answers with its real path.
 * @throws VALIDATION for a folder that others need, which would be locked for them.
 */
export function prepareHome(home: string): string {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const real = fs.realpathSync(home);
  const { mode } = fs.statSync(real);
  if ((mode & 0o077) === 0) return real;
  const isShared = (mode & STICKY) !== 0 || real === '/' || real === os.homedir();
  if (isShared) {
    const hint = 'Name a folder of its own with AGENT_CONSOLE_HOME';
    throw new ConsoleError('VALIDATION', `${home} cannot be the data directory: it is shared with others. ${hint}`, {
      home,
    });
  }
  fs.chmodSync(real, 0o700);
  return real;
}

/** Real path of a data directory. @throws RUNNER_UNAVAILABLE when there is none, for then nothing runs in it. */
export function existingHome(home: string): string {
  try {
    return fs.realpathSync(home);
  } catch (cause) {
    throw new ConsoleError('RUNNER_UNAVAILABLE', `The data directory ${home} does not exist`, { home }, { cause });
  }
}

/**
 * Where the runner of `home` listens: in the data directory, or, where that path would be too long for a socket, in a
 * private folder (0700, ours) below the temporary directory.
 * @throws PERMISSION_DENIED when somebody else owns that folder.
 */
export function socketPath(home: string): string {
  const inside = path.join(home, 'runner.sock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_MAX_BYTES) return inside;
  const name = `agent-console-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  const folder = [os.tmpdir(), '/tmp']
    .map((parent) => path.join(parent, name))
    .find((candidate) => Buffer.byteLength(path.join(candidate, 'runner.sock')) <= SOCKET_PATH_MAX_BYTES);
  if (folder === undefined) throw new ConsoleError('VALIDATION', `The data directory path ${home} is too long`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertPrivate(folder);
  return path.join(folder, 'runner.sock');
}

/** Reads `<home>/runner.json`; undefined when there is none or it is not whole. */
export function readRunnerFile(home: string): RunnerFile | undefined {
  try {
    const parsed = v.safeParse(RunnerFile, JSON.parse(fs.readFileSync(runnerFilePath(home), 'utf8')));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces `<home>/runner.json` in one step, so that no reader sees half of it. */
export function writeRunnerFile(home: string, content: RunnerFile): void {
  const beside = `${runnerFilePath(home)}.new`;
  fs.writeFileSync(beside, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  fs.renameSync(beside, runnerFilePath(home));
}

/** Refuses a folder that another user owns or can enter. */
export function assertPrivate(folder: string): void {
  const stat = fs.lstatSync(folder);
  const uid = process.getuid?.();
  if (!stat.isDirectory() || (uid !== undefined && stat.uid !== uid) || (stat.mode & 0o077) !== 0) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      `${folder} is not a private folder of this user. Remove it, or set AGENT_CONSOLE_HOME to a shorter path`,
      { folder },
    );
  }
}
