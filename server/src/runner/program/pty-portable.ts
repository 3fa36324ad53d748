import fs from 'node:fs';
import * as nodePty from 'node-pty';
import type { SpawnSpec } from '../port.ts';
import type { Driver, DriverExit } from './driver.ts';
import type { Output } from './output.ts';

/**
 * Starts a process in a terminal through node-pty's public interface. Used on platforms on which the reader of `pty.ts`
 * has not been verified. The slave side stays open, so that the end of the output is not lost. This delays the reported
 * exit by about 200 ms.
 */
export function openPtyPortably(spec: SpawnSpec, output: Output, onExit: (exit: DriverExit) => void): Driver {
  const terminal = nodePty.spawn(spec.file, spec.args, {
    cols: spec.cols,
    rows: spec.rows,
    cwd: spec.cwd,
    env: spec.env,
    encoding: null,
  });
  const { _pty: slavePath } = terminal as unknown as { _pty: string };
  const slave = fs.openSync(slavePath, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
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
  terminal.onExit(({ exitCode, signal }) => onExit({ code: exitCode, signal: signal ?? 0 }));
  return {
    pid: terminal.pid,
    write(data) {
      terminal.write(data);
      return data.length;
    },
    pause: () => terminal.pause(),
    resume() {
      if (deliver()) terminal.resume();
    },
    resize: (cols, rows) => terminal.resize(cols, rows),
    drain: deliver,
    close: () => fs.closeSync(slave),
  };
}
