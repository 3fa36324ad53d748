import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { RUNNER_INPUT_MAX_BYTES } from '@agent-console/shared/limits/runner';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { follow, isAlive, script, sha256, shell, terminal, useRunner } from './helpers.ts';

const setup = useRunner();

describe('how a process ended', () => {
  it.each([
    ['exit 0', { exitCode: 0, signal: null }],
    ['exit 7', { exitCode: 7, signal: null }],
    ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM' }],
    ['kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
  ])('%s', async (text, ending) => {
    const { runner } = await setup.shared();
    for (const mode of ['pty', 'pipe'] as const) {
      const spec = shell(`echo out; ${text}`, { mode });
      await runner.spawn(spec);
      const exit = await follow(runner, spec.workerId).exit;
      expect(exit).toEqual({ offset: mode === 'pty' ? 5 : 4, ...ending });
    }
  });

  it('is reported at once even if a background child keeps the terminal open', async () => {
    const { runner } = await setup.shared();
    const spec = shell(`trap '' HUP; sleep 1000 & echo $!; exit 3`);
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    expect(await followed.exit).toMatchObject({ exitCode: 3 });
    const child = Number(followed.text());
    expect(isAlive(child)).toBe(true);
    expect(await runner.end(spec.workerId, 2_000)).toMatchObject({ exitCode: 3 });
    await until('the child left behind has ended', () => !isAlive(child));
  });
});

describe('starting', () => {
  it('names the binary or the folder that is missing', async () => {
    const { runner } = await setup.start();
    for (const mode of ['pty', 'pipe'] as const) {
      await expect(runner.spawn(terminal('no-such-agent', [], { mode }))).rejects.toMatchObject({
        code: 'AGENT_UNAVAILABLE',
        message: expect.stringContaining('no-such-agent'),
      });
      await expect(runner.spawn(terminal('sh', [], { mode, cwd: '/no/such/folder' }))).rejects.toMatchObject({
        code: 'AGENT_UNAVAILABLE',
        message: expect.stringContaining('/no/such/folder'),
      });
    }
    expect(await runner.list()).toEqual([]);
  });

  it('leaves no process behind if the end is requested during the start', async () => {
    const { runner } = await setup.start();
    const spec = shell('read line');
    const codeOf = (error: { code?: string }) => error.code;
    const results = await Promise.all([
      runner.spawn(spec).then(() => 'started', codeOf),
      runner.end(spec.workerId, 1_000).then(() => 'ended', codeOf),
    ]);
    // A request to end the worker cancels the start if the process does not run yet, and ends a running process.
    expect([
      ['CONFLICT', 'NOT_FOUND'],
      ['started', 'ended'],
    ]).toContainEqual(results);
    expect((await runner.list()).filter(({ exit }) => exit === null)).toEqual([]);
    await runner.forget(spec.workerId).catch(() => undefined);
    // The request to end the earlier process of this worker does not end the process that is started now.
    expect(await runner.spawn(spec)).toMatchObject({ workerId: spec.workerId, exit: null });
  });

  it('looks for the binary on the PATH of the process, not on that of the runner', async () => {
    const { runner } = await setup.shared();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agc-path-'));
    fs.writeFileSync(path.join(folder, 'my-agent'), '#!/bin/sh\necho found\n', { mode: 0o755 });
    const spec = terminal('my-agent', [], { env: { PATH: `/nowhere:${folder}` } });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await followed.exit;
    expect(followed.text()).toBe('found\r\n');
    fs.rmSync(folder, { recursive: true });
  });

  it('happens once per worker id, even after the end and for concurrent calls', async () => {
    const { runner } = await setup.start();
    const spec = shell('echo $$; read line');
    const [one, two] = await Promise.all([runner.spawn(spec), runner.spawn(spec)]);
    const { pid, startTime } = one;
    expect(two).toMatchObject({ pid, startTime });
    const exit = await runner.end(spec.workerId, 1_000);
    const again = await runner.spawn(spec);
    expect(again).toMatchObject({ pid, startTime, exit });
    expect((await runner.list()).map((info) => info.workerId)).toEqual([spec.workerId]);
  });

  it('appends to the stored output when a forgotten worker id is used again', async () => {
    const { runner } = await setup.shared();
    const spec = shell('printf one');
    await runner.spawn(spec);
    await follow(runner, spec.workerId).exit;
    await runner.forget(spec.workerId);
    await runner.spawn({ ...spec, args: ['-c', 'printf two'] });
    const followed = follow(runner, spec.workerId);
    expect(await followed.exit).toMatchObject({ offset: 6 });
    expect(followed.text()).toBe('onetwo');
  });

  it('gives the process only the requested environment', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('env', [], { env: { PATH: process.env.PATH ?? '', ONLY: 'this' } });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await followed.exit;
    expect(followed.text().trim().split('\r\n').sort()).toEqual(['ONLY=this', `PATH=${process.env.PATH}`]);
  });

  it.each(['pty', 'pipe'] as const)('passes no terminal of another process on (%s)', async (mode) => {
    const { runner } = await setup.start();
    const others = Array.from({ length: 20 }, () => shell('read line'));
    for (const other of others) await runner.spawn(other);
    // Ends every third worker, so that the file descriptors of the runner have unused numbers between them.
    for (const other of others.filter((_, index) => index % 3 === 0)) await runner.end(other.workerId, 1_000);
    const spec = shell('readlink /proc/$$/fd/*', { mode });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await followed.exit;
    const open = followed.text().trim().split(/\r?\n/);
    expect(open.slice(3).filter((file) => file !== '/dev/null')).toEqual([]);
    expect(open.slice(0, 3).every((file) => file.startsWith(mode === 'pty' ? '/dev/pts/' : 'socket:'))).toBe(true);
  });

  it('refuses a worker id that would leave the data directory', async () => {
    const { runner } = await setup.shared();
    await expect(runner.spawn(terminal('sh', [], { workerId: '../../evil' }))).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    await expect(runner.read('../x', 0, 1)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

describe('ending', () => {
  it('kills a process that ignores the request, with its background jobs in their own groups', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('bash', [
      '-c',
      `set -m; trap '' HUP TERM; (trap '' HUP TERM; while :; do sleep 1000; done) & echo "$! $$"; wait`,
    ]);
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await until('it told its pids', () => followed.text().includes('\n'));
    const [job, leader] = followed.text().trim().split(' ').map(Number);
    expect(await runner.end(spec.workerId, 100)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect([job, leader].map((pid) => isAlive(Number(pid)))).toEqual([false, false]);
  });

  it('keeps the last output of a process that ends on request', async () => {
    const { runner } = await setup.shared();
    const spec = script(`
      process.on('SIGHUP', () => {});
      process.on('SIGTERM', () => process.stdout.write('bye', () => process.exit(5)));
      process.stdout.write('ready, ');
      setInterval(() => {}, 1e6);`);
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await until('it is ready', () => followed.text().includes('ready'));
    const exit = await runner.end(spec.workerId, 20_000);
    expect(exit).toMatchObject({ exitCode: 5, signal: null });
    await followed.exit;
    expect(followed.text()).toBe('ready, bye');
  });

  it('is required before a worker is forgotten or its log dropped', async () => {
    const { runner } = await setup.shared();
    const spec = shell('read line');
    await runner.spawn(spec);
    await expect(runner.forget(spec.workerId)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(runner.dropLog(spec.workerId)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is not the effect of SIGINT on a shell, which interrupts only its foreground job', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('bash', ['--norc', '-i'], { env: { PATH: process.env.PATH ?? '', PS1: '> ' } });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await runner.input(spec.workerId, 'a', Buffer.from('sh -c "echo st""arted; exec sleep 1000"\n'));
    await until('the job runs', () => followed.text().includes('started'));
    await runner.signal(spec.workerId, 'SIGINT');
    await runner.input(spec.workerId, 'b', Buffer.from('exit $((40+2))\n'));
    expect(await followed.exit).toMatchObject({ exitCode: 42 });
  });
});

describe('a process without a terminal', () => {
  it('has exactly its standard output in the log, and its standard error in another file', async () => {
    const { home, runner } = await setup.shared();
    const spec = script(
      `process.stderr.write('trouble');
       const { createHash } = require('node:crypto');
       const parts = Array.from({ length: 3000 }, (_, i) => createHash('sha512').update(String(i)).digest());
       const all = Buffer.concat(parts);
       require('node:fs').writeSync(2, createHash('sha256').update(all).digest('hex'));
       process.stdout.write(all, () => process.exit(9));`,
      { mode: 'pipe' },
    );
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    expect(await followed.exit).toEqual({ offset: 3000 * 64, exitCode: 9, signal: null });
    const errors = () => fs.readFileSync(path.join(home, 'workers', spec.workerId, 'stderr.log'), 'utf8');
    await until('its errors are there', () => errors().length === 'trouble'.length + 64);
    expect(errors()).toBe(`trouble${followed.hash()}`);
    const stored = await runner.read(spec.workerId, 0, 3000 * 64);
    expect(sha256(stored.data)).toBe(followed.hash());
  });

  it('receives its input completely and in order', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('head', ['-c', '400000'], { mode: 'pipe' });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    const parts = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(100_000, letter));
    await Promise.all(parts.map((part, index) => runner.input(spec.workerId, `part ${index}`, part)));
    await followed.exit;
    expect(followed.hash()).toBe(sha256(Buffer.concat(parts)));
  });

  it('completely receives a single input that is larger than the queue of inputs', async () => {
    const { runner } = await setup.shared();
    const long = Buffer.alloc(RUNNER_INPUT_MAX_BYTES, 'a prompt with images ');
    const spec = terminal('head', ['-c', String(long.length)], { mode: 'pipe' });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await runner.input(spec.workerId, 'long', long);
    await followed.exit;
    expect(followed.hash()).toBe(sha256(long));
  });

  it('is reported as ended although child processes hold its streams open, and these are ended too', async () => {
    const { runner } = await setup.shared();
    const spec = terminal('sh', ['-c', "(trap '' HUP; exec sleep 1000) & echo $!; exit 3"], { mode: 'pipe' });
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    expect(await followed.exit).toMatchObject({ exitCode: 3 });
    const child = Number(followed.text());
    await until('its child is gone', () => !fs.existsSync(`/proc/${child}`));
  });
});
