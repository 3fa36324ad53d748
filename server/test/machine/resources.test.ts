import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createProcessResources } from '../../src/machine/process-resources.ts';
import { createProcessTable } from '../../src/machine/process-table.ts';
import type { FirstProcess } from '../../src/ports/resources.ts';

const MIB = 1024 * 1024;
const now = () => new Date();

/** Prefix of the worker ids in the environment of all processes that this file starts, to find and end them. */
const RUN = `test-${process.pid}-`;
const markForStatus = (workerId: string) => `${RUN}${workerId}`;

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`AGENT_CONSOLE_WORKER_ID=${mark}`);
  } catch {
    return false;
  }
}

const living = async () =>
  ((await createProcessTable('/proc').read()) ?? []).filter(({ pid, ended }) => !ended && hasMark(pid, RUN));

afterEach(async () => {
  // Kills the processes repeatedly, because a shell may start another process just before it is killed.
  await expect
    .poll(async () => {
      const left = await living();
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      return left;
    })
    .toEqual([]);
});

const startTimeOf = (pid: number) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

/**
 * Starts a worker as the leader of a Unix session, as the runner does. Resolves when the worker has printed something.
 */
async function startWorker(workerId: string, file: string, args: string[]): Promise<FirstProcess> {
  const child = spawn(file, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, AGENT_CONSOLE_WORKER_ID: markForStatus(workerId) },
  });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', resolve);
  });
  const pid = child.pid ?? 0;
  return { workerId: markForStatus(workerId), pid, startTime: startTimeOf(pid) };
}

const node = (workerId: string, code: string) => startWorker(workerId, process.execPath, ['-e', code]);
const shell = (workerId: string, script: string) => startWorker(workerId, 'sh', ['-c', script]);

/** Takes a first sample. Returns the resources of each worker, by the worker's id without the prefix `RUN`. */
async function measureOnce(workers: FirstProcess[], options?: { wait: boolean }) {
  const sample = await createProcessResources({ now, runningWorkers: async () => workers }).measure(options);
  if (sample === null) throw new Error('this machine does not tell');
  return new Map([...sample].map(([workerId, taken]) => [workerId.slice(RUN.length), taken]));
}

const HOLD = (mib: number) =>
  `const held = Buffer.alloc(${mib} * ${MIB}, 1); console.log(held.length); setInterval(() => held, 1e9)`;
const SPIN = 'console.log(1); for (;;);';

