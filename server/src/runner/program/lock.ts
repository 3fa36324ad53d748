import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import * as v from 'valibot';
import { socketPaths } from '../paths.ts';
import { bootId, isRunning, startTimeOf } from '../processes.ts';

/** The process that has a data directory. With the boot it ran in, pid and start time name one process for ever. */
const Holder = v.object({
  generation: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  startTime: v.string(),
  boot: v.string(),
});
type Holder = v.InferOutput<typeof Holder>;

/**
 * Makes this process the only runner of a data directory for as long as it lives, and answers null; or answers with the
 * living process that is it already.
 *
 * `runner.lock` says whose the directory is, with a generation that grows by one each time a dead holder is followed.
 * Who follows generation n creates `runner.lock.<n+1>` exclusively, whole at once because it is a link to a finished
 * file, then replaces `runner.lock` and deletes the claims up to its own. A claim is deleted only when `runner.lock` has
 * reached its generation. So among those that saw the same dead holder one wins, and one that comes so late that its
 * claim was created anew reads the higher generation in `runner.lock` and withdraws. Whoever dies in between has left a
 * claim that is followed like any other holder. Nothing is outside the data directory, where only its owner can write.
 * @param home the real path of the data directory.
 */
export function claimHome(home: string): { pid: number } | null {
  const lock = path.join(home, 'runner.lock');
  for (;;) {
    const newest = newestHolder(lock);
    if (newest !== undefined && isAlive(newest)) return newest;
    const generation = (newest?.generation ?? 0) + 1;
    const mine: Holder = { generation, pid: process.pid, startTime: startTimeOf(process.pid), boot: bootId() };
    const claim = `${lock}.${generation}`;
    if (!createWhole(claim, mine)) continue;
    if ((read(lock)?.generation ?? 0) >= generation) {
      fs.rmSync(claim, { force: true });
      continue;
    }
    replace(lock, mine);
    sweep(lock, generation);
    return null;
  }
}

/** Whether somebody listens where a runner of `home` does, also one that is stopped. */
export async function somebodyListens(home: string): Promise<boolean> {
  for (const socketFile of socketPaths(home)) if (await accepts(socketFile)) return true;
  return false;
}

/** The holder with the highest generation: the one that `runner.lock` names, or who followed it and got no further. */
function newestHolder(lock: string): Holder | undefined {
  let newest = read(lock);
  for (;;) {
    const next = read(`${lock}.${(newest?.generation ?? 0) + 1}`);
    if (next === undefined) return newest;
    newest = next;
  }
}

function isAlive(holder: Holder): boolean {
  return holder.boot === bootId() && isRunning(holder);
}

/** Undefined for a file that is not there or not whole: only a person or a broken disk makes one like that. */
function read(file: string): Holder | undefined {
  try {
    const parsed = v.safeParse(Holder, JSON.parse(fs.readFileSync(file, 'utf8')));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** Creates a file with all of its content, or answers false when it is there already. */
function createWhole(file: string, content: Holder): boolean {
  const draft = writeDraft(file, content);
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: whoever became the runner meanwhile has deleted the draft.
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    if (read(file) === undefined && fs.existsSync(file))
      throw new Error(`${file} is damaged. Delete it, then start again`, { cause: error });
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function replace(file: string, content: Holder): void {
  fs.renameSync(writeDraft(file, content), file);
}

function writeDraft(file: string, content: Holder): string {
  const draft = `${file}.${randomUUID()}.draft`;
  const fd = fs.openSync(draft, 'wx', 0o600);
  try {
    fs.writeSync(fd, `${JSON.stringify(content)}\n`);
    // A machine that loses its power must not come back with an empty file under the final name.
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return draft;
}

/** Deletes claims that `runner.lock` has overtaken, and drafts of starts that were killed or come too late. */
function sweep(lock: string, upTo: number): void {
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
    // A queue of connections that is full belongs to somebody who listens and is stopped.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
