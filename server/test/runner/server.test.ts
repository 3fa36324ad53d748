import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { SERVER_BACKOFF_READY_MAX_MS } from '@agent-console/shared/limits/runner';
import { describe, expect, it } from 'vitest';
import { connectRunner } from '../../src/runner/client.ts';
import type { ServerSettings } from '../../src/runner/messages.ts';
import { readStat } from '../../src/runner/processes.ts';
import { ensureRunner, type RunnerControl } from '../../src/runner/supervisor.ts';
import { until } from '../support/until.ts';
import { isAlive, shell, useRunner } from './helpers.ts';

const setup = useRunner();

/**
 * The program that the runner starts as its server. Its first argument says how it behaves at the start, e.g. `die`.
 */
const SERVER = `
import http from 'node:http';
import { takeInherited } from './inherited.mjs';
import { ConsoleError } from './errors.mjs';
import { RUNNER_CAPABILITIES } from './capabilities.mjs';
const [start] = process.argv.slice(2);
if (start === 'die') {
  console.error('the setting "colour" is wrong');
  process.exit(5);
}
const inherited = takeInherited();
const isStuck = start === 'stuck' || (start === 'stuck-once' && inherited.lastCrash?.count === 1);
if (start === 'refuse') {
  inherited.refuse(new ConsoleError('UNSUPPORTED', 'The database is newer', { at: 7 }));
  process.exit(1);
}
const answer = (request, response) => {
  if (request.url === '/crash') process.exit(3);
  const { lastCrash, listeners } = inherited;
  const leaked = Object.keys(process.env).filter((name) => name.startsWith('AGENT_CONSOLE'));
  response.end(JSON.stringify({ pid: process.pid, start, lastCrash, listeners, leaked, home: process.env.HOME }));
};
let waiting = inherited.listeners.length;
for (const { fd } of inherited.listeners) {
  http.createServer(answer).listen({ fd }, () => {
    waiting -= 1;
    // A server of a build without checks reports only that it is ready.
    if (waiting === 0 && !isStuck) inherited.ready(start === 'unchecked' ? [] : Object.keys(RUNNER_CAPABILITIES));
  });
}
`;

interface Answer {
  pid: number;
  start: string;
  lastCrash: { exitCode: number | null; signal: string | null; count: number; hung: boolean } | null;
  listeners: { host: string; port: number; primary: boolean }[];
  leaked: string[];
  home?: string;
}

/** Sends a request on a new connection. */
function ask(port: number, url = '/', host = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host, port, path: url, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    request.on('error', reject);
  });
}

const hasIpv6 = await new Promise<boolean>((resolve) => {
  const server = net.createServer();
  server.on('error', () => resolve(false));
  server.listen(0, '::1', () => server.close(() => resolve(true)));
});

/** Returns the files that a process has open. Leaves out files that the process closes meanwhile. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).flatMap((name) => {
    try {
      return fs.readlinkSync(path.join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}

async function start(
  programArgs: string[] = [],
): Promise<{ home: string; control: RunnerControl; settings: ServerSettings }> {
  const home = setup.newHome();
  const script = path.join(path.dirname(setup.program), 'server.mjs');
  fs.writeFileSync(script, SERVER);
  const control = await ensureRunner({ home, program: setup.program, programArgs });
  const settings = { script, args: ['well'], env: { PATH: process.env.PATH ?? '' }, host: null, port: 0 };
  return { home, control, settings };
}

const journalOf = (home: string) => fs.readFileSync(path.join(home, 'runner.log'), 'utf8').split('\n');

/** Stops a process and resolves when it is stopped, which is a moment after the signal. */
async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await until('it to stand still', () => readStat(pid)?.state === 'T');
}

