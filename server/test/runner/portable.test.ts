import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as nodePty from 'node-pty';
import { describe, expect, it } from 'vitest';
import { LogWriter, readLog } from '../../src/runner/log.ts';
import { readStat } from '../../src/runner/processes.ts';
import type { Driver, DriverExit } from '../../src/runner/program/driver.ts';
import { Output } from '../../src/runner/program/output.ts';
import { openPtyPortably } from '../../src/runner/program/pty-portable.ts';
import { until } from '../support/until.ts';
import { inParallel, seqOutput, sha256, shell, terminal } from './helpers.ts';

describe('a terminal opened without private parts of node-pty', () => {
  it('loses no output when the process exits', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-portable-'));
    const expected = seqOutput(20_000);
    await inParallel(20, 4, async (index) => {
      const log = path.join(folder, String(index));
      const output = new Output(new LogWriter(log), {
        written: () => undefined,
        blocked: () => undefined,
        unblocked: () => undefined,
      });
      let driver: Driver | undefined;
      const exit = await new Promise<DriverExit>((resolve) => {
        driver = openPtyPortably(terminal('seq', ['1', '20000']), output, resolve);
      });
      expect(exit).toEqual({ code: 0, signal: 0 });
      expect([driver?.drain(), output.flush()]).toEqual([true, true]);
      driver?.close();
      output.close();
      const { data } = await readLog(log, 0, expected.length + 1);
      expect(sha256(data)).toBe(sha256(expected));
    });
    fs.rmSync(folder, { recursive: true });
  });

  it('loses no output that was not read before the process exited', async () => {
    const log = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-portable-'));
    const output = new Output(new LogWriter(log), {
      written: () => undefined,
      blocked: () => undefined,
      unblocked: () => undefined,
    });
    let driver: Driver | undefined;
    await new Promise<DriverExit>((resolve) => {
      driver = openPtyPortably(terminal('seq', ['1', '500']), output, resolve);
      driver.pause();
    });
    expect([driver?.drain(), output.flush()]).toEqual([true, true]);
    driver?.close();
    output.close();
    const expected = seqOutput(500);
    const { data } = await readLog(log, 0, expected.length + 1);
    expect(Buffer.from(data).toString()).toBe(expected.toString());
    fs.rmSync(log, { recursive: true });
  });

  it('accepts no more input than the program has room for, and none after the exit', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-portable-'));
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const output = new Output(new LogWriter(folder), {
      written: (_, data) => {
        if (data.includes('ready')) isReady();
      },
      blocked: () => undefined,
      unblocked: () => undefined,
    });
    let onExit: () => void = () => undefined;
    const exited = new Promise<void>((resolve) => {
      onExit = resolve;
    });
    const driver = openPtyPortably(shell('stty raw -echo; echo ready; exec sleep 1000'), output, onExit);
    await ready;
    const input = Buffer.alloc(1_000_000, 'x');
    const accepted = driver.write(input);
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(input.length);
    process.kill(driver.pid, 'SIGKILL');
    await exited;
    // The number of the terminal's descriptor is free again, so the next file may get it.
    const files = Array.from({ length: 10 }, (_, index) => fs.openSync(path.join(folder, `file ${index}`), 'w'));
    expect(driver.write(input)).toBe(0);
    driver.resize(100, 30);
    expect(files.map((file) => fs.fstatSync(file).size)).toEqual(files.map(() => 0));
    for (const file of files) fs.closeSync(file);
    driver.close();
    output.close();
    fs.rmSync(folder, { recursive: true });
  });

  it('ends the process if the slave side cannot be opened', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-portable-'));
    const terminals: nodePty.IPty[] = [];
    const prototype = Object.getPrototypeOf(nodePty.spawn('true', [], {})) as object;
    // node-pty stores the path of the slave side in this property.
    Object.defineProperty(prototype, '_pty', {
      configurable: true,
      get: () => path.join(folder, 'no-terminal'),
      set(this: nodePty.IPty) {
        terminals.push(this);
      },
    });
    const output = new Output(new LogWriter(folder), {
      written: () => undefined,
      blocked: () => undefined,
      unblocked: () => undefined,
    });
    try {
      expect(() => openPtyPortably(terminal('sleep', ['1000']), output, () => undefined)).toThrow('ENOENT');
    } finally {
      Reflect.deleteProperty(prototype, '_pty');
    }
    const [{ pid } = { pid: 0 }] = terminals;
    expect(pid).toBeGreaterThan(0);
    await until('its end', () => readStat(pid) === undefined);
    output.close();
    fs.rmSync(folder, { recursive: true });
  });

  it('accepts input and size changes, and reports the signal that ended it', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-portable-'));
    const output = new Output(new LogWriter(folder), {
      written: (_, data) => {
        if (data.includes('ready')) {
          driver.resize(100, 30);
          driver.write(Buffer.from('go\n'));
        }
      },
      blocked: () => undefined,
      unblocked: () => undefined,
    });
    let resolve: (exit: DriverExit) => void = () => undefined;
    const exited = new Promise<DriverExit>((done) => {
      resolve = done;
    });
    const spec = shell('stty -echo; echo ready; read line; stty size; kill -KILL $$');
    const driver: Driver = openPtyPortably(spec, output, (exit) => resolve(exit));
    expect(await exited).toEqual({ code: 0, signal: os.constants.signals.SIGKILL });
    output.flush();
    driver.close();
    output.close();
    expect((await readLog(folder, 0, 1_000)).data.toString()).toBe('ready\r\n30 100\r\n');
    fs.rmSync(folder, { recursive: true });
  });
});
