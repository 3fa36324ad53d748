import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { LOG_CAP_BYTES, LOG_SEGMENT_BYTES, STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { describe, expect, it } from 'vitest';
import { connectRunner } from '../../src/runner/client.ts';
import { readRecord } from '../../src/runner/record.ts';
import { until } from '../support/until.ts';
import { follow, isAlive, neverFails, script, seqOutput, sha256, shell, terminal, useRunner } from './helpers.ts';

const setup = useRunner();
const MIB = 1024 * 1024;

/** Peak memory of a process in MiB. */
function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Limits the size of the files that a process writes, to simulate a full disk. */
function limitFiles(pid: number, bytes: string): void {
  execFileSync('env', ['prlimit', '--pid', `${pid}`, `--fsize=${bytes}:unlimited`]);
}

describe('a reader that does not acknowledge', () => {
  it('gets no more than its window, does not delay the process, and gets the rest once it acknowledges', async () => {
    const { runner } = await setup.start();
    const expected = seqOutput(2_000_000);
    const before = peakMemory(runner.identity.pid);
    const spec = terminal('seq', ['1', '2000000']);
    const ended = new Promise<void>((resolve) => runner.onExit(() => resolve()));
    await runner.spawn(spec);
    const hash = createHash('sha256');
    let next = 0;
    const subscription = runner.subscribe(spec.workerId, 0, {
      onData({ offset, data }) {
        expect(offset).toBe(next);
        next += data.length;
        hash.update(data);
        if (next > STREAM_WINDOW_BYTES) subscription.ack(next);
      },
      onResized: () => undefined,
      onExit: () => finished(),
      onFailed: neverFails,
    });
    let finished: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finished = resolve;
    });
    await ended;
    // The runner sends output and responses in order, so all earlier output has arrived when this call returns.
    await runner.list();
    expect(next).toBeGreaterThan(STREAM_WINDOW_BYTES / 2);
    expect(next).toBeLessThanOrEqual(STREAM_WINDOW_BYTES);
    expect(peakMemory(runner.identity.pid) - before).toBeLessThan(32);
    subscription.ack(next);
    await done;
    expect({ next, hash: hash.digest('hex') }).toEqual({ next: expected.length, hash: sha256(expected) });
  });

  it('does not delay a second connection that reads the same worker', async () => {
    const { home, runner } = await setup.start();
    const other = await connectRunner({ home });
    const spec = terminal('seq', ['1', '500000']);
    await runner.spawn(spec);
    const stalled = follow(runner, spec.workerId, 0, false);
    const healthy = follow(other, spec.workerId);
    await healthy.exit;
    expect(healthy.hash()).toBe(sha256(seqOutput(500_000)));
    expect(stalled.bytes()).toBeLessThanOrEqual(STREAM_WINDOW_BYTES);
    other.close();
  });
});

describe('a reader on a second connection', () => {
  it('continues at the offset at which the first one was closed in the middle of a flood', async () => {
    const { home, runner: first } = await setup.start();
    const expected = seqOutput(1_500_000);
    const spec = terminal('seq', ['1', '1500000']);
    await first.spawn(spec);
    const hash = createHash('sha256');
    let next = 0;
    await new Promise<void>((resolve) => {
      const subscription = first.subscribe(spec.workerId, 0, {
        onData({ data }) {
          if (next > 2 * MIB) return;
          hash.update(data);
          next += data.length;
          subscription.ack(next);
          if (next > 2 * MIB) {
            first.close();
            resolve();
          }
        },
        onResized: () => undefined,
        onExit: () => undefined,
        onFailed: neverFails,
      });
    });
    const second = await connectRunner({ home });
    const exit = await new Promise<{ offset: number }>((resolve) => {
      const subscription = second.subscribe(spec.workerId, next, {
        onData({ offset, data }) {
          expect(offset).toBe(next);
          hash.update(data);
          next += data.length;
          subscription.ack(next);
        },
        onResized: () => undefined,
        onExit: resolve,
        onFailed: neverFails,
      });
    });
    expect(exit.offset).toBe(expected.length);
    expect(hash.digest('hex')).toBe(sha256(expected));
  });

  it('gets the stored output of an ended, forgotten worker, and how it ended', async () => {
    const { runner } = await setup.start();
    const spec = shell('printf kept; exit 4');
    await runner.spawn(spec);
    await follow(runner, spec.workerId).exit;
    await runner.forget(spec.workerId);
    expect(await runner.list()).toEqual([]);
    const late = follow(runner, spec.workerId);
    expect(await late.exit).toEqual({ offset: 4, exitCode: 4, signal: null });
    expect(late.text()).toBe('kept');
  });
});