describe('a server under the runner', () => {
  it('listens on the loopback addresses of the machine, on one port', async () => {
    const { home, control, settings } = await start();
    const server = await control.runServer(settings);
    expect(server.hosts).toEqual(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']);
    for (const host of server.hosts) {
      expect(await ask(server.port, '/', host)).toMatchObject({ pid: server.pid, lastCrash: null, leaked: [] });
    }
    expect(await control.status()).toMatchObject({ server: { ...server, crashes: 0 }, workersAlive: 0 });
    expect((fs.statSync(path.join(home, 'server.log')).mode & 0o777).toString(8)).toBe('600');
    expect((await ask(server.port)).home).toBeUndefined();
    await control.stopServer();
    expect(isAlive(server.pid)).toBe(false);
    await expect(ask(server.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is restarted after kill -9, and callers that connected meanwhile are answered on the same port', async () => {
    const { control, settings } = await start();
    const before = await control.runServer(settings);
    const answers: Promise<Answer>[] = [];
    process.kill(before.pid, 'SIGKILL');
    await until('it is dead', () => !isAlive(before.pid));
    for (let caller = 0; caller < 20; caller += 1) answers.push(ask(before.port));
    for (const answer of await Promise.all(answers)) {
      expect(answer.pid).not.toBe(before.pid);
      expect(answer.lastCrash).toMatchObject({ exitCode: null, signal: 'SIGKILL', count: 1 });
    }
    const { server } = await control.status();
    expect(server).toMatchObject({ port: before.port, hosts: before.hosts, crashes: 1 });
  });

  it('is restarted after each of several crashes', async () => {
    const { control, settings } = await start();
    const { port } = await control.runServer(settings);
    for (let count = 1; count <= 3; count += 1) {
      await expect(ask(port, '/crash')).rejects.toThrow();
      expect((await ask(port)).lastCrash).toMatchObject({ exitCode: 3, signal: null, count });
    }
  });

  it('that dies before it is ready is reported with its error output, and not restarted', async () => {
    const { control, settings } = await start();
    await expect(control.runServer({ ...settings, args: ['die'] })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('the setting "colour" is wrong'),
      details: { exitCode: 5 },
    });
    expect(await control.status()).toMatchObject({ server: null, ports: [] });
  });

  it('that sends an error instead of starting is reported with that error', async () => {
    const { control, settings } = await start();
    await expect(control.runServer({ ...settings, args: ['refuse'] })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: 'The database is newer',
      details: { at: 7 },
    });
    expect(await control.status()).toMatchObject({ server: null, ports: [] });
  });

  it('is restarted soon however often it is killed', async () => {
    const { home, control, settings } = await start();
    const { port } = await control.runServer(settings);
    for (let count = 1; count <= 8; count += 1) {
      const { pid, lastCrash } = await ask(port);
      expect(lastCrash?.count ?? 0).toBe(count - 1);
      process.kill(pid, 'SIGKILL');
      await until('it is dead', () => !isAlive(pid));
    }
    expect((await ask(port)).lastCrash).toMatchObject({ signal: 'SIGKILL', count: 8, hung: false });
    const waits = journalOf(home).flatMap((line) => /restarting it in (\d+) ms/.exec(line)?.[1] ?? []);
    expect(waits).toHaveLength(8);
    for (const wait of waits) expect(Number(wait)).toBeLessThanOrEqual(SERVER_BACKOFF_READY_MAX_MS);
  });

  it('is replaced when it no longer answers', async () => {
    const { control, settings } = await start(['--hang-ms', '1500']);
    const { pid, port } = await control.runServer(settings);
    await stopProcess(pid);
    const answer = await ask(port);
    expect(answer.pid).not.toBe(pid);
    expect(answer.lastCrash).toMatchObject({ signal: 'SIGKILL', hung: true });
  });

  it('is replaced after a crash if it is not ready in time', async () => {
    const { control, settings } = await start(['--ready-ms', '5000']);
    const { pid, port } = await control.runServer({ ...settings, args: ['stuck-once'] });
    process.kill(pid, 'SIGKILL');
    await until('the replacement', async () => ((await control.status()).server?.crashes ?? 0) >= 2);
    expect((await ask(port)).lastCrash).toMatchObject({ signal: 'SIGTERM', hung: true });
  });

  it('is stopped if it is not ready in time at its first start', async () => {
    const { control, settings } = await start(['--ready-ms', '300']);
    await expect(control.runServer({ ...settings, args: ['stuck'] })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(/^The server was not ready within 0\.3 s; see .*server\.log$/),
    });
    expect(await control.status()).toMatchObject({ server: null, ports: [] });
  });

  it('is not replaced if it missed checks only because the runner was stopped', async () => {
    const { home, control, settings } = await start(['--hang-ms', '3000']);
    const { pid: runner } = await control.status();
    const { pid, port } = await control.runServer(settings);
    await stopProcess(pid);
    await until('all but the last check that it may miss', () =>
      journalOf(home).some((line) => line.includes('2 of 3')),
    );
    await stopProcess(runner);
    const from = performance.now();
    await until('the time of the last check to be long over', () => performance.now() - from > 2_000);
    process.kill(pid, 'SIGCONT');
    process.kill(runner, 'SIGCONT');
    await until('the runner to see it', () =>
      journalOf(home).some((line) => line.includes('the runner itself was stalled')),
    );
    expect((await ask(port)).pid).toBe(pid);
    expect((await control.status()).server).toMatchObject({ pid, crashes: 0 });
  });

  it('of a build that does not answer checks is not checked', async () => {
    const { home, control, settings } = await start(['--hang-ms', '30']);
    const unchecked = await control.runServer({ ...settings, args: ['unchecked'] });
    await stopProcess(unchecked.pid);
    const from = performance.now();
    await until('several times what it may take', () => performance.now() - from > 300);
    process.kill(unchecked.pid, 'SIGCONT');
    expect((await ask(unchecked.port)).pid).toBe(unchecked.pid);
    expect(journalOf(home).some((line) => line.includes('has not answered'))).toBe(false);
  });

  it('keeps running when requested again with the same settings, unless a restart is requested', async () => {
    const { control, settings } = await start();
    const first = await control.runServer(settings);
    expect(await control.runServer(settings)).toEqual(first);
    const second = await control.runServer(settings, { restart: true });
    expect(second.pid).not.toBe(first.pid);
    expect(second.port).toBe(first.port);
  });

  it('stays stopped if it is stopped while another server replaces it', async () => {
    const { control, settings } = await start();
    const { port } = await control.runServer(settings);
    const replacing = control.runServer(settings, { restart: true });
    const queued = control.runServer(settings);
    const [replaced, requested, stopped] = await Promise.allSettled([replacing, queued, control.stopServer()]);
    expect(stopped.status).toBe('fulfilled');
    // Each of the two calls succeeds if its server is ready before the stop arrives. Otherwise, the stop makes the call
    // fail.
    for (const each of [replaced, requested]) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await control.status()).toMatchObject({ server: null, ports: [] });
    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect((await ask((await control.runServer(settings)).port)).start).toBe('well');
  });

  it('is not started by a runner that is ending', async () => {
    const { home, control, settings } = await start();
    const { port } = await control.runServer(settings);
    const runner = await connectRunner({ home });
    await runner.spawn(shell("trap '' HUP TERM; sleep 1"));
    const ended = control.stopAll();
    await expect(control.runServer({ ...settings, port })).rejects.toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
    await ended;
    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('keeps running when it is requested on a port that belongs to another program', async () => {
    const { control, settings } = await start();
    const present = await control.runServer(settings);
    const foreign = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => foreign.once('listening', resolve));
    const { port } = foreign.address() as net.AddressInfo;
    await expect(control.runServer({ ...settings, port })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('--port'),
    });
    expect((await ask(present.port)).pid).toBe(present.pid);
    foreign.close();
  });

  it('can move from the loopback addresses to all addresses, on the same port', async () => {
    const { control, settings } = await start();
    const { port } = await control.runServer(settings);
    const wide = await control.runServer({ ...settings, host: '0.0.0.0', port });
    expect(wide).toMatchObject({ port, hosts: ['0.0.0.0'] });
    expect((await ask(port)).pid).toBe(wide.pid);
    await expect(control.runServer({ ...settings, host: 'no address', port })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  it('after a restart on another port, also answers on the old one until the workers that know it end', async () => {
    const { home, control, settings } = await start();
    const first = await control.runServer(settings);
    const runner = await connectRunner({ home });
    const closed = new Promise<number>((resolve) => runner.onPortClosed(resolve));
    const spec = shell('read line');
    await runner.spawn(spec);
    await control.stopServer();
    const waiting = ask(first.port);
    const second = await control.runServer(settings);
    expect(openFiles(second.pid).filter((file) => file.includes('ptmx'))).toEqual([]);
    expect(second.port).not.toBe(first.port);
    const answer = await waiting;
    expect(answer.pid).toBe(second.pid);
    expect(answer.listeners[0]).toMatchObject({ port: second.port, primary: true });
    const { ports } = await control.status();
    expect(ports.find((held) => held.port === first.port)).toMatchObject({ primary: false, workers: [spec.workerId] });
    await runner.end(spec.workerId, 1_000);
    expect(await closed).toBe(first.port);
    expect((await control.status()).ports.map((held) => held.port)).toEqual([second.port]);
    await control.runServer(settings, { restart: true });
    await expect(ask(first.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect((await ask(second.port)).start).toBe('well');
  });
});
