import fs from 'node:fs';
import tty from 'node:tty';
import * as nodePty from 'node-pty';
import type { SpawnSpec } from '../port.ts';
import { forgetTerminal, rememberTerminal, withoutGaps } from './descriptors.ts';
import { type Driver, type DriverExit, drainInto, openSlave, writeNow } from './driver.ts';
import type { Output } from './output.ts';

/**
 * The part of node-pty that is missing in its typings. The version is pinned (1.2.0-beta.15), because this part is not
 * public.
 */
interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number, xPixel: number, yPixel: number): void;
}

const { native } = nodePty as unknown as { native: NativePty };
const KEEP_ID = -1;

/**
 * Starts a process in its own terminal (Linux). node-pty's own reader loses the end of the output, because libuv treats
 * a short read at hang-up as the end of the file. So the runner keeps the slave side open and, after the exit, reads
 * until the kernel has no more output.
 * @throws when the machine has no terminal left.
 */
export function openPty(spec: SpawnSpec, output: Output, onExit: (exit: DriverExit) => void): Driver {
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const { file, args, cwd, cols, rows } = spec;
  const { fd, pid, pty } = withoutGaps(() =>
    native.fork(file, args, env, cwd, cols, rows, KEEP_ID, KEEP_ID, true, '', (code, signal) =>
      onExit({ code, signal }),
    ),
  );
  rememberTerminal(fd);
  const slave = openSlave(pty, () => {
    forgetTerminal(fd);
    fs.closeSync(fd);
    process.kill(pid, 'SIGKILL');
  });
  // The typings declare only the parameter for the descriptor. The constructor also passes options to net.Socket.
  const Reader = tty.ReadStream as unknown as new (fd: number, options: object) => tty.ReadStream;
  const reader = new Reader(fd, {
    onread: { buffer: () => output.space(), callback: (bytes: number) => output.received(bytes) },
  });
  reader.on('error', () => undefined);
  reader.resume();
  return {
    pid,
    write: (data) => writeNow(fd, data),
    pause: () => void reader.pause(),
    resume: () => void reader.resume(),
    resize: (cols, rows) => native.resize(fd, cols, rows, 0, 0),
    drain: () => drainInto(fd, output),
    close() {
      forgetTerminal(fd);
      reader.destroy();
      fs.closeSync(slave);
    },
  };
}