describe('a reader that the runner refuses', () => {
  it('is told why', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('cat', []);
    await runner.spawn(spec);
    const reader = { onData: neverFails, onResized: neverFails, onExit: neverFails };
    const failure = await new Promise((resolve) => {
      runner.subscribe(spec.workerId, -1, { ...reader, onFailed: resolve });
    });
    expect(failure).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('a reader that lags behind when the log is deleted', () => {
  it('is still told the end', async () => {
    const { runner } = await setup.start();
    const spec = terminal('seq', ['1', '500000']);
    const ended = new Promise<void>((resolve) => runner.onExit(() => resolve()));
    await runner.spawn(spec);
    let next = 0;
    let finished: (exit: { offset: number }) => void = () => undefined;
    const done = new Promise<{ offset: number }>((resolve) => {
      finished = resolve;
    });
    const subscription = runner.subscribe(spec.workerId, 0, {
      onData: ({ offset, data }) => {
        next = offset + data.length;
      },
      onResized: () => undefined,
      onExit: (exit) => finished(exit),
      onFailed: neverFails,
    });
    await ended;
    await runner.dropLog(spec.workerId);
    subscription.ack(next);
    expect((await done).offset).toBe(seqOutput(500_000).length);
    expect(next).toBeLessThan(2 * STREAM_WINDOW_BYTES);
  });
});

describe('the size of a terminal', () => {
  it('changes for the process, and readers are told the change at its place in the output', async () => {
    const { home, runner } = await setup.shared();
    const spec = shell('stty -echo; echo ready; read a; stty size; read b; stty size');
    await runner.spawn(spec);
    const seen: string[] = [];
    const ended = new Promise<void>((resolve) => {
      runner.subscribe(spec.workerId, 0, {
        onData: ({ data }) => void seen.push(data.toString()),
        onResized: ({ offset, cols, rows }) => void seen.push(`[${cols}x${rows} at ${offset}]`),
        onExit: () => resolve(),
        onFailed: neverFails,
      });
    });
    await until('it is ready', () => seen.join('').includes('ready'));
    await runner.resize(spec.workerId, 100, 30);
    await runner.input(spec.workerId, 'one', Buffer.from('\n'));
    await until('it told its size', () => seen.join('').includes('30 100'));
    await runner.resize(spec.workerId, 120, 40);
    await runner.input(spec.workerId, 'two', Buffer.from('\n'));
    await ended;
    const expected = '[80x24 at 0]ready\r\n[100x30 at 7]30 100\r\n[120x40 at 15]40 120\r\n';
    expect(seen.join('')).toBe(expected);
    const late: string[] = [];
    await new Promise<void>((resolve) => {
      runner.subscribe(spec.workerId, 0, {
        onData: ({ data }) => void late.push(data.toString()),
        onResized: ({ offset, cols, rows }) => void late.push(`[${cols}x${rows} at ${offset}]`),
        onExit: () => resolve(),
        onFailed: neverFails,
      });
    });
    expect(late.join('')).toBe(expected);
    const record = await readRecord(home, spec.workerId);
    expect(record.map((line) => `${line.kind}@${line.offset}`)).toEqual([
      'spawned@0',
      'resized@7',
      'resized@15',
      'exited@23',
    ]);
  });
});

describe('the stored output', () => {
  it('is limited to its newest part, whose beginning is reported', async () => {
    const { runner } = await setup.start();
    const total = LOG_CAP_BYTES + 2 * LOG_SEGMENT_BYTES;
    const spec = script(`
      process.stdin.setRawMode(true);
      const fs = require('node:fs');
      const line = Buffer.alloc(65536);
      for (let at = 0; at < ${total}; at += line.length) {
        for (let i = 0; i < line.length; i += 16) line.write(String(at + i).padStart(16, '0'), i);
        for (let done = 0; done < line.length; ) done += fs.writeSync(1, line, done);
      }
      process.exit(0);`);
    await runner.spawn(spec);
    const ended = new Promise<void>((resolve) => runner.onExit(() => resolve()));
    await ended;
    const { first, next } = await runner.extent(spec.workerId);
    expect(next).toBe(total);
    expect(next - first).toBeLessThanOrEqual(LOG_CAP_BYTES);
    expect(next - first).toBeGreaterThan(LOG_CAP_BYTES - 3 * LOG_SEGMENT_BYTES);
    const chunk = await runner.read(spec.workerId, 5, 32);
    expect(chunk.offset).toBe(first);
    const number = Math.ceil(first / 16) * 16;
    expect(chunk.data.subarray(number - first, number - first + 16).toString()).toBe(String(number).padStart(16, '0'));
    const offsets: number[] = [];
    const exit = await new Promise<{ offset: number }>((resolve) => {
      const subscription = runner.subscribe(spec.workerId, 5, {
        onData({ offset, data }) {
          offsets.push(offset);
          subscription.ack(offset + data.length);
        },
        onResized: () => undefined,
        onExit: resolve,
        onFailed: neverFails,
      });
    });
    expect(offsets[0]).toBe(first);
    expect(exit.offset).toBe(total);
    await runner.forget(spec.workerId);
    await runner.dropLog(spec.workerId);
    expect(await runner.extent(spec.workerId)).toEqual({ first: 0, next: 0 });
  });

  it('has no gap if writing fails for a while, during which the process waits', async () => {
    const { runner } = await setup.start();
    const expected = seqOutput(300_000);
    const reasons: (string | null)[] = [];
    const blocked = new Promise<void>((resolve) => {
      runner.onLogBlocked((_, reason) => {
        reasons.push(reason);
        resolve();
      });
    });
    limitFiles(runner.identity.pid, '100000');
    const spec = terminal('seq', ['1', '300000']);
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await blocked;
    const [info] = await runner.list();
    expect(info).toMatchObject({ logOffset: 100_000, exit: null });
    limitFiles(runner.identity.pid, 'unlimited');
    const exit = await followed.exit;
    expect({ offset: exit.offset, hash: followed.hash() }).toEqual({
      offset: expected.length,
      hash: sha256(expected),
    });
    expect(reasons).toEqual([expect.stringContaining('EFBIG'), null]);
  });

  it.each(['pty', 'pipe'] as const)('of a process (%s) that ended while writing failed is complete', async (mode) => {
    const { runner } = await setup.start();
    const expected = mode === 'pty' ? seqOutput(1_500) : Buffer.from(seqOutput(1_500).toString().replaceAll('\r', ''));
    const blocked = new Promise<void>((resolve) => runner.onLogBlocked(() => resolve()));
    limitFiles(runner.identity.pid, '1000');
    const spec = terminal('seq', ['1', '1500'], { mode });
    const { pid } = await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await blocked;
    await until('the process has ended', () => !isAlive(pid));
    expect((await runner.list())[0]).toMatchObject({ logOffset: 1_000, exit: null });
    limitFiles(runner.identity.pid, 'unlimited');
    expect(await followed.exit).toEqual({ offset: expected.length, exitCode: 0, signal: null });
    expect(followed.hash()).toBe(sha256(expected));
  });
});
