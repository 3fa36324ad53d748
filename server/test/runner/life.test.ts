import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { RUNNER_FRAME_MAX_BYTES } from '@agent-console/shared/limits/runner';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRunner } from '../../src/runner/client.ts';
import { readRunnerFile } from '../../src/runner/paths.ts';
import { bootId, startTimeOf } from '../../src/runner/processes.ts';
import { encodeHeader, encodeJson, encodeRequest, FRAME } from '../../src/runner/protocol.ts';
import { ensureRunner, findRunner } from '../../src/runner/supervisor.ts';
import { until } from '../support/until.ts';
import { follow, isAlive, shell, useRunner } from './helpers.ts';

const setup = useRunner();

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Not root: that another user cannot take the names of a runner is not tested.');

const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
const socketOf = (home: string) => readRunnerFile(home)?.socket ?? '';

describe('a runner', () => {
  it('is the only one of its data directory, even if several start at the same moment', async () => {
    const home = setup.newHome();
    const starts = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [setup.program, '--home', home], { detached: true, stdio: 'ignore' }),
    );
    const ended: number[] = [];
    for (const start of starts) start.on('exit', (code) => ended.push(code ?? -1));
    await until('all but one have ended', () => ended.length === 3);
    expect(ended).toEqual([0, 0, 0]);
    const runner = await connectRunner({ home });
    const [survivor] = starts.filter((start) => start.exitCode === null);
    expect(runner.identity.pid).toBe(survivor?.pid);
    expect(readRunnerFile(home)).toMatchObject({ ...runner.identity, protocol: 1 });
  });

  it('is found by a second caller', async () => {
    const home = setup.newHome();
    const options = { home, program: setup.program, version: '1.2.3' };
    const [one, two] = await Promise.all([ensureRunner(options), ensureRunner(options)]);
    const [first, second] = await Promise.all([one.status(), two.status()]);
    expect(first).toMatchObject({ version: '1.2.3', server: null, workersAlive: 0, ports: [] });
    expect(second).toEqual(first);
    one.close();
    two.close();
  });

  it('replaces one that was killed, although the files of that are still there', async () => {
    const { home, runner } = await setup.start();
    const gone = new Promise<void>((resolve) => runner.onGone(resolve));
    process.kill(runner.identity.pid, 'SIGKILL');
    await gone;
    await expect(runner.list()).rejects.toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
    expect(fs.existsSync(socketOf(home))).toBe(true);
    expect(await findRunner(home)).toBeUndefined();
    const next = await ensureRunner({ home, program: setup.program });
    expect((await next.status()).pid).not.toBe(runner.identity.pid);
    next.close();
  });

  it('is the only one, whatever files earlier starts left when killed at any step', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    const dead = { pid: ended.pid, startTime: '1', boot: bootId() };
    const me = { pid: process.pid, startTime: startTimeOf(process.pid), boot: bootId() };
    const lock = (holder: object, generation: number) => JSON.stringify({ ...holder, generation });
    const left: Record<string, string>[] = [
      { 'runner.lock': lock(dead, 3) },
      { 'runner.lock': lock({ ...me, startTime: '1' }, 3), 'runner.lock.4': lock(dead, 4) },
      { 'runner.lock.1': lock({ ...me, boot: 'an earlier one' }, 1), 'runner.lock.1.x.draft': '{"gener' },
      { 'runner.lock': '{"generation":3,"pi', 'runner.json': '{"socket":"/tmp/x"' },
      { 'runner.json': JSON.stringify({ socket: '/tmp/x', pid: 1, startTime: '1', protocol: 1 }) },
    ];
    for (const files of left) {
      const home = setup.newHome();
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(home, name), text);
      const starts = Array.from({ length: 3 }, () =>
        spawn(process.execPath, [setup.program, '--home', home], { detached: true, stdio: 'ignore' }),
      );
      await until('all but one have ended', () => starts.filter(({ exitCode }) => exitCode === 0).length === 2);
      const runner = await connectRunner({ home });
      expect(runner.identity.pid).toBe(starts.find(({ exitCode }) => exitCode === null)?.pid);
      expect(fs.readdirSync(home).filter((name) => name.startsWith('runner.lock'))).toEqual(['runner.lock']);
      runner.close();
    }
  });

  it('reports to its starter the other process that owns its data directory, while it waits for it', async () => {
    const home = setup.newHome();
    const me = { pid: process.pid, startTime: startTimeOf(process.pid), boot: bootId() };
    fs.writeFileSync(path.join(home, 'runner.lock'), JSON.stringify({ ...me, generation: 1 }));
    const options = { home, program: setup.program };
    await expect(ensureRunner({ ...options, startMs: 1_500 })).rejects.toMatchObject({
      code: 'RUNNER_UNAVAILABLE',
      message: expect.stringContaining(`process ${process.pid} owns this data directory`),
    });
    // The runner that the failed call started still waits for the lock. It uses the data directory once the lock is
    // removed.
    fs.rmSync(path.join(home, 'runner.lock'));
    (await ensureRunner(options)).close();
  });

  it('is found even if runner.json names another socket or is incomplete', async () => {
    const { home, runner } = await setup.start();
    const file = path.join(home, 'runner.json');
    const present = JSON.parse(fs.readFileSync(file, 'utf8'));
    for (const text of [
      JSON.stringify({ ...present, socket: '/tmp/x' }),
      JSON.stringify({ ...present, socket: path.join(home, 'gone.sock') }),
      JSON.stringify({ ...present, socket: '/tmp/x', startTime: '1' }),
      JSON.stringify(present).slice(0, 20),
    ]) {
      fs.writeFileSync(file, text);
      const again = await ensureRunner({ home, program: setup.program });
      expect((await again.status()).pid).toBe(runner.identity.pid);
      again.close();
    }
  });

  it('has no abstract socket, whose name any user could take', async () => {
    const { runner } = await setup.start();
    const folder = `/proc/${runner.identity.pid}/fd`;
    const inodes = fs
      .readdirSync(folder)
      .flatMap((fd) => /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`${folder}/${fd}`))?.[1] ?? []);
    const named = fs
      .readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , , , , inode]) => inodes.includes(inode ?? ''))
      .flatMap(([, , , , , , , name]) => name ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => name.startsWith('@'))).toEqual([]);
  });

  it.runIf(isRoot)('starts even if another user has taken names that it could use', async () => {
    const { home, runner } = await setup.start();
    const { dev, ino } = fs.statSync(home);
    const identity = createHash('sha256').update(`0 ${dev} ${ino} ${home}`).digest('hex');
    process.kill(runner.identity.pid, 'SIGKILL');
    await until('it has ended', () => !isAlive(runner.identity.pid));
    const program = `require('node:net').createServer().listen({ path: '\\0agent-console-${identity}' }, () => console.log('taken'));`;
    const other = spawn(process.execPath, ['-e', program], {
      uid: 65_534,
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: '/',
    });
    onTestFinished(() => void other.kill());
    await once(other.stdout, 'data');
    (await ensureRunner({ home, program: setup.program })).close();

    const long = path.join(setup.newHome(), 'long'.repeat(30));
    fs.mkdirSync(long, { mode: 0o700 });
    const usual = path.join(
      os.tmpdir(),
      `agent-console-${createHash('sha256').update(fs.realpathSync(long)).digest('hex').slice(0, 16)}`,
    );
    fs.mkdirSync(usual);
    fs.chownSync(usual, 65_534, 65_534);
    const control = await ensureRunner({ home: long, program: setup.program });
    const folder = path.dirname(socketOf(long));
    expect(folder).not.toBe(usual);
    expect(modeOf(folder)).toBe('700');
    await control.stopAll();
    fs.rmdirSync(folder);
    fs.rmdirSync(usual);
  });

  it('gives other users no access to its data directory', async () => {
    const { home, runner } = await setup.start();
    const spec = shell('echo secret');
    await runner.spawn(spec);
    await follow(runner, spec.workerId).exit;
    const worker = path.join(home, 'workers', spec.workerId);
    expect([home, worker, path.join(worker, 'output')].map(modeOf)).toEqual(['700', '700', '700']);
    const files = ['runner.log', 'runner.json', 'runner.sock'].map((name) => path.join(home, name));
    const stored = [path.join(worker, 'output', '0.log'), path.join(worker, 'record.ndjson')];
    expect([...files, ...stored].map(modeOf)).toEqual(['600', '600', '600', '600', '600']);
  });

  it('works in a data directory whose path is too long for a socket', async () => {
    const home = path.join(setup.newHome(), 'long'.repeat(30));
    const control = await ensureRunner({ home, program: setup.program });
    const runner = await connectRunner({ home });
    const folder = path.dirname(socketOf(home));
    expect(Buffer.byteLength(socketOf(home))).toBeLessThanOrEqual(100);
    expect(modeOf(folder)).toBe('700');
    const spec = shell('printf fine');
    await runner.spawn(spec);
    await follow(runner, spec.workerId).exit;
    await control.stopAll();
    fs.rmdirSync(folder);
  });

  it.each([
    ['the data directory', (home: string) => fs.rmSync(home, { recursive: true })],
    ['the socket', (home: string) => fs.rmSync(socketOf(home))],
  ])('ends with its processes when %s is deleted', async (_, remove) => {
    const { home, runner } = await setup.start(['--watch-ms', '20']);
    const { pid } = await runner.spawn(shell(`trap '' HUP; echo; sleep 1000`));
    const gone = new Promise<void>((resolve) => runner.onGone(resolve));
    remove(home);
    await gone;
    await until('both have ended', () => !isAlive(pid) && !isAlive(runner.identity.pid));
  });

  it('ends when it has been idle for a while, but not while it has a worker', async () => {
    const { runner } = await setup.start(['--idle-ms', '1000']);
    const spec = shell('read line');
    await runner.spawn(spec);
    const { pid } = runner.identity;
    runner.close();
    const other = await setup.start(['--idle-ms', '1000']);
    other.runner.close();
    await until('the idle one has ended', () => !isAlive(other.runner.identity.pid));
    expect(isAlive(pid)).toBe(true);
  });

  it('ends its processes and itself when it is asked to terminate, and ignores a hang-up', async () => {
    const { home, runner } = await setup.start();
    const { pid } = await runner.spawn(shell('read line'));
    process.kill(runner.identity.pid, 'SIGHUP');
    expect(await runner.list()).toHaveLength(1);
    const gone = new Promise<void>((resolve) => runner.onGone(resolve));
    process.kill(runner.identity.pid, 'SIGTERM');
    await gone;
    expect(isAlive(pid)).toBe(false);
    await until('it has ended', () => !isAlive(runner.identity.pid));
    expect(fs.existsSync(path.join(home, 'runner.json'))).toBe(false);
  });

  it('stops everything on request, and answers when that is done', async () => {
    const { home, runner } = await setup.start();
    const { pid } = await runner.spawn(shell('read line'));
    const control = await findRunner(home);
    await control?.stopAll();
    expect(isAlive(pid)).toBe(false);
    expect(await findRunner(home)).toBeUndefined();
  });

  it('can be started again immediately after it has stopped', async () => {
    const { home, runner } = await setup.start();
    await (await findRunner(home))?.stopAll();
    const next = await ensureRunner({ home, program: setup.program });
    expect((await next.status()).pid).not.toBe(runner.identity.pid);
    next.close();
  });

  it('refuses a folder that users share as its data directory, instead of locking others out', async () => {
    await expect(ensureRunner({ home: os.tmpdir(), program: setup.program })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  it('closes a connection that sends invalid frames, and no other', async () => {
    const { home, runner } = await setup.start();
    const spec = shell('read line; echo still here');
    await runner.spawn(spec);
    const hello = encodeJson(FRAME.hello, { protocols: [1] });
    const nonsense = [
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.alloc(300, 0xff),
      encodeHeader(FRAME.hello, 0, 0, RUNNER_FRAME_MAX_BYTES + 1),
      encodeRequest({ id: 1, op: 'list' }),
      Buffer.concat([hello, encodeHeader(FRAME.request, 0, 0, 2), Buffer.from('xx')]),
      Buffer.concat([hello, encodeJson(99, {})]),
      Buffer.concat([hello, encodeRequest('no object')]),
    ];
    for (const bytes of nonsense) {
      const socket = net.connect(socketOf(home));
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(bytes);
      await once(socket, 'close');
    }
    const unfinished = net.connect(socketOf(home));
    unfinished.write(hello.subarray(0, 10));
    await runner.input(spec.workerId, 'id', Buffer.from('\n'));
    const followed = follow(runner, spec.workerId);
    await followed.exit;
    expect(followed.text()).toContain('still here');
    unfinished.destroy();
  });

  it('answers a request that it does not understand with an error', async () => {
    const { home } = await setup.start();
    const socket = net.connect(socketOf(home));
    socket.write(encodeJson(FRAME.hello, { protocols: [1] }));
    socket.write(encodeRequest({ id: 7, op: 'levitate' }));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    await until('it has answered', () => said.includes('"id":7'));
    expect(said).toContain('VALIDATION');
    socket.destroy();
  });

  it('accepts clients of other builds, which name no capabilities or send unknown fields', async () => {
    const { home } = await setup.start();
    for (const hello of [{ protocols: [1] }, { protocols: [2, 1], capabilities: ['levitation'], shoeSize: 43 }]) {
      const socket = net.connect(socketOf(home));
      socket.write(encodeJson(FRAME.hello, hello));
      socket.write(encodeRequest({ id: 7, op: 'list', order: 'by age' }));
      let said = '';
      socket.on('data', (chunk) => {
        said += chunk.toString('latin1');
      });
      await until('it has answered', () => said.includes('"id":7'));
      expect(said).toContain('"capabilities":["');
      expect(said).toContain('"result":[]');
      socket.destroy();
    }
  });

  it('tells a client of an incompatible build that its protocol is not supported', async () => {
    const { home } = await setup.start();
    const socket = net.connect(socketOf(home));
    socket.write(encodeJson(FRAME.hello, { protocols: [99] }));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    await once(socket, 'close');
    expect(said).toContain('UNSUPPORTED');
    expect(said).not.toContain('stop --all');
  });
});
