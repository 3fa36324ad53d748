import fs from 'node:fs';
import type tty from 'node:tty';
import { RUNNER_DRAIN_MAX_BYTES } from '@agent-console/shared/limits/runner';
import * as nodePty from 'node-pty';
import type { SpawnSpec } from '../port.ts';
import { type Driver, type DriverExit, openSlave, readNow, writeNow } from './driver.ts';
import type { Output } from './output.ts';

/** The part of node-pty's terminal that is missing in its typings. */
interface NodeTerminal {
  fd: number;
  _pty: string;
  _socket: tty.ReadStream;
}

const READ_BYTES = 65_536;

/**
 * Starts a process in a terminal with node-pty's reader. Used on platforms on which the reader of `pty.ts` has not been
 * verified. The runner keeps the slave side of the terminal open, so that the end of the output is not lost. This
 * delays the reported exit by about 200 ms.
 */
export function openPtyPortably(spec: SpawnSpec, output: Output, onExit: (exit: DriverExit) => void): Driver {
  const terminal = nodePty.spawn(spec.file, spec.args, {
    cols: spec.cols,
    rows: spec.rows,
    cwd: spec.cwd,
    env: spec.env,
    encoding: null,
  });
  const { fd, _pty: slavePath, _socket: reader } = terminal as unknown as NodeTerminal;
  const slave = openSlave(slavePath, () => {
    reader.destroy();
    terminal.kill('SIGKILL');
  });
  let waiting: Buffer[] = [];
  const deliver = (): boolean => {
    for (let chunk = waiting[0]; chunk !== undefined; chunk = waiting[0]) {
      const taken = output.push(chunk);
      if (taken < chunk.length) {
        waiting[0] = chunk.subarray(taken);
        return false;
      }
      waiting = waiting.slice(1);
    }
    return true;
  };
  terminal.onData((data) => {
    waiting.push(data as unknown as Buffer);
    deliver();
  });
  // 200 ms after the exit, node-pty destroys the reader, although the reader may not have read all output: it may be
  // paused, or this process may not have run for so long. So the rest is read first. `read` emits `data`.
  const destroy = reader.destroy.bind(reader);
  reader.destroy = (error) => {
    if (!reader.destroyed) {
      while (reader.read() !== null);
      waiting.push(...readRest(fd));
      deliver();
    }
    return destroy(error);
  };
  terminal.onExit(({ exitCode, signal }) => onExit({ code: exitCode, signal: signal ?? 0 }));
  return {
    pid: terminal.pid,
    // node-pty's own `write` accepts any amount, and keeps writing to the descriptor's number after the terminal was
    // closed, when the number may belong to another terminal or file.
    write: (data) => (reader.destroyed ? 0 : writeNow(fd, data)),
    pause: () => terminal.pause(),
    resume() {
      if (deliver()) terminal.resume();
    },
    resize(cols, rows) {
      if (!reader.destroyed) terminal.resize(cols, rows);
    },
    drain: deliver,
    close: () => fs.closeSync(slave),
  };
}

/** Reads a non-blocking descriptor until it is empty, at most RUNNER_DRAIN_MAX_BYTES. */
function readRest(file: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let remaining = RUNNER_DRAIN_MAX_BYTES; remaining > 0; ) {
    const chunk = Buffer.alloc(READ_BYTES);
    const bytes = readNow(file, chunk);
    if (bytes === 0) break;
    chunks.push(chunk.subarray(0, bytes));
    remaining -= bytes;
  }
  return chunks;
}
