import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { RUNNER_FRAME_MAX_BYTES } from '@agent-console/shared/limits/runner';
import { describe, expect, it } from 'vitest';
import { connectRunner } from '../../src/runner/client.ts';
import { readRunnerFile } from '../../src/runner/paths.ts';
import { encodeHeader, encodeJson, encodeRequest, FRAME } from '../../src/runner/protocol.ts';
import { ensureRunner, findRunner } from '../../src/runner/supervisor.ts';
import { until } from '../support/until.ts';
import { follow, isAlive, shell, useRunner } from './helpers.ts';

const setup = useRunner();

const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
const socketOf = (home: string) => readRunnerFile(home)?.socket ?? '';

describe('a runner', () => {
  it('is the only one of its data directory, whoever starts at the same moment', async () => {
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

  it('is found again by a second caller', async () => {
    const home = setup.newHome();
    const options = { home, program: setup.program, version: '1.2.3' };
    const [one, two] = await Promise.all([ensureRunner(options), ensureRunner(options)]);
    const [first, second] = await Promise.all([one.status(), two.status()]);
    expect(first).toMatchObject({ version: '1.2.3', server: null, workersAlive: 0, ports: [] });
    expect(second).toEqual(first);
    one.close();
    two.close();
  });

  it('follows one that was killed, although its files are still there', async () => {
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

  it('lets nobody else into its data directory', async () => {
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

  it('works below a path that is too long for a socket', async () => {
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
  ])('ends with its processes when %s has gone', async (_, remove) => {
    const { home, runner } = await setup.start(['--watch-ms', '20']);
    const { pid } = await runner.spawn(shell(`trap '' HUP; echo; sleep 1000`));
    const gone = new Promise<void>((resolve) => runner.onGone(resolve));
    remove(home);
    await gone;
    await until('both have ended', () => !isAlive(pid) && !isAlive(runner.identity.pid));
  });

  it('ends when it has had nothing to do for a while, but not while somebody works', async () => {
    const { runner } = await setup.start(['--idle-ms', '50']);
    const spec = shell('read line');
    await runner.spawn(spec);
    const { pid } = runner.identity;
    runner.close();
    const other = await setup.start(['--idle-ms', '50']);
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

  it('stops everything for a caller that is told when it has happened', async () => {
    const { home, runner } = await setup.start();
    const { pid } = await runner.spawn(shell('read line'));
    const control = await findRunner(home);
    await control?.stopAll();
    expect(isAlive(pid)).toBe(false);
    expect(await findRunner(home)).toBeUndefined();
  });

  it('can be started again in the moment in which it stops', async () => {
    const { home, runner } = await setup.start();
    await (await findRunner(home))?.stopAll();
    const next = await ensureRunner({ home, program: setup.program });
    expect((await next.status()).pid).not.toBe(runner.identity.pid);
    next.close();
  });

  it('does not lock others out of a folder that they share', async () => {
    await expect(ensureRunner({ home: os.tmpdir(), program: setup.program })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  it('closes a connection that talks nonsense, and no other', async () => {
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

  it('tells a client of another time that they do not understand each other', async () => {
    const { home } = await setup.start();
    const socket = net.connect(socketOf(home));
    socket.write(encodeJson(FRAME.hello, { protocols: [99] }));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    await once(socket, 'close');
    expect(said).toContain('UNSUPPORTED');
  });
});
