import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import * as v from 'valibot';
import { readJson, socketPaths } from '../paths.ts';
import { bootId, isRunning, startTimeOf } from '../processes.ts';

/** The process that owns a data directory. Boot id, pid and start time together identify a process permanently. */
const Owner = v.object({
  generation: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  startTime: v.string(),
  boot: v.string(),
});
type Owner = v.InferOutput<typeof Owner>;

/**
 * Makes this process the only runner of a data directory for its lifetime and returns null, or returns the living
 * process that already is the runner.
 *
 * `runner.lock` names the owner and its generation, a number that grows by one with each new owner. To replace a dead
 * owner of generation n, a process creates a claim, the file `runner.lock.<n+1>`. Creating the file fails if it exists,
 * so only one of the processes that saw the same dead owner becomes the next owner. The claim is a hard link to a
 * finished file, so that it is never incomplete. The new owner then replaces `runner.lock` and deletes all claims up to
 * generation n+1. A late process may create a claim again that was already deleted. It then finds that `runner.lock`
 * has reached the generation of its claim, deletes the claim and tries again. If a process dies before it has replaced
 * `runner.lock`, its claim remains. The dead process then counts as the newest owner and is replaced like any other
 * dead owner. All files are in the data directory, where only its user can write.
 * @param home the real path of the data directory.
 */
export function claimHome(home: string): { pid: number } | null {
  const lock = path.join(home, 'runner.lock');
  for (;;) {
    const newest = newestOwner(lock);
    if (newest !== undefined && isAlive(newest)) return newest;
    const generation = (newest?.generation ?? 0) + 1;
    const self: Owner = { generation, pid: process.pid, startTime: startTimeOf(process.pid), boot: bootId() };
    const claim = `${lock}.${generation}`;
    if (!createWhole(claim, self)) continue;
    if ((read(lock)?.generation ?? 0) >= generation) {
      fs.rmSync(claim, { force: true });
      continue;
    }
    replace(lock, self);
    deleteOldClaims(lock, generation);
    return null;
  }
}

/** Whether a process listens on a socket of the runner of `home`. Also true if that process is stopped (SIGSTOP). */
export async function isListening(home: string): Promise<boolean> {
  for (const socketFile of socketPaths(home)) if (await accepts(socketFile)) return true;
  return false;
}

/**
 * Returns the owner with the highest generation: the one in `runner.lock`, or the one in a newer claim, if its process
 * has not replaced `runner.lock` yet.
 */
function newestOwner(lock: string): Owner | undefined {
  let newest = read(lock);
  for (;;) {
    const next = read(`${lock}.${(newest?.generation ?? 0) + 1}`);
    if (next === undefined) return newest;
    newest = next;
  }
}

function isAlive(owner: Owner): boolean {
  return owner.boot === bootId() && isRunning(owner);
}

/**
 * Reads the owner that a lock or claim file names. Returns undefined if the file is missing, or damaged by a person or
 * a broken disk.
 */
const read = (file: string) => readJson(file, Owner);

/** Creates a file with all of its content. Returns false if the file already exists. */
function createWhole(file: string, content: Owner): boolean {
  const draft = writeDraft(file, content);
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT means that another process has become the runner in the meantime and has deleted the file `draft`.
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    if (read(file) === undefined && fs.existsSync(file))
      throw new Error(`${file} is damaged. Delete it, then start the console again`, { cause: error });
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function replace(file: string, content: Owner): void {
  fs.renameSync(writeDraft(file, content), file);
}

function writeDraft(file: string, content: Owner): string {
  const draft = `${file}.${randomUUID()}.draft`;
  const fd = fs.openSync(draft, 'wx', 0o600);
  try {
    fs.writeSync(fd, `${JSON.stringify(content)}\n`);
    // The file is synced before it gets its final name, so that a power loss leaves no empty file with that name.
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return draft;
}

/**
 * Deletes the claims (see `claimHome`) up to the generation of `runner.lock`, and the draft files of processes that
 * were killed or came too late to become the runner.
 */
function deleteOldClaims(lock: string, upTo: number): void {
  const prefix = `${path.basename(lock)}.`;
  for (const name of fs.readdirSync(path.dirname(lock))) {
    if (!name.startsWith(prefix)) continue;
    const suffix = name.slice(prefix.length);
    const isOvertaken = /^\d+$/.test(suffix) && Number(suffix) <= upTo;
    if (isOvertaken || suffix.endsWith('.draft')) fs.rmSync(path.join(path.dirname(lock), name), { force: true });
  }
}

function accepts(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketFile);
    // EAGAIN means that the socket's backlog is full: a process listens, but it is stopped.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