describe.skipIf(process.platform !== 'linux')('the resources of workers', () => {
  it('are the memory of the processes, per worker', async () => {
    const small = await node('small', HOLD(1));
    const large = await node('large', HOLD(200));
    const sample = await measureOnce([small, large]);
    const of = (id: string) => sample.get(id)?.memoryBytes ?? 0;
    expect(of('large') - of('small')).toBeGreaterThan(170 * MIB);
    expect(of('large') - of('small')).toBeLessThan(230 * MIB);
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${large.pid}/status`, 'utf8'))?.[1];
    expect(Math.abs(of('large') / 1024 - Number(kilobytes))).toBeLessThan(8 * 1024);
  });

  it('count memory shared by processes once', async () => {
    const code = `const { spawn } = require('node:child_process');
      const idle = 'setInterval(() => 0, 1e9); console.log(1)';
      let there = 0;
      for (let i = 0; i < 3; i += 1) spawn(process.execPath, ['-e', idle], { stdio: ['ignore', 'pipe', 'inherit'] })
        .stdout.on('data', () => { if ((there += 1) === 3) console.log('all'); });`;
    const worker = await node('four', code);
    const taken = (await measureOnce([worker])).get('four');
    const pids = readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').trim().split(' ');
    const kilobytes = (pid: number | string, word: string) =>
      Number(new RegExp(`^${word}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
    const sum = (word: string) =>
      1024 * [worker.pid, ...pids].map((pid) => kilobytes(pid, word)).reduce((all, one) => all + one);
    expect(taken?.processes).toBe(4);
    expect(taken?.memoryBytes).toBeLessThan(sum('Rss') - 60 * MIB);
    expect(taken?.memoryBytes).toBeGreaterThan(sum('Pss') - 40 * MIB);
  });

  it('include children, even in other Unix sessions or without their parents', async () => {
    const worker = await shell('tree', 'sleep 1000 & setsid sleep 1000 & (sleep 1000 &) ; echo $!; wait');
    const looks = async () => (await measureOnce([worker])).get('tree')?.processes;
    await expect.poll(looks).toBe(4);
  });

  it('include daemons, by the worker named in their environment', async () => {
    const worker = await shell('daemons', 'setsid -f sleep 1000; echo on; sleep 1000');
    await expect.poll(async () => (await measureOnce([worker])).get('daemons')?.processes).toBe(3);
    const entries = await createProcessTable('/proc').read();
    const daemon = entries?.find(
      ({ pid, session }) => pid !== worker.pid && session === pid && hasMark(pid, worker.workerId),
    );
    expect(daemon?.parent).not.toBe(worker.pid);
  });

  it('exclude processes without a worker, and ended workers', async () => {
    const worker = await shell('here', 'echo on; sleep 1000');
    const reused = { ...worker, workerId: markForStatus('gone'), startTime: '1' };
    expect([...(await measureOnce([worker, reused])).keys()]).toEqual(['here']);
    expect([
      ...(await measureOnce([{ workerId: markForStatus('gone'), pid: 4_194_304, startTime: '1' }])).keys(),
    ]).toEqual([]);
  });

  it('report CPU usage of a busy process, and none of an idle one', async () => {
    const busy = await node('busy', SPIN);
    const idle = await shell('idle', 'echo on; sleep 1000');
    const sample = await measureOnce([busy, idle], { wait: true });
    // On a busy machine, the process may get only a small part of a core, so any value above 0 is accepted.
    expect(sample.get('busy')?.cpuPercent).toBeGreaterThan(0);
    expect(sample.get('busy')?.cpuPercent).toBeLessThan(160);
    expect(sample.get('idle')?.cpuPercent).toBeLessThan(3);
  });

  it('include programs that started and ended between two samples', async () => {
    const work = `${process.execPath} -e "const end = Date.now() + 60; while (Date.now() < end);"`;
    const worker = await shell('builder', `echo on; while true; do ${work}; done`);
    const sample = await measureOnce([worker], { wait: true });
    expect(sample.get('builder')?.cpuPercent).toBeGreaterThan(0);
  });

  it('have no CPU usage in a first sample without wait', async () => {
    const worker = await shell('first', 'echo on; sleep 1000');
    expect((await measureOnce([worker])).get('first')?.cpuPercent).toBeNull();
  });

  it('are measured once for all callers while the sample is fresh', async () => {
    const worker = await shell('asked', 'echo on; sleep 1000');
    const resources = createProcessResources({ now, runningWorkers: async () => [worker] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => resources.measure()));
    const later = await resources.measure();
    expect(new Set([...answers, later]).size).toBe(1);
  });

  it('are read despite programs with unusual names and processes that end meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-proc-'));
    const put = (pid: number, name: string, parent: number, files: Record<string, string> = {}) => {
      mkdirSync(join(folder, String(pid)));
      const numbers = ['S', parent, 50, 50, 0, 0, 0, 0, 0, 0, 0, 3, 4, 1, 2, 20, 0, 1, 0, `9${pid}`, 0];
      const stat = `${pid} (${name}) ${numbers.join(' ')}\n`;
      for (const [file, text] of Object.entries({ stat, statm: '100 30 10 1 0 1 0\n', ...files })) {
        writeFileSync(join(folder, String(pid), file), text);
      }
    };
    try {
      put(50, 'a) R 1 (b', 1);
      put(51, 'two\nlines', 50);
      put(52, 'circle', 53, { stat: '52 (circle) S 53 52 52 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0\n' });
      put(53, 'circle', 52, { stat: '53 (circle) S 52 53 53 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0\n' });
      put(54, 'gone', 50, { stat: '' });
      mkdirSync(join(folder, '55'));
      const sample = await createProcessResources({
        now,
        proc: folder,
        runningWorkers: async () => [{ workerId: 'w', pid: 50, startTime: '950' }],
      }).measure();
      expect([...(sample ?? [])].map(([id, { processes, memoryBytes }]) => [id, processes, memoryBytes])).toEqual([
        ['w', 2, 50 * 4096],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(process.env.LONG === undefined)('cover 500 processes, and print the cost', async () => {
    const worker = await shell('many', 'for i in $(seq 500); do sleep 1000 & done; echo on; wait');
    const table = createProcessTable('/proc');
    await expect.poll(async () => (await table.read())?.length).toBeGreaterThan(500);
    const resources = createProcessResources({ now, runningWorkers: async () => [worker] });
    const first = await cpuOf(() => resources.measure());
    const second = await cpuOf(() => table.read());
    console.log(`a first look took ${first.ms} ms of CPU time, reading the table again ${second.ms} ms`);
    expect(first.answer?.get(worker.workerId)?.processes).toBe(501);
  });
});

async function cpuOf<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const before = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(before);
  return { answer, ms: Math.round((user + system) / 1_000) };
}
