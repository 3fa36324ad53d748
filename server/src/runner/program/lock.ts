import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { socketPath } from '../paths.ts';
import { readStat } from '../processes.ts';

/**
 * Makes this process the only runner of a data directory, for as long as it lives; false when there is one already.
 * On Linux the lock is a name in the abstract socket space, which the kernel gives to one process and takes back at
 * its end, however it ends; so there is no stale lock and nothing to clean up after `kill -9`.
 * @param home the real path of the data directory.
 */
export async function becomeOnlyRunner(home: string): Promise<boolean> {
  if (process.platform !== 'linux') return lockByFile(path.join(home, 'runner.lock'));
  const { dev, ino } = fs.statSync(home);
  const identity = `${process.getuid?.()} ${dev} ${ino} ${home}`;
  const name = `\0agent-console-${createHash('sha256').update(identity).digest('hex')}`;
  const server = net.createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen({ path: name }, () => {
      server.unref();
      resolve(true);
    });
  });
}

/** Whether somebody accepts connections where the runner of `home` listens. */
export function runnerAnswers(home: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath(home));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Best effort where there are no abstract sockets: two starts at the moment in which a stale file is found may race. */
function lockByFile(file: string): boolean {
  for (let tries = 2; tries > 0; tries -= 1) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      process.once('exit', () => fs.rmSync(file, { force: true }));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isAlive(Number(fs.readFileSync(file, 'utf8')))) return false;
    fs.rmSync(file, { force: true });
  }
  return false;
}

function isAlive(pid: number): boolean {
  if (readStat(pid) !== undefined) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
